// The drawing: d3 zooms, drags and scales; places come with the data.
const UNIT = 92;
// What is drawn now: everything, or of many variables what scenes.js chooses.
let scene = { members: crowded ? [] : d3.range(variables.length), links: crowded ? [] : pairs };
let many = variables.length > 60;
const svg = d3.select("#drawing");
const world = svg.append("g");
// A wide network stands upright on a narrow screen.
const isNarrow = () => svg.node().getBoundingClientRect().width < 560;
const spots = d3.range(variables.length + circles.length).map(() => ({ x: 0, y: 0 }));
const reach = (key) => d3.extent(scene.members.flatMap((k) => [-1, 1].map((side) => spots[k][key] + side * (isCircle(k) ? thing(k).radius * UNIT : 0))));
let upright = null;
const settle = () => {
  const at = scene.at ?? thing;
  const span = (key) => d3.max(scene.members, (k) => at(k)[key]) - d3.min(scene.members, (k) => at(k)[key]);
  const turn = isNarrow() && span("x") > span("y");
  if (turn === upright) return;
  upright = turn;
  scene.members.forEach((k) => Object.assign(spots[k], turn ? { x: at(k).y * UNIT, y: at(k).x * UNIT } : { x: at(k).x * UNIT, y: at(k).y * UNIT }));
};
const mostNeighbours = Math.max(1, ...variables.map((v) => v.blanket.length));
const radius = (k) => isCircle(k) ? thing(k).radius * UNIT * scale : (many ? 5 : 7) + (many ? 4 : 6) * Math.sqrt(variables[k].blanket.length / mostNeighbours);
let scale = 1;
let current = 0;

const COLOURS = {
  group: {
    title: "group",
    of: (v) => v.colour,
    legend: () => {
      const entries = new Map(variables.filter((v) => v.group >= 0 && v.group < 10).sort((a, b) => a.group - b.group)
        .map((v) => [v.group, [v.colour, `group ${v.group + 1}`]]));
      const alone = variables.find((v) => v.group < 0);
      return alone ? [...entries.values(), [alone.colour, "no edges"]] : [...entries.values()];
    },
  },
  degree: {
    title: "number of neighbours",
    of: (v) => d3.interpolateViridis(0.92 - 0.84 * v.blanket.length / mostNeighbours),
    legend: () => [...new Set([0, Math.ceil(mostNeighbours / 2), mostNeighbours])].map((n) =>
      [d3.interpolateViridis(0.92 - 0.84 * n / mostNeighbours), n === mostNeighbours ? `${n} neighbours` : `${n}`]),
  },
};

if (described) {
  const warmth = (small) => d3.interpolateYlOrRd(0.12 + 0.75 * small);
  COLOURS.thinness = { title: "thin data", of: (v) => warmth(v.small),
    legend: () => [[warmth(0), "0 %"], [warmth(0.5), "50 %"], [warmth(1), "100 % of its rows in small slices"]] };
}

const dragged = d3.drag().clickDistance(4).on("drag", (k) => {
  spots[k].x += d3.event.dx;
  spots[k].y += d3.event.dy;
  hideTip();
  move();
}).on("end", () => placeLabels());
const layers = [0, 1, 2].map(() => world.append("g"));
let lines, grips, nodes, labels;
const populate = () => {
  lines = layers[0].selectAll("line").data(scene.links).enter().append("line")
    .attr("class", (pair) => pair.count ? "edge bridge" : `edge ${signName(pair)} ${!pair.edge ? "absent" : sure && pair.verdict !== "present" ? "undecided" : ""}`);
  grips = layers[1].selectAll("line").data(scene.links).enter().append("line").attr("class", "grip")
    .on("pointermove", (pair) => pairTip(d3.event, pair)).on("pointerleave", hideTip).on("click", (pair) => pair.count || choosePair(pair));
  nodes = layers[2].selectAll("g").data(scene.members).enter().append("g")
    .attr("class", "node").attr("role", "button").attr("tabindex", (k) => k === current ? 0 : -1)
    .attr("aria-label", (k) => isCircle(k) ? circleName(thing(k)) : `${nameOf(k)}, ${variables[k].blanket.length} in its blanket`)
    .on("pointermove", (k) => variableTip(d3.event, k)).on("pointerleave", hideTip).on("click", chooseThing)
    .on("focus", (k) => { current = k; nodes.attr("tabindex", (j) => j === k ? 0 : -1); });
  nodes.append("circle");
  labels = nodes.append("text");
  nodes.call(dragged);
};
const thicken = () => lines.attr("stroke-opacity", (pair) => pair.count ? bridgeOpacity() : pair.edge && (known || related) && edges.length > 150 ? 0.3 + 0.7 * share(pair) : null)
  .attr("stroke-width", (pair) => pair.count ? bridgeWidth(pair) : pair.edge ? (known || related ? 1 + (many ? 6 : chosen.width === "strength" ? 11 : 5) * share(pair) : 1.6) : 1.6);
