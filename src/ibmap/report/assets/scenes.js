// Many variables: an overview of circles, the inside of one circle, or the surroundings of a variable or a pair.
const MOST_HITS = 20;
const MOST_NEAR = 150;  // variables up to which neighbours of neighbours are drawn
const circleLabel = (circle) => `${short(circle.name, 12)} ${!isNarrow() ? circle.more : { group: "", parts: "small", alone: "alone" }[circle.kind]}`;
const circleName = (circle) => circle.kind === "group" ?
  `Group of ${circle.name || "(no name)"} and ${count(circle.members.length - 1)} more, ${count(circle.edges)} edges within, joined to ${count(circle.blanket.length)} other groups` :
  `${circle.name} variables ${circle.more}`;
const circleTip = (event, circle) => showTip(event, circleName(circle), [joined(circle.members.slice(0, 6).map(nameOf)).join("") + (circle.members.length > 6 ? ", …" : "")]);
const bridgeTip = (event, pair) => showTip(event, `${circleLabel(thing(pair.x))} — ${circleLabel(thing(pair.y))}`, [`${count(pair.count)} ${pair.count === 1 ? "edge" : "edges"} between them`]);
const widest = Math.max(12, ...(page.bridges ?? []).map((pair) => pair.count));
const bridgeWidth = (pair) => 0.8 + 9 * Math.sqrt(pair.count / widest);
const bridgeOpacity = () => Math.min(0.5, Math.sqrt(40 / scene.links.length));
const chooseThing = (k) => isCircle(k) ? change({ variable: null, pair: null, circle: k - variables.length }) : chooseVariable(k);
const stepBack = () => chosen.variable === null && chosen.pair === null ? change({ circle: null }) : nothingChosen();
// Names that are it come first, then those that begin with it, then those that hold it.
const hits = (names, wanted) => {
  const found = [[], [], []];
  names.forEach((name, k) => { if (name.includes(wanted)) found[name === wanted ? 0 : name.startsWith(wanted) ? 1 : 2].push(k); });
  return found.flat().slice(0, MOST_HITS);
};
const within = (members) => {
  const inside = new Set(members);
  return pairs.filter((pair) => inside.has(pair.x) && inside.has(pair.y));
};
const nEdges = (links) => `${count(links.filter((pair) => pair.edge).length)} ${links.filter((pair) => pair.edge).length === 1 ? "edge" : "edges"}`;

const wholeScene = () => ({
  key: "overview", members: d3.range(variables.length, variables.length + circles.length), links: page.bridges, isAllLit: true,
  text: [`${count(variables.length)} variables in ${count(circles.length)} circles. Choose one, or find a variable.`],
});
const circleScene = (c) => {
  const circle = circles[c], members = circle.members.slice(0, circle.drawn), links = within(members);
  const cut = members.length < circle.members.length ? `, the first ${count(members.length)} of them drawn` : "";
  const what = circle.kind === "group" ? ["Group of ", named(circle.members[0])] : [`Variables ${circle.more}`];
  return { key: `circle ${c}`, members, links, text: [...what, `: ${count(circle.members.length)} variables${cut}, ${nEdges(links)}`, circle.blanket.length ? `, joined to ${count(circle.blanket.length)} other groups.` : "."] };
};
// Springs along edges, from places on rings; nothing is random.
const relax = (at, links, roots) => {
  const points = [...at].map(([k, own]) => Object.assign(own, { id: k, fx: roots.includes(k) ? own.x : null, fy: roots.includes(k) ? own.y : null }));
  d3.forceSimulation(points).stop()
    .force("link", d3.forceLink(links.filter((pair) => pair.edge).map((pair) => ({ source: pair.x, target: pair.y }))).id((own) => own.id).distance(1).iterations(2))
    .force("apart", d3.forceManyBody().strength(-0.16)).force("room", d3.forceCollide(0.32)).tick(300);
};
// The roots in the middle, their neighbours around them, and further out what only those are joined to.
const nearScene = (roots) => {
  const first = [...new Set(roots.flatMap((k) => variables[k].blanket))].filter((k) => !roots.includes(k));
  const known = new Set([...roots, ...first]);
  const children = first.map((k) => variables[k].blanket.filter((j) => !known.has(j) && known.add(j)));
  const all = d3.sum(children, (own) => own.length);
  const isCut = known.size > MOST_NEAR;
  const spread = isCut ? children.map(() => []) : children;
  const at = new Map(roots.map((k, place) => [k, { x: place * 1.2 - (roots.length - 1) * 0.6, y: 0 }]));
  const total = d3.sum(spread, (own) => own.length + 1);
  const put = (k, turn, far) => at.set(k, { x: far * Math.cos(turn), y: far * Math.sin(turn) });
  let turn = 0;
  first.forEach((k, place) => {
    put(k, turn, 1.2);
    spread[place].forEach((j, i) => put(j, turn + 2 * Math.PI * (i + 0.5 - spread[place].length / 2) / total, 2.2));
    turn += 2 * Math.PI * (spread[place].length + 1) / total;
  });
  const members = [...at.keys()], links = within(members);
  relax(at, links, roots);
  const rest = isCut ? `, without their ${count(all)} further neighbours` : all ? ` and ${count(all)} of their neighbours` : "";
  return { key: `near ${roots}`, members, links, at: (k) => at.get(k), isAllLit: chosen.variable !== null,
    text: [...joined(roots.map(named)), ` with ${count(first.length)} ${first.length === 1 ? "neighbour" : "neighbours"}${rest}: ${nEdges(links)}.`] };
};
const wantedScene = () => {
  const { variable, pair, circle } = chosen;
  if (variable !== null) return nearScene([variable]);
  if (pair !== null) return [pair.x, pair.y].every((k) => scene.members.includes(k)) ? scene : nearScene([pair.x, pair.y]);
  return circle === null ? wholeScene() : circleScene(circle);
};
const showScene = () => {
  const wanted = wantedScene();
  if (wanted.key === scene.key) return;
  const hadFocus = svg.node().contains(document.activeElement);
  scene = wanted;
  current = scene.members.includes(chosen.variable) ? chosen.variable : scene.members[0];
  redrawScene();
  byId("scene-text").replaceChildren(...scene.text);
  byId("overview").disabled = scene.key === "overview";
  byId("tools").classList.toggle("narrowed", scene.key === "overview");
  redraw();
  fit();
  if (hadFocus) nodes.filter((k) => k === current).node()?.focus();
};
const startScenes = () => {
  if (!crowded) return;
  scene = wholeScene();
  current = scene.members[0];
  scene.key = "";  // it is drawn and told of when the page starts
  byId("overview").addEventListener("click", () => { byId("find").value = ""; change({ variable: null, pair: null, circle: null }); });
  listen(showScene);
};
