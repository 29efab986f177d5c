// Groups of rows: a small drawing of each network, every variable where it is above, and what differs.
const startGroups = () => {
  const told = page.groups;
  byId("groups").hidden = byId("groups-link").hidden = !told;
  if (!told) return;
  const shown = d3.range(variables.length).filter((k) => k !== told.by);
  const at = (k) => ({ x: variables[k].x * 100, y: variables[k].y * 100 });
  const [left, right] = d3.extent(shown, (k) => at(k).x), [top, bottom] = d3.extent(shown, (k) => at(k).y);
  const line = (parent, pair, name, width) => parent.append("line").attr("class", name).attr("stroke-width", width)
    .attr("x1", at(pair.x).x).attr("y1", at(pair.x).y).attr("x2", at(pair.y).x).attr("y2", at(pair.y).y);
  const draw = (group, g) => {
    const figure = make("figure", "panel", [make("figcaption", "", [make("b", "", [make("bdi", "", group.name)]), ` ${count(group.rows)} rows, ${count(group.edges)} edges`])]);
    const box = d3.select(figure).append("svg").attr("viewBox", `${left - 70} ${top - 40} ${right - left + 140} ${bottom - top + 90}`)
      .attr("role", "img").attr("aria-label", `Network of group ${group.name}`);
    told.pairs.filter((pair) => pair.verdict === "different").forEach((pair) => line(box, pair, "mark", 16));
    told.pairs.filter((pair) => pair.joined[g]).forEach((pair) => line(box, pair, `edge ${{ 1: "positive", "-1": "negative" }[pair.signs[g]] ?? ""}`, 1.5 + 12 * Math.abs(pair.strengths[g]))
      .style("pointer-events", "auto").on("pointermove", () => showTip(d3.event, `${nameOf(pair.x)} — ${nameOf(pair.y)}`, [`strength ${strength(pair, g)}`, pair.words])).on("pointerleave", hideTip));
    const nodes = box.selectAll("g").data(shown).enter().append("g").attr("class", "node").attr("transform", (k) => `translate(${at(k).x},${at(k).y})`);
    nodes.append("circle").attr("r", 9).style("fill", (k) => variables[k].colour);
    nodes.append("text").attr("y", 25).attr("text-anchor", "middle").attr("font-size", 15).attr("stroke-width", 4).text((k) => short(nameOf(k), 14));
    return figure;
  };
  const strength = (pair, g) => {
    const text = `${pair.signs[g] > 0 ? "+" : ""}${figure(pair.strengths[g])}`;
    return pair.joined[g] ? text : `(${text})`;
  };
  if (!crowded) byId("panels").append(...told.groups.map(draw));
  d3.selectAll(".panel svg").each(function () {  // letters of one size, however small the drawing is
    const unit = this.viewBox.baseVal.width / Math.max(this.getBoundingClientRect().width, 1);
    d3.select(this).selectAll("text").attr("font-size", Math.max(15, 12 * unit)).attr("y", 11 + Math.max(15, 12 * unit));
  });
  startTable(byId("group-table"), [
    { title: "Variable", value: (p) => nameOf(p.x), cell: (p) => [named(p.x)] },
    { title: "Variable", value: (p) => nameOf(p.y), cell: (p) => [named(p.y)] },
    ...told.groups.map((group, g) => ({ title: short(group.name, 18), number: true, falling: true, value: (p) => p.strengths[g], cell: (p) => strength(p, g) })),
    { title: "Bayes factor", number: true, falling: true, value: (p) => p.log_bayes_factor, cell: (p) => p.words },
    { title: "Verdict", word: true, value: (p) => p.verdict, cell: (p) => p.verdict },
  ], told.pairs, {
    filter: byId("filter-groups"), counter: byId("count-groups"), choose: (p) => { const pair = findPair(p.x, p.y); if (pair) choosePair(pair); },
    words: (p) => [variables[p.x].name, variables[p.y].name], chosenRow: () => false,
  });
};
