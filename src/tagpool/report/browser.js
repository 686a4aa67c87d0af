(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("tp-data").textContent);
  const list = document.getElementById("tp-list");
  const form = document.getElementById("tp-filters");
  if (!list || !form) return;
  const [NUMBER, KINDS, TYPES, CONFIDENCE, RIGHT, WORDS, GOLD, PREDICTED] = [0, 1, 2, 3, 4, 5, 6, 7];
  const items = data.items.map((record, place) => {
    const article = list.children[place];
    return { record, article, text: article.textContent.toLowerCase() };
  });
  let shown = items;
  let current = -1;
  const boxes = [...form.querySelectorAll("input[name=k]")];
  const value = (name) => (form.elements[name] ? form.elements[name].value : "");

  // The part of the address after "#" holds the filters and the current sentence.
  const state = () => {
    const address = new URLSearchParams();
    const kinds = boxes.filter((box) => box.checked).map((box) => box.value);
    if (kinds.length < boxes.length) address.set("k", kinds.join(","));
    for (const name of ["t", "s", "q", "o"]) if (value(name)) address.set(name, value(name));
    if (current >= 0) address.set("n", shown[current].record[NUMBER] + 1);
    return address.toString();
  };
  const remember = () => history.replaceState(null, "", "#" + state());
  const restore = () => {
    if (/^#[^=]+$/.test(location.hash)) return void apply(); // a section of the page
    const address = new URLSearchParams(location.hash.slice(1));
    const kinds = address.has("k") ? address.get("k").split(",") : null;
    for (const box of boxes) box.checked = kinds === null || kinds.includes(box.value);
    for (const name of ["t", "s", "q", "o"]) if (form.elements[name]) form.elements[name].value = address.get(name) || "";
    for (const select of form.querySelectorAll("select")) if (select.selectedIndex < 0) select.selectedIndex = 0;
    apply();
    const number = Number(address.get("n"));
    const place = number ? shown.findIndex((item) => item.record[NUMBER] === number - 1) : -1;
    if (place >= 0) go(place);
  };

  const passes = (item, without) => {
    const record = item.record;
    if (without !== "k") {
      const kinds = boxes.filter((box) => box.checked).map((box) => data.kinds.indexOf(box.value));
      if (!record[KINDS].some((kind) => kinds.includes(kind))) return false;
    }
    if (value("t") && !record[TYPES].includes(data.types.indexOf(value("t")))) return false;
    const other = /^(right|wrong)(\d+)$/.exec(value("o"));
    if (other && record[RIGHT].includes(Number(other[2])) !== (other[1] === "right")) return false;
    const search = value("q").trim().toLowerCase();
    return !search || item.text.includes(search);
  };
  const sign = () => (value("s") === "high" ? -1 : value("s") === "low" ? 1 : 0);
  const apply = () => {
    const chosen = current >= 0 ? shown[current] : null;
    if (chosen) chosen.article.removeAttribute("aria-current");
    shown = items.filter((item) => passes(item));
    const by = sign();
    shown.sort((one, other) =>
      (by && by * ((one.record[CONFIDENCE] ?? 0) - (other.record[CONFIDENCE] ?? 0))) || one.record[NUMBER] - other.record[NUMBER]);
    const visible = new Set(shown);
    for (const item of items) item.article.hidden = !visible.has(item);
    list.append(...shown.map((item) => item.article));
    for (const box of boxes) {
      const kind = data.kinds.indexOf(box.value);
      const count = items.filter((item) => item.record[KINDS].includes(kind) && passes(item, "k")).length;
      form.querySelector(`[data-count="${box.value}"]`).textContent = String(count);
    }
    current = chosen ? shown.indexOf(chosen) : -1;
    if (current >= 0) chosen.article.setAttribute("aria-current", "true");
    document.getElementById("tp-shown").textContent = `${shown.length} of ${items.length} sentences`;
  };
  const go = (place) => {
    if (!shown.length) return;
    if (current >= 0) shown[current].article.removeAttribute("aria-current");
    current = Math.min(Math.max(place, 0), shown.length - 1);
    const article = shown[current].article;
    article.setAttribute("aria-current", "true");
    article.focus({ preventScroll: true });
    article.scrollIntoView({ block: "nearest" });
    remember();
  };

  const save = (name, text, kind) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: kind }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  // Labels are runs: the number of a label, how often it follows, and so on.
  const words = (record) => (typeof record[WORDS] === "string" ? record[WORDS].split(" ") : record[WORDS]);
  const names = (runs) => runs.flatMap((number, at) => (at % 2 ? [] : Array(runs[at + 1]).fill(data.labels[number])));
  document.getElementById("tp-jsonl").addEventListener("click", () => {
    const lines = shown.map(({ record }) => JSON.stringify({
      sentence: record[NUMBER] + 1, words: words(record), gold: names(record[GOLD]), predicted: names(record[PREDICTED]),
    }));
    save("errors.jsonl", lines.map((line) => line + "\n").join(""), "application/jsonl");
  });
  document.getElementById("tp-conll").addEventListener("click", () => {
    // Tabs separate columns, so words may contain spaces, but neither tabs nor line ends.
    const lines = shown.map(({ record }) => {
      const [gold, predicted] = [names(record[GOLD]), names(record[PREDICTED])];
      return words(record).map((word, at) => [word, gold[at], predicted[at]].map((one) => one.replace(/[\t\r\n]/g, " ")).join("\t") + "\n").join("");
    });
    save("errors.conll", lines.join("\n"), "text/plain");
  });
  document.getElementById("tp-open").hidden = !list.querySelector("details");
  document.getElementById("tp-open").addEventListener("click", (event) => {
    const open = event.target.getAttribute("aria-pressed") !== "true";
    event.target.setAttribute("aria-pressed", String(open));
    event.target.textContent = open ? "close all reasons" : "open all reasons";
    for (const details of list.querySelectorAll("details")) details.open = open;
  });

  form.addEventListener("input", () => { apply(); remember(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  list.addEventListener("click", (event) => {
    const article = event.target.closest("article");
    const place = shown.findIndex((item) => item.article === article);
    if (place < 0 || event.target.closest("summary")) return;
    if (event.target.closest("a")) event.preventDefault();
    go(place);
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.closest("input, select, textarea");
    if (event.key === "Escape" && typing) typing.blur();
    if (typing) return;
    const inList = list.contains(event.target);
    if (event.key === "j" || (inList && event.key === "ArrowDown")) { event.preventDefault(); go(current + 1); }
    else if (event.key === "k" || (inList && event.key === "ArrowUp")) { event.preventDefault(); go(current < 0 ? 0 : current - 1); }
    else if (event.key === "o" && current >= 0) {
      const all = [...shown[current].article.querySelectorAll("details")];
      const open = all.some((details) => !details.open);
      for (const details of all) details.open = open;
    } else if (event.key === "/") { event.preventDefault(); form.elements.q.focus(); form.scrollIntoView({ block: "nearest" }); }
  });
  window.addEventListener("hashchange", restore);
  restore();
})();
