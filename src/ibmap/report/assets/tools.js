// The tools above the drawing.
const weakText = () => {
  if (sure) {
    const n = edges.filter((pair) => !isHidden(pair)).length;
    return `${figure(chosen.least)}: ${n === edges.length ? "all" : `${count(n)} of`} ${count(edges.length)} edges`;
  }
  const n = edges.length - chosen.nHidden;
  if (n === edges.length) return `all ${count(edges.length)} edges`;
  if (n === 0) return "no edges";
  return `${count(n)} of ${count(edges.length)} edges, loss at least ${figure(edges[n - 1].loss)}`;
};
const startTools = () => {
  const offer = (names) => byId("names").replaceChildren(...names.map((name) => { const o = make("option"); o.value = name; return o; }));
  if (!crowded) offer(variables.map((v) => v.name));
  byId("colour").append(...Object.entries(COLOURS).map(([key, { title }]) => { const o = make("option", "", title); o.value = key; return o; }));
  byId("colour").addEventListener("change", (event) => change({ colour: event.target.value }));
  byId("width").append(...["strength", "evidence"].map((name) => { const o = make("option", "", name); o.value = name; return o; }));
  byId("width-field").hidden = !(related && known);
  byId("width").addEventListener("change", (event) => change({ width: event.target.value }));
  byId("tools").addEventListener("submit", (event) => event.preventDefault());
  const weak = byId("weak");
  weak.max = sure ? 100 : edges.length;
  weak.disabled = !known && !sure;
  byId("weak-field").hidden = !known && !sure;
  byId("near-field").hidden = !(sure ? absent.some((pair) => pair.verdict === "undecided") : absent.length);
  if (sure) {
    byId("weak-words").textContent = `${sure.kind === "frequency" ? "Frequency" : "Probability"} at least`;
    byId("near-words").textContent = "Show undecided pairs not joined";
  }
  weak.addEventListener("input", () => change(sure ? { least: Number(weak.value) / 100 } : { nHidden: Number(weak.value) }));
  byId("near").addEventListener("change", (event) => change({ near: event.target.checked }));
  const find = byId("find");
  const names = variables.map((v) => v.name.trim().toLowerCase());
  const seek = (whole) => {
    const wanted = find.value.trim().toLowerCase();
    const exact = names.indexOf(wanted);
    const found = exact >= 0 ? exact : whole ? names.findIndex((name) => name.includes(wanted)) : -1;
    if (crowded) offer(wanted === "" ? [] : hits(names, wanted).map((k) => variables[k].name));
    find.setAttribute("aria-invalid", String(whole && wanted !== "" && found < 0));
    if (wanted === "") nothingChosen();
    else if (found >= 0) change({ variable: found, pair: null });
  };
  find.addEventListener("input", () => seek(false));
  find.addEventListener("keydown", (event) => { if (event.key === "Enter") seek(true); if (event.key === "Escape") nothingChosen(); });
  listen(() => { byId("weak-text").textContent = weakText(); });
};
const startTheme = () => {
  const button = byId("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (document.documentElement.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  const tell = () => { button.textContent = isDark() ? "Light" : "Dark"; button.setAttribute("aria-pressed", String(isDark())); };
  button.addEventListener("click", () => { document.documentElement.dataset.theme = isDark() ? "light" : "dark"; tell(); });
  system.addEventListener("change", tell);
  tell();
};
