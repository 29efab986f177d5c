// The panel beside the drawing: what is chosen, in words.
const bar = (pair) => {
  const line = make("span", `bar ${signName(pair)}`);
  line.style.width = `${100 * share(pair)}%`;
  return line;
};
const rung = (content, pair, act, value = figure(pair.loss)) => {
  const button = make("button", pair.edge ? "rung" : "rung absent", [make("span", "", content), make("span", "value", value), bar(pair)]);
  button.type = "button";
  button.addEventListener("click", act);
  button.addEventListener("pointerenter", () => point(pair, true));
  button.addEventListener("pointerleave", () => point(pair, false));
  return make("li", "", [button]);
};
const worth = (pair) => pair.relation ? signed(pair) : sure ? pair.chance : figure(pair.loss);
const worthName = () => related ? "strength" : sure ? sure.kind : known ? "loss" : "";
const closer = () => {
  const button = make("button", "close", "×");
  button.type = "button";
  button.setAttribute("aria-label", "Show all");
  button.addEventListener("click", nothingChosen);
  return button;
};
const aboutVariable = (k) => {
  const v = variables[k];
  const others = variables.length - 1 - v.blanket.length;
  const near = absent.filter((pair) => touches(pair, k)).slice(0, 5);
  const parts = [closer(), make("h3", "", [named(k)])];
  parts.push(make("p", "", v.blanket.length ?
    `Given its blanket of ${count(v.blanket.length)}, it is independent of the other ${count(others)}.` :
    "No edge: the network takes it as independent of all others."));
  if (v.blanket.length) {
    parts.push(make("h4", "", worthName() ? `Blanket, most evidence first, with the ${worthName()}` : "Blanket"));
    parts.push(make("ul", "", v.blanket.map((j) => rung([named(j)], findPair(k, j), () => chooseVariable(j), worth(findPair(k, j))))));
  }
  if (near.length) {
    parts.push(make("h4", "", `Nearest to being joined, with the ${sure ? sure.kind : "loss"}`));
    parts.push(make("ul", "", near.map((pair) => {
      const j = pair.x === k ? pair.y : pair.x;
      return rung([named(j)], pair, () => choosePair(pair), worth(pair));
    })));
  }
  if (v.explained !== null && v.blanket.length) {
    parts.push(make("h4", "", "Known by its neighbours"));
    parts.push(make("div", "statement plain", [facts([["share of its entropy", percent(v.explained)], ["rows in which they name its state", percent(v.accuracy)],
      ["the most frequent state alone", percent(v.baseline)]])]));
  }
  if (v.thinness !== null) {
    parts.push(make("h4", "", "Data"));
    parts.push(make("div", "statement plain", [facts([["enough or thin", v.thinness], ["rows in small slices", percent(v.small)],
      ["slices of its blanket seen", v.slices], ["entropy (nats)", figure(v.entropy, 3)], ["missing values", count(v.missing)]])]));
  }
  if (v.copies.length) {
    parts.push(make("h4", "", "Stands for its copies"));
    parts.push(make("div", "states", v.copies.map((name) => make("span", "", [make("bdi", "", name)]))));
  }
  if (v.states.length) {
    parts.push(make("h4", "", `${count(v.n_states)} ${v.n_states === 1 ? "state" : "states"}`));
    const more = v.n_states - v.states.length;
    const chips = v.states.map((label) => make("span", "", [make("bdi", "", label)]));
    parts.push(make("div", "states", more > 0 ? [...chips, make("span", "", `and ${count(more)} more`)] : chips));
  }
  return parts;
};
const facts = (list) => make("dl", "", list.flatMap(([name, value]) => [make("dt", "", name), make("dd", "", value)]));
const aboutStatement = (said) => {
  const others = said.independent ? "neighbours" : "other neighbours";
  const given = said.given.length ? ["Given the ", others, " of ", named(said.of), " (", ...joined(said.given.map(named)), "): "] :
    ["Given nothing (", named(said.of), ` has no ${others}): `];
  const verdict = make("b", "", `Pr(${said.independent ? "independent" : "dependent"}) = ${said.posterior}`);
  return make("div", "statement", [make("p", "", [...given, verdict]), facts(said.facts)]);
};
// A small cross table: a row for each state of the one, a bar for each state of the other.
const crossTable = (table, rowsOf, columnsOf) => {
  const cell = (p) => {
    const filled = make("span", "fill");
    filled.style.width = `${100 * p}%`;
    return make("td", "", [filled, make("span", "", percent(p))]);
  };
  const head = make("tr", "", [make("th", "", [named(rowsOf)]), ...table.columns.map((label) => make("th", "", [make("bdi", "", short(label, 14))]))]);
  const body = table.values.map((row, k) => make("tr", "", [make("th", "", [make("bdi", "", short(table.rows[k], 14))]), ...row.map(cell)]));
  return make("div", "cross", [make("p", "small", [named(columnsOf), " for each state of ", named(rowsOf), ", others being equal"]), make("table", "", [head, ...body])]);
};
const aboutRelation = (pair) => {
  if (!pair.relation) return [];
  const { kind, words, there, back } = pair.relation;
  const other = make("details", "", [make("summary", "", "The other way round"), crossTable(back, pair.y, pair.x)]);
  return [make("h4", "", `How they are related: strength ${signed(pair)}, ${kind}`), ...words.map((text) => make("p", "", text)),
    crossTable(there, pair.x, pair.y), other];
};
const aboutPair = (pair) => [
  closer(),
  make("h3", "", [named(pair.x), " — ", named(pair.y)]),
  make("p", "", (pair.edge ? "Joined" : "Not joined") + (pair.loss === null ? "." : `; evidence ${pair.strength}.`)),
  ...(pair.sure ? [make("p", "sure", pair.sure)] : []),
  ...aboutRelation(pair),
  ...(related && pair.loss !== null ? [make("h4", "", "Evidence")] : []),
  make("p", "", sentence(pair)),
  make("p", "small", pair.loss === null ? "" : `Loss of log-score: ${figure(pair.loss)}`),
  ...pair.remarks.map((remark) => make("p", "remark", remark)),
  ...(pair.statements.length ? [make("h4", "", "What the structure says, and what it rests on")] : []),
  ...pair.statements.map(aboutStatement),
  make("h4", "", "Look at"),
  make("ul", "", [pair.x, pair.y].map((k) => {
    const button = make("button", "rung", [make("span", "", [named(k)]), make("span", "value", "blanket")]);
    button.type = "button";
    button.addEventListener("click", () => chooseVariable(k));
    return make("li", "", [button]);
  })),
];
const aboutAll = () => {
  const parts = [make("p", "small", "Choose a variable to see its blanket, or a line to see what speaks for it.")];
  const list = (title, some, value = worth) => {
    if (!some.length) return;
    parts.push(make("h4", "", title));
    parts.push(make("ul", "", some.map((pair) => rung([named(pair.x), " — ", named(pair.y)], pair, () => choosePair(pair), value(pair)))));
  };
  if (sure) {
    const open = pairs.filter((pair) => pair.verdict === "undecided").sort((a, b) => b.probability - a.probability);
    list(`Undecided, with the ${sure.kind}`, open.slice(0, 6), (pair) => pair.chance);
    if (open.length > 6) parts.push(make("p", "small", `and ${count(sure.undecided - 6)} more`));
  }
  list(known ? `Edges, most evidence first, with the ${related ? "strength" : "loss"}` : "Edges", edges.slice(0, 8));
  if (known && edges.length > 11) list("Least evidence", edges.slice(-3));
  if (edges.length <= 8) list(`Nearest to being joined, with the ${sure ? sure.kind : "loss"}`, absent.filter((pair) => pair.verdict !== "undecided").slice(0, 3), (pair) => sure ? pair.chance : figure(pair.loss));
  return parts;
};
const showDetails = () => byId("details").replaceChildren(...(
  chosen.variable !== null ? aboutVariable(chosen.variable) : chosen.pair !== null ? aboutPair(chosen.pair) : aboutAll()));
