// The matrix and the trace of the search.
const startMatrix = () => {
  if (crowded) return;
  const n = variables.length;
  const named = n <= 80;
  const size = Math.max(named ? 11 : 3.2, Math.min(26, (named ? 620 : 780) / n));
  const step = named ? Math.max(size, 11) : size;
  const side = n * step;
  const at = new Map(page.order.map((k, place) => [k, place * step]));
  const longest = Math.max(0, ...variables.map((v) => Array.from(short(v.name, 18)).length));
  const room = named ? 14 + 6.6 * longest : 6;
  const box = d3.select("#matrix-box").append("svg").attr("width", side + room + 4).attr("height", side + room + 4)
    .attr("viewBox", `0 0 ${side + room + 4} ${side + room + 4}`)
    .attr("role", "img").attr("aria-label", `Matrix of ${edges.length} edges among ${n} variables`);
  const plane = box.append("g").attr("transform", `translate(${room},${room})`);
  plane.append("rect").attr("class", "ground").attr("width", side).attr("height", side);
  if (named) for (const k of d3.range(n + 1)) {
    plane.append("line").attr("class", "rule").attr("x1", k * step).attr("x2", k * step).attr("y2", side);
    plane.append("line").attr("class", "rule").attr("y1", k * step).attr("y2", k * step).attr("x2", side);
  }
  const groups = d3.nest().key((k) => variables[k].group).entries(page.order).filter((g) => g.key !== "-1");
  for (const { values } of groups) {
    const start = at.get(values[0]);
    plane.append("rect").attr("class", "block").attr("x", start).attr("y", start).attr("width", values.length * step).attr("height", values.length * step)
      .style("stroke", COLOURS.group.of(variables[values[0]])).attr("stroke-width", 1.5).attr("opacity", 0.8);
  }
  plane.append("g").selectAll("rect").data(d3.range(n)).enter().append("rect").attr("class", "diagonal")
    .attr("x", (k) => k * step).attr("y", (k) => k * step).attr("width", step).attr("height", step);
  const cells = plane.append("g").selectAll("rect").data(pairs.flatMap((pair) => [[pair, pair.x, pair.y], [pair, pair.y, pair.x]])).enter().append("rect")
    .attr("class", ([pair]) => pair.edge ? `cell ${signName(pair)}` : "cell absent")
    .attr("x", (d) => at.get(d[1]) + 0.08 * step).attr("y", (d) => at.get(d[2]) + 0.08 * step)
    .attr("width", 0.84 * step).attr("height", 0.84 * step).attr("rx", Math.min(2, step / 8))
    .on("pointermove", ([pair]) => pairTip(d3.event, pair)).on("pointerleave", hideTip).on("click", ([pair]) => choosePair(pair));
  if (named) {
    const put = (parent) => parent.selectAll("text").data(page.order).enter().append("text").text((k) => short(nameOf(k), 18))
      .style("font-size", `${Math.min(12, step)}px`);
    put(plane.append("g")).attr("text-anchor", "end").attr("x", -6).attr("y", (k, place) => (place + 0.5) * step + 4);
    put(plane.append("g")).attr("transform", (k, place) => `translate(${(place + 0.5) * step + 4},-6) rotate(-90)`);
  }
  listen(() => cells.attr("opacity", ([pair]) => pair.edge ? (known || related ? 0.3 + 0.7 * share(pair) : 0.8) : 0.9).attr("display", ([pair]) => isHidden(pair) && pair !== chosen.pair ? "none" : null)
    .classed("chosen", ([pair]) => pair === chosen.pair || (chosen.variable !== null && pair.edge && touches(pair, chosen.variable))));
};

const startTrace = () => {
  if (!page.trace.length) return;
  const points = [{ score: page.startScore }, ...page.trace];
  const size = { width: Math.min(900, Math.max(320, byId("trace").clientWidth)), height: 300, left: 76, right: 24, top: 18, bottom: 44 };
  const box = d3.select("#trace").append("svg").attr("class", "plot").attr("viewBox", `0 0 ${size.width} ${size.height}`)
    .attr("role", "img").attr("aria-label", `Score after each of ${page.trace.length} ascents`);
  const x = d3.scaleLinear().domain([0, page.trace.length]).range([size.left, size.width - size.right]);
  const y = d3.scaleLinear().domain(d3.extent(points, (p) => p.score)).range([size.height - size.bottom, size.top]).nice();
  const whole = d3.range(0, page.trace.length + 1).filter((k) => k % Math.ceil((page.trace.length + 1) / (size.width / 75)) === 0);
  box.append("g").attr("transform", `translate(0,${size.height - size.bottom})`).call(d3.axisBottom(x).tickValues(whole).tickFormat(count));
  box.append("g").attr("transform", `translate(${size.left},0)`).call(d3.axisLeft(y).ticks(5));
  box.append("text").attr("x", (size.left + size.width - size.right) / 2).attr("y", size.height - 8).attr("text-anchor", "middle").text("ascents");
  box.append("text").attr("transform", `translate(16,${(size.top + size.height - size.bottom) / 2}) rotate(-90)`).attr("text-anchor", "middle").text("IB-score (log)");
  box.append("path").attr("class", "run").attr("d", d3.line().x((p, k) => x(k)).y((p) => y(p.score))(points));
  box.append("g").selectAll("circle").data(page.trace).enter().append("circle")
    .attr("class", (flip) => flip.added ? "" : "taken").attr("r", page.trace.length > 60 ? 2.5 : 4.5)
    .attr("cx", (flip, k) => x(k + 1)).attr("cy", (flip) => y(flip.score))
    .on("pointermove", (flip) => showTip(d3.event, `${nameOf(flip.x)} — ${nameOf(flip.y)}`,
      [`edge ${flip.added ? "added" : "taken out"}`, `gain ${figure(flip.gain)}`, `score ${figure(flip.score)}`]))
    .on("pointerleave", hideTip);
};