let widths = [];
let boxes = [];

// Names are shorter where there is little room.
const letter = () => {
  const length = isNarrow() ? 14 : 22;
  labels.text((k) => isCircle(k) ? circleLabel(thing(k)) : short(nameOf(k), length)).attr("font-size", 12).attr("display", null);
  world.attr("transform", null);
  labels.each(function (k) { widths[k] = this.getComputedTextLength(); });
};
const move = () => {
  for (const line of [lines, grips]) {
    line.attr("x1", (p) => spots[p.x].x).attr("y1", (p) => spots[p.x].y)
      .attr("x2", (p) => spots[p.y].x).attr("y2", (p) => spots[p.y].y);
  }
  nodes.attr("transform", (k) => `translate(${spots[k].x},${spots[k].y})`);
};

// Labels keep their size on screen; each takes a free side of its circle, one with no edges on it if it can, or waits
// for more room.
const crowd = (k, dx, dy) => Math.max(-1, ...thing(k).blanket.map((j) => {
  const x = spots[j].x - spots[k].x, y = spots[j].y - spots[k].y;
  return (x * dx + y * dy) / (Math.hypot(x, y) || 1);
}));
const overlaps = (a, b) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
const sides = (k, r) => {
  const w = widths[k] + 4, h = 15, x = spots[k].x * scale, y = spots[k].y * scale;
  return [
    ...(isCircle(k) ? [{ x: x - w / 2, y: y - h / 2, w, h, anchor: "middle", dx: 0, dy: 4.5, cost: -3 }] : []),
    { x: x - w / 2, y: y + r + 1, w, h, anchor: "middle", dx: 0, dy: r + 13, cost: crowd(k, 0, 1) - 0.3 },
    { x: x - w / 2, y: y - r - 1 - h, w, h, anchor: "middle", dx: 0, dy: -r - 5, cost: crowd(k, 0, -1) - 0.1 },
    { x: x + r + 1, y: y - h / 2, w, h, anchor: "start", dx: r + 4, dy: 4.5, cost: crowd(k, 1, 0) },
    { x: x - r - 1 - w, y: y - h / 2, w, h, anchor: "end", dx: -r - 4, dy: 4.5, cost: crowd(k, -1, 0) },
  ].sort((a, b) => a.cost - b.cost);
};
const placeLabels = () => {
  const grown = Math.min(1.6, Math.sqrt(Math.max(scale, 0.3)));
  const size = (k) => isCircle(k) ? radius(k) : radius(k) * grown;
  nodes.select("circle").attr("r", (k) => size(k) / scale);
  const half = (k) => isCircle(k) ? 0.75 * size(k) : size(k);  // labels may cross the corners around a large circle
  const taken = scene.members.map((k) => ({ x: spots[k].x * scale - half(k), y: spots[k].y * scale - half(k),
    w: 2 * half(k), h: 2 * half(k) }));
  const own = new Map(scene.members.map((k, place) => [k, place]));
  const first = (k) => chosen.variable !== null && isNear(chosen.variable, k) ? 1 : 0;
  const weight = (k) => isCircle(k) ? thing(k).members.length : variables[k].blanket.length;
  const order = [...scene.members].sort((a, b) => first(b) - first(a) || weight(b) - weight(a) || a - b);
  const found = new Map();
  const always = !crowded && scene.members.length <= 20 && svg.node().clientWidth > 560;
  for (const k of order) {
    const options = sides(k, size(k));
    const free = options.find((box) => !taken.some((other, j) => j !== own.get(k) && overlaps(box, other)));
    const box = free ?? (first(k) || always ? options[0] : null);
    if (box) taken.push(box);
    found.set(k, box);
  }
  boxes = taken;
  labels.attr("display", (k) => found.get(k) ? null : "none").attr("font-size", 12 / scale).attr("stroke-width", 3.5 / scale)
    .attr("text-anchor", (k) => found.get(k)?.anchor ?? "middle")
    .attr("x", (k) => (found.get(k)?.dx ?? 0) / scale).attr("y", (k) => (found.get(k)?.dy ?? 0) / scale);
};

