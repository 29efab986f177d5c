// What the page knows and what is chosen; everything else listens. Text from the data reaches the page as text only.
const page = JSON.parse(document.getElementById("data").textContent);
const variables = page.variables;
const pairs = page.pairs;
const edges = pairs.filter((pair) => pair.edge);
const absent = pairs.filter((pair) => !pair.edge);
const strongest = Math.max(0, ...edges.map((pair) => pair.loss ?? 0));
const known = edges.length > 0 && edges.every((pair) => pair.loss !== null);
const sure = page.sure;
const related = edges.some((pair) => pair.relation);
const circles = page.circles ?? [];  // of an overview, if there are many variables
const crowded = circles.length > 0;
const chosen = { variable: null, pair: null, circle: null, nHidden: 0, least: 0, near: false, colour: "group", width: related ? "strength" : "evidence" };
const listeners = [];

const byId = (id) => document.getElementById(id);
const listen = (listener) => { listeners.push(listener); };
const change = (changes) => { Object.assign(chosen, changes); listeners.forEach((listener) => listener()); };
const chooseVariable = (k) => change({ variable: chosen.variable === k ? null : k, pair: null });
const choosePair = (pair) => change({ variable: null, pair: chosen.pair === pair ? null : pair });
const nothingChosen = () => change({ variable: null, pair: null });

// Edges are in order of evidence: the weakest are the last.
const rank = new Map(edges.map((pair, k) => [pair, k]));
const isHidden = (pair) => pair.count ? false : pair.edge ? (sure ? pair.probability < chosen.least : rank.get(pair) >= edges.length - chosen.nHidden) :
  !chosen.near || (sure && (pair.verdict !== "undecided" || pair.probability < chosen.least));
const touches = (pair, k) => pair.x === k || pair.y === k;
const pairOf = new Map(pairs.map((pair) => [pair.x * variables.length + pair.y, pair]));
const findPair = (i, j) => pairOf.get(Math.min(i, j) * variables.length + Math.max(i, j));
const isNear = (k, j) => k === j || variables[k].blanket.includes(j);

// What the drawing shows by number: a variable, or a circle of many.
const thing = (k) => k < variables.length ? variables[k] : circles[k - variables.length];
const isCircle = (k) => k >= variables.length;
const nameOf = (k) => thing(k).name || "(no name)";
const described = variables.some((v) => v.thinness !== null);
const stated = pairs.some((pair) => pair.statements.length > 0);
const short = (text, length = 22) => {
  const letters = Array.from(text);
  return letters.length > length ? letters.slice(0, length - 1).join("") + "…" : text;
};
const figure = (value, digits = 2) => value === null || value === undefined ? "" :
  (Math.round(value * 10 ** digits) / 10 ** digits + 0).toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
const signed = (pair) => !pair.relation ? "" : `${pair.relation.sign > 0 ? "+" : ""}${figure(pair.relation.strength)}`;
const signName = (pair) => ({ 1: "positive", "-1": "negative" })[pair.relation?.sign] ?? "";
const count = (value) => figure(value, 0);
const percent = (value) => value > 0 && value < 0.01 ? "under 1 %" : value > 0.99 && value < 1 ? "over 99 %" : `${figure(100 * value, 0)} %`;
const joined = (items) => items.flatMap((item, k) => k ? [", ", item] : [item]);
const evidenceShare = (pair) => pair.loss === null || strongest === 0 ? 0 : Math.sqrt(Math.max(pair.loss, 0) / strongest);
const share = (pair) => chosen.width === "strength" && pair.relation ? Math.abs(pair.relation.strength) : evidenceShare(pair);

// An element with text and children: make("p", "small", "text"), make("li", "", [child, child]).
const make = (tag, className, content) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (Array.isArray(content)) element.append(...content);
  else if (content !== undefined) element.textContent = content;
  return element;
};
const named = (k) => make("bdi", "name", nameOf(k));
const sentence = (pair) => pair.loss === null ? "" :
  `${pair.edge ? "Without" : "With"} this edge the structure is ${pair.words}.`;

const tip = byId("tip");
const showTip = (event, title, lines) => {
  tip.replaceChildren(make("b", "", title), ...lines.filter(Boolean).map((line) => make("div", "", line)));
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const left = Math.min(event.clientX + 14, innerWidth - box.width - 8);
  const top = event.clientY + 18 + box.height > innerHeight ? event.clientY - box.height - 10 : event.clientY + 18;
  tip.style.left = `${Math.max(left, 8)}px`;
  tip.style.top = `${Math.max(top, 8)}px`;
};
const hideTip = () => { tip.hidden = true; };
const pairTip = (event, pair) => pair.count ? bridgeTip(event, pair) : showTip(event, `${nameOf(pair.x)} — ${nameOf(pair.y)}`,
  [pair.relation && `strength ${signed(pair)}, ${pair.relation.kind}`, pair.chance && `${sure.kind} ${pair.chance}, ${pair.verdict}`, pair.loss === null ? (pair.edge ? "joined" : "not joined") : `loss ${figure(pair.loss)}, evidence ${pair.strength}`, sentence(pair), pair.thin ? "thin data" : ""]);
const variableTip = (event, k) => isCircle(k) ? circleTip(event, circles[k - variables.length]) : showTip(event, nameOf(k), [
  variables[k].n_states === null ? "" : `${count(variables[k].n_states)} states`,
  `${count(variables[k].blanket.length)} in its blanket`,
  variables[k].thinness === null ? "" : `data: ${variables[k].thinness}`,
]);
