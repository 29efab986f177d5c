// Tables that sort by a click on a heading and filter by a word.
const MOST_ROWS = crowded ? 200 : Infinity;
const startTable = (table, columns, rows, { filter, counter, words, chosenRow, choose, extra = () => true, className = () => "", hovered = () => {} }) => {
  let key = null, rising = true;
  const head = make("tr");
  const body = make("tbody");
  const heads = columns.map((column) => {
    const button = make("button", "", column.title);
    button.type = "button";
    button.addEventListener("click", () => {
      rising = key === column ? !rising : !column.falling;
      key = column;
      heads.forEach((th, k) => th.setAttribute("aria-sort", columns[k] === key ? (rising ? "ascending" : "descending") : "none"));
      show();
    });
    const th = make("th", column.number ? "number" : "", [button]);
    th.scope = "col";
    th.setAttribute("aria-sort", "none");
    return th;
  });
  head.append(...heads);
  const made = new Map();  // rows of the table are made when they are first shown
  const line = (k) => {
    if (made.has(k)) return made.get(k);
    const row = rows[k];
    const tr = make("tr", className(row), columns.map((column) => make("td", column.number ? "number" : column.word ? "word" : "", column.cell(row))));
    tr.addEventListener("click", () => choose(row));
    tr.tabIndex = 0;
    tr.addEventListener("keydown", (event) => { if (event.key === "Enter" && event.target === tr) choose(row); });
    hovered(tr, row);
    made.set(k, tr);
    return tr;
  };
  const compare = (a, b) => {
    const [u, v] = [key.value(rows[a]), key.value(rows[b])];
    const missing = (u === null) - (v === null);
    const order = typeof u === "string" ? u.localeCompare(v, "en", { numeric: true, sensitivity: "base" }) : u - v;
    return missing || (rising ? order : -order) || a - b;
  };
  const show = () => {
    const wanted = filter.value.trim().toLowerCase();
    const visible = d3.range(rows.length).filter((k) => extra(rows[k]) && words(rows[k]).some((word) => word.toLowerCase().includes(wanted)));
    if (key) visible.sort(compare);
    const first = visible.slice(0, MOST_ROWS);
    const remark = (text) => body.append(make("tr", "", [Object.assign(make("td", "empty", text), { colSpan: columns.length })]));
    body.replaceChildren(...first.map(line));
    if (!visible.length) remark("None.");
    if (first.length < visible.length) remark(`and ${count(visible.length - first.length)} more: a filter narrows them.`);
    first.forEach((k) => line(k).classList.toggle("chosen", chosenRow(rows[k])));
    counter.textContent = `${count(visible.length)} of ${count(rows.length)}`;
  };
  table.append(make("thead", "", [head]), body);
  filter.addEventListener("input", show);
  listen(show);
};

const startEdgeTable = () => {
  const columns = [
    { title: "Variable", value: (p) => nameOf(p.x), cell: (p) => [named(p.x)] },
    { title: "Variable", value: (p) => nameOf(p.y), cell: (p) => [named(p.y)] },
    { title: "Joined", word: true, value: (p) => p.edge ? "yes" : "no", cell: (p) => p.edge ? "yes" : "no" },
    ...(sure ? [
      { title: sure.kind === "frequency" ? "Frequency" : "Probability", number: true, falling: true, value: (p) => p.probability, cell: (p) => p.chance },
      { title: "Verdict", word: true, value: (p) => p.verdict, cell: (p) => p.verdict },
    ] : []),
    ...(related ? [{ title: "Strength", number: true, falling: true, value: (p) => p.relation ? Math.abs(p.relation.strength) : null, cell: signed }] : []),
    { title: "Loss", number: true, falling: true, value: (p) => p.loss, cell: (p) => figure(p.loss) },
    ...(sure ? [] : [{ title: "If it is changed, the structure is", value: (p) => p.loss, falling: true, cell: (p) => p.words }]),
    { title: "Evidence", word: true, value: (p) => p.loss, falling: true, cell: (p) => p.strength },
  ];
  // Of the two things said of a pair, show the one that is less sure.
  const lesser = (p) => p.statements.reduce((low, said) => low === null || said.log_posterior < low.log_posterior ? said : low, null);
  if (stated) columns.push(
    { title: "Posterior", number: true, falling: true, value: (p) => lesser(p)?.log_posterior ?? null, cell: (p) => lesser(p)?.posterior ?? "" },
    { title: "Data", word: true, value: (p) => p.thin ? "thin" : "enough", cell: (p) => p.thin === null ? "" : p.thin ? "thin" : "enough" });
  const only = byId("only");
  only.addEventListener("click", nothingChosen);
  listen(() => {
    only.hidden = chosen.variable === null;
    if (chosen.variable !== null) only.textContent = `only those of ${short(nameOf(chosen.variable))} ×`;
  });
  startTable(byId("edge-table"), columns, pairs, {
    filter: byId("filter-edges"), counter: byId("count-edges"), choose: choosePair,
    words: (p) => [variables[p.x].name, variables[p.y].name],
    chosenRow: (p) => p === chosen.pair,
    extra: (p) => chosen.variable === null || touches(p, chosen.variable),
    className: (p) => p.edge ? "" : "absent-row",
    hovered: (tr, p) => {
      tr.addEventListener("pointerenter", () => point(p, true));
      tr.addEventListener("pointerleave", () => point(p, false));
    },
  });
};
const startVariableTable = () => {
  const columns = [
    { title: "Variable", value: nameOf, cell: (k) => [named(k)] },
    { title: "States", number: true, falling: true, value: (k) => variables[k].n_states, cell: (k) => count(variables[k].n_states) },
    ...(described ? [
      { title: "Entropy", number: true, falling: true, value: (k) => variables[k].entropy, cell: (k) => figure(variables[k].entropy, 3) },
      ...(related ? [{ title: "Explained", number: true, falling: true, value: (k) => variables[k].explained, cell: (k) => percent(variables[k].explained) }] : []),
      { title: "Missing", number: true, falling: true, value: (k) => variables[k].missing, cell: (k) => count(variables[k].missing) },
      { title: "Data", falling: true, value: (k) => variables[k].small, cell: (k) => variables[k].thinness },
    ] : []),
    { title: "Neighbours", number: true, falling: true, value: (k) => variables[k].blanket.length, cell: (k) => count(variables[k].blanket.length) },
    { title: "Group", number: true, value: (k) => variables[k].group < 0 ? null : variables[k].group, cell: (k) => variables[k].group < 0 ? "" : count(variables[k].group + 1) },
    { title: known ? "Blanket, most evidence first" : "Blanket", value: (k) => variables[k].blanket.length, falling: true, cell: (k) => joined(variables[k].blanket.map(named)) },
  ];
  startTable(byId("variable-table"), columns, d3.range(variables.length), {
    filter: byId("filter-variables"), counter: byId("count-variables"), choose: chooseVariable,
    words: (k) => [variables[k].name],
    chosenRow: (k) => k === chosen.variable,
  });
};