const zoom = d3.zoom().scaleExtent([0.01, 8])
  .filter(() => d3.event.type !== "wheel" || d3.event.ctrlKey || d3.event.metaKey ? !d3.event.button : svg.node().contains(document.activeElement))
  .on("zoom", () => {
    const before = scale;
    scale = d3.event.transform.k;
    world.attr("transform", d3.event.transform);
    if (scale !== before || !boxes.length) placeLabels();
  });
// Twice, because where labels go depends on the scale and the scale on where labels go.
const fit = () => {
  if (!scene.members.length) return;
  const box = svg.node().getBoundingClientRect();
  const legend = byId("legend").parentElement;
  const below = getComputedStyle(legend).position === "absolute" ? Math.max(34, legend.offsetHeight + 16) : 34;
  const above = isNarrow() ? 58 : 40;  // the buttons stand there, and the hint
  let margin = { left: 30, right: 30, top: above, bottom: 30 };
  for (let pass = 0; pass < 3; pass += 1) {
    const [left, right] = reach("x"), [top, bottom] = reach("y");
    const k = Math.max(0.01, Math.min(2, (box.width - margin.left - margin.right) / Math.max(right - left, 1),
      (box.height - margin.top - margin.bottom) / Math.max(bottom - top, 1)));
    const x = margin.left + (box.width - margin.left - margin.right - k * (right - left)) / 2;
    const y = margin.top + (box.height - margin.top - margin.bottom - k * (bottom - top)) / 2;
    svg.call(zoom.transform, d3.zoomIdentity.translate(x - k * left, y - k * top).scale(k));
    const side = (wanted) => Math.min(14 + wanted, 0.22 * box.width);
    margin = {
      left: side(k * left - d3.min(boxes, (b) => b.x)), right: side(d3.max(boxes, (b) => b.x + b.w) - k * right),
      top: above + k * top - d3.min(boxes, (b) => b.y), bottom: below + d3.max(boxes, (b) => b.y + b.h) - k * bottom,
    };
  }
};

const walk = (key) => {
  const [dx, dy] = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[key];
  const cost = (k) => {
    const x = spots[k].x - spots[current].x, y = spots[k].y - spots[current].y;
    const ahead = x * dx + y * dy;
    return k === current || ahead <= 0 ? Infinity : ahead + 2 * Math.abs(x * dy - y * dx);
  };
  const next = scene.members.reduce((best, k) => cost(k) < cost(best) ? k : best, current);
  nodes.filter((k) => k === next).node().focus();
};
const keys = () => {
  const key = d3.event.key;
  if (key.startsWith("Arrow")) walk(key);
  else if (key === "Enter" || key === " ") chooseThing(current);
  else if (key === "Escape") stepBack();
  else if (key === "+" || key === "=") svg.call(zoom.scaleBy, 1.3);
  else if (key === "-") svg.call(zoom.scaleBy, 1 / 1.3);
  else if (key === "0") fit();
  else return;
  d3.event.preventDefault();
};

const redraw = () => {
  const { variable, pair } = chosen;
  const lit = (k) => scene.isAllLit ? true : variable !== null ? isNear(variable, k) : pair === null || touches(pair, k);
  const litPair = (p) => scene.isAllLit ? true : variable !== null ? touches(p, variable) : pair === null || p === pair;
  nodes.classed("dim", (k) => !lit(k)).classed("chosen", (k) => k === variable || (pair !== null && touches(pair, k)))
    .attr("aria-pressed", (k) => k === variable);
  nodes.select("circle").style("fill", (k) => isCircle(k) ? thing(k).colour : COLOURS[chosen.colour].of(variables[k]));
  thicken();
  const gone = (p) => isHidden(p) && p !== pair;
  lines.attr("display", (p) => gone(p) ? "none" : null).classed("dim", (p) => !litPair(p)).classed("chosen", (p) => p === pair);
  grips.attr("display", (p) => gone(p) ? "none" : null);
  const legend = byId("legend");
  legend.replaceChildren(...(crowded && chosen.colour === "group" ? [] : COLOURS[chosen.colour].legend()).map(([colour, text]) => {
    const swatch = make("i", "swatch");
    swatch.style.background = colour;
    return make("span", "", [swatch, text]);
  }));
  placeLabels();
};
const point = (pair, on) => lines.filter((p) => p === pair).classed("pointed", on).attr("display", function (p) {
  return on || !isHidden(p) || p === chosen.pair ? null : "none";
});

// What the style and the colour of a line tell.
const startLineLegend = () => {
  const open = pairs.some((pair) => !pair.edge && pair.verdict === "undecided");
  const dashed = edges.some((pair) => pair.verdict !== "present");
  const kinds = sure ? [["", "present"], ...(dashed ? [["undecided", "undecided, joined"]] : []), ...(open ? [["absent", "undecided, not joined"]] : [])] : [];
  for (const [name, text] of [["positive", "positive"], ["negative", "negative"]])
    if (edges.some((pair) => signName(pair) === name)) kinds.push([name, text]);
  if (related && edges.some((pair) => !signName(pair))) kinds.push(["", "no sign"]);
  const box = byId("line-legend");
  box.hidden = !kinds.length;
  box.append(...kinds.map(([style, text]) => {
    const entry = make("span", "");
    const drawn = d3.select(entry).append("svg").attr("width", 34).attr("height", 8);
    drawn.append("line").attr("class", `key ${style}`).attr("x1", 2).attr("x2", 32).attr("y1", 4).attr("y2", 4).attr("stroke-width", 2.4);
    entry.append(text);
    return entry;
  }));
};

// The drawing as a file: every style as an attribute, so that it looks the same anywhere.
const STYLES = ["fill", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "paint-order",
  "opacity", "display", "font-family", "font-size", "font-weight", "text-anchor"];
const drawn = () => {
  const own = svg.node(), copy = own.cloneNode(true);
  const from = [own, ...own.querySelectorAll("*")], to = [copy, ...copy.querySelectorAll("*")];
  from.forEach((element, k) => {
    const style = getComputedStyle(element);
    for (const name of STYLES) to[k].setAttribute(name, style.getPropertyValue(name));
    if (style.getPropertyValue("vector-effect") !== "none") {  // so that lines grow with the picture
      const inWorld = (text) => text.replace(/[\d.]+(px)?/g, (length) => parseFloat(length) / scale);
      for (const name of ["stroke-width", "stroke-dasharray"]) to[k].setAttribute(name, inWorld(style.getPropertyValue(name)));
    }
    for (const name of ["class", "style", "role", "tabindex", "aria-pressed", "aria-label"]) to[k].removeAttribute(name);
  });
  const { width, height } = own.getBoundingClientRect();
  copy.querySelectorAll("[display=none]").forEach((element) => element.remove());
  for (const [name, value] of [["width", width], ["height", height], ["viewBox", `0 0 ${width} ${height}`]]) copy.setAttribute(name, value);
  const ground = document.createElementNS(d3.namespaces.svg, "rect");
  for (const [name, value] of [["width", width], ["height", height], ["fill", getComputedStyle(document.querySelector(".stage")).backgroundColor]]) ground.setAttribute(name, value);
  copy.prepend(ground);
  const told = document.createElementNS(d3.namespaces.svg, "desc");
  told.textContent = byId("caption").textContent;
  copy.prepend(told);
  return { text: new XMLSerializer().serializeToString(copy), width, height };
};
const save = (blob, ending) => {
  const link = make("a");
  link.href = URL.createObjectURL(blob);
  link.download = `${document.title.replace(/[^\p{L}\p{N}._-]+/gu, "-") || "network"}.${ending}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};
const saveSvg = () => save(new Blob([drawn().text], { type: "image/svg+xml" }), "svg");
const savePng = () => {
  const { text, width, height } = drawn(), image = new Image(), finer = 2;
  image.onload = () => {
    const canvas = make("canvas");
    canvas.width = finer * width;
    canvas.height = finer * height;
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(blob, "png"));
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
};

// Draw the scene, or another one in its place.
const redrawScene = () => {
  for (const layer of layers) layer.selectAll("*").remove();
  many = scene.members.length > 60;
  upright = null;
  boxes = [];
  hideTip();
  populate();
  settle();
  letter();
  move();
};
const startDrawing = () => {
  startLineLegend();
  redrawScene();
  svg.call(zoom).on("dblclick.zoom", null).on("keydown", keys).on("click", () => {
    if (d3.event.target === svg.node()) nothingChosen();
  });
  byId("zoom-in").addEventListener("click", () => svg.call(zoom.scaleBy, 1.3));
  byId("zoom-out").addEventListener("click", () => svg.call(zoom.scaleBy, 1 / 1.3));
  byId("zoom-fit").addEventListener("click", () => fit());
  byId("save-svg").addEventListener("click", saveSvg);
  byId("save-png").addEventListener("click", savePng);
  addEventListener("resize", () => { settle(); letter(); move(); boxes = []; fit(); });
  addEventListener("beforeprint", () => fit());
  redraw();
  fit();
  listen(redraw);
};
