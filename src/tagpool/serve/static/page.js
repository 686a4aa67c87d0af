// The page of the server. The server renders sentences and explanations; this script sends the choices of the reader.

const DELAY = 120; // milliseconds between the last key and a request
const PART = 200_000; // characters of a part of a file
const EXAMPLE = "Ann Smith from Oslo visited France on Monday.\nThe talks in Geneva ended, Maria Novak said.";
const BY_SENTENCE = [".conll", ".bio", ".iob", ".tsv", ".col", ".conllu"];

const find = (id) => document.getElementById(id);
const state = {
  models: [],
  token: "",
  shown: null, // the request whose labels are shown; the text may be newer
  selected: null, // the token that is explained
  explained: "", // the request whose explanation is shown
  tagging: null,
  explaining: null,
  file: null,
  url: null,
};

class ServerError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function request(path, options = {}) {
  const headers = { ...options.headers };
  if (state.token) headers.Authorization = `Bearer ${state.token}`;
  let response;
  try {
    response = await fetch(path, { ...options, headers });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ServerError(0, "The server does not answer.");
  }
  if (response.ok) return response;
  const problem = await response.json().catch(() => ({ message: `error ${response.status}` }));
  throw new ServerError(response.status, problem.message);
}

async function view(name, value, signal) {
  const headers = { "Content-Type": "application/json" };
  const response = await request(`view/${name}`, { method: "POST", headers, body: JSON.stringify(value), signal });
  return response.json();
}

function say(id, message, isError = false) {
  find(id).textContent = message;
  find(id).classList.toggle("error", isError);
}

const counted = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

function fail(id, error) {
  if (error.name === "AbortError") return;
  if (error.status === 401) find("login").hidden = false;
  say(id, error.message, true);
}

// Show HTML of the server. Widths of bars are data, since the policy of the page forbids attributes with styles.
function show(place, html) {
  place.innerHTML = html;
  for (const bar of place.querySelectorAll("[data-w]")) bar.style.setProperty("--w", bar.dataset.w);
}

// Choices -------------------------------------------------------------------------------------------------------------

function option(text, value) {
  const element = document.createElement("option");
  element.textContent = text;
  element.value = value;
  return element;
}

const modelOf = (name) => state.models.find((model) => model.name === name || model.members.includes(name));

// The names beside each other: a model, and the one (or the members of a pool) to compare with.
function sideNames() {
  const [first, other] = [find("model").value, find("other").value];
  if (other.endsWith("/*")) return [first, ...modelOf(other.slice(0, -2)).members].slice(0, 8);
  return other ? [first, other] : [first];
}

function withoutGroups(name) {
  const off = [...find("groups").querySelectorAll("input:not(:checked)")].map((box) => box.value);
  return off.filter((group) => modelOf(name).groups.includes(group));
}

function fillModels() {
  const names = state.models.flatMap((model) => [model.name, ...model.members]);
  find("model").replaceChildren(...names.map((name) => option(name, name)));
  fillOthers();
  fillGroups();
}

function fillOthers() {
  const [chosen, model] = [find("other").value, find("model").value];
  const choices = [option("(nothing)", "")];
  for (const one of state.models) {
    for (const name of [one.name, ...one.members]) if (name !== model) choices.push(option(name, name));
    if (one.members.length && one.name === model) choices.push(option(`all members of ${one.name}`, `${one.name}/*`));
  }
  find("other").replaceChildren(...choices);
  find("other").value = choices.some((choice) => choice.value === chosen) ? chosen : "";
}

function fillGroups() {
  const groups = [...new Set(sideNames().flatMap((name) => modelOf(name).groups))];
  const off = new Set([...find("groups").querySelectorAll("input:not(:checked)")].map((box) => box.value));
  find("groups").replaceChildren(
    ...groups.map((group) => {
      const label = document.createElement("label");
      const box = document.createElement("input");
      Object.assign(box, { type: "checkbox", value: group, checked: !off.has(group), autocomplete: "off" });
      label.append(box, ` ${group}`);
      return label;
    }),
  );
  find("group-choice").hidden = groups.length === 0;
}

// Tagging -------------------------------------------------------------------------------------------------------------

function later(work) {
  let timer;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(work, DELAY);
  };
}

async function tag() {
  if (!state.models.length) return; // they are not loaded yet
  state.tagging?.abort();
  const control = (state.tagging = new AbortController());
  const names = sideNames();
  const sides = names.map((model) => ({ model, without: withoutGroups(model) }));
  const value = { text: find("text").value, threshold: Number(find("threshold").value) / 100, sides };
  try {
    const { views } = await view("tag", value, control.signal);
    if (control.signal.aborted) return;
    const focused = placeOf(document.activeElement);
    find("sides").replaceChildren(...views.map((one, number) => side(names[number], one, names.length > 1)));
    const versions = views.map((one) => one.version);
    state.shown = { text: value.text, sides: sides.map((one, number) => ({ ...one, version: versions[number] })) };
    if (focused) (buttonOf(focused) ?? find("sides").querySelector(".tp-w") ?? find("text")).focus();
    const [first] = views;
    const hidden = first.hidden ? `, ${first.hidden} hidden below ${find("least").textContent}` : "";
    say("status", `${counted(first.tokens, "token")}, ${counted(first.spans, "span")}${hidden}`);
    reselect();
  } catch (error) {
    fail("status", error);
  }
}

function side(name, { html }, isNamed) {
  const section = document.createElement("section");
  section.className = "side";
  section.dataset.model = name;
  section.setAttribute("aria-label", `Labels of ${name}`);
  const content = document.createElement("div");
  show(content, html);
  if (isNamed) {
    const heading = document.createElement("h2");
    heading.textContent = name;
    section.append(heading);
  }
  section.append(content);
  return section;
}

const tagSoon = later(tag);

// Explanation ---------------------------------------------------------------------------------------------------------

const numberOf = (button) => Number(button.closest(".sentence").dataset.first) + Number(button.dataset.token);

function placeOf(element) {
  const button = element?.closest("#sides .tp-w");
  return button && { model: button.closest(".side").dataset.model, token: numberOf(button) };
}

function buttonOf({ model, token }) {
  const section = [...find("sides").children].find((one) => one.dataset.model === model);
  return section && [...section.querySelectorAll(".tp-w")].find((button) => numberOf(button) === token);
}

function select(button) {
  state.selected = { ...placeOf(button), word: button.textContent, instead: null };
  explain().then(() => find("why").scrollIntoView({ block: "nearest" }));
}

// After the text was tagged again: explain the same token, if it is still there.
function reselect() {
  if (!state.selected) return;
  if (buttonOf(state.selected)?.textContent === state.selected.word) explain();
  else close();
}

function close() {
  state.selected = null;
  state.explained = "";
  state.explaining?.abort();
  find("why").hidden = true;
  mark();
}

function mark() {
  const pressed = state.selected && buttonOf(state.selected);
  for (const button of find("sides").querySelectorAll(".tp-w")) button.setAttribute("aria-pressed", button === pressed);
}

// Explain the selected token of the labels that are shown. An explanation that is on the page stays while it is true.
async function explain() {
  state.explaining?.abort();
  const control = (state.explaining = new AbortController());
  const { model, token, instead } = state.selected;
  const { without, version } = state.shown.sides.find((one) => one.model === model);
  const value = { text: state.shown.text, model, token, instead, without };
  const key = JSON.stringify([value, version]);
  mark();
  if (key === state.explained) return;
  try {
    const { html } = await view("explain", value, control.signal);
    if (control.signal.aborted) return;
    const why = find("why");
    const had = document.activeElement?.id;
    const isOpen = why.querySelector("details")?.open;
    show(why, html);
    why.hidden = false;
    state.explained = key;
    if (isOpen) why.querySelector("details")?.setAttribute("open", "");
    if (had === "instead") find("instead")?.focus(); // the list is new
  } catch (error) {
    if (error.name === "AbortError") return;
    // The label that was chosen may be the label of the token now, or of another model.
    if (instead !== null && error.status === 422) {
      state.selected.instead = null;
      explain();
      return;
    }
    find("why").hidden = true;
    state.explained = "";
    fail("status", error);
  }
}

function move(event) {
  const steps = { ArrowRight: 1, ArrowLeft: -1 };
  const button = event.target.closest?.(".tp-w");
  if (!button || !(event.key in steps)) return;
  const buttons = [...button.closest(".side").querySelectorAll(".tp-w")];
  const isRight = getComputedStyle(button.closest("p")).direction === "rtl";
  buttons[buttons.indexOf(button) + steps[event.key] * (isRight ? -1 : 1)]?.focus();
  event.preventDefault();
}

// Files ---------------------------------------------------------------------------------------------------------------

// Yield parts of a text that end with a line, or with a blank line, and the number of lines before each.
function* parts(text, bySentence) {
  const end = bySentence ? /\n[ \t\r]*\n/g : /\n/g;
  let begin = 0;
  let before = 0;
  while (begin < text.length) {
    end.lastIndex = begin + PART;
    const found = end.lastIndex < text.length && end.exec(text);
    const stop = found ? found.index + found[0].length : text.length;
    const part = text.slice(begin, stop);
    if (part.trim()) yield { part, before, share: stop / text.length };
    before += part.split("\n").length - 1;
    begin = stop;
  }
}

async function tagFile(file) {
  if (!state.models.length) return;
  state.file?.abort();
  const control = (state.file = new AbortController());
  if (state.url) URL.revokeObjectURL(state.url);
  find("download").hidden = true;
  try {
    say("file-status", `reading ${file.name}`);
    const text = decode(await file.arrayBuffer(), file.name);
    const suffix = file.name.slice(file.name.lastIndexOf(".")).toLowerCase();
    const query = new URLSearchParams({ model: find("model").value, name: file.name });
    for (const group of withoutGroups(find("model").value)) query.append("without", group);
    const results = [];
    let resultSuffix = ".txt";
    for (const { part, before, share } of parts(text, BY_SENTENCE.includes(suffix))) {
      query.set("before", before);
      const headers = { "Content-Type": "application/octet-stream" };
      const options = { method: "POST", headers, body: new Blob([part]), signal: control.signal };
      const response = await request(`view/file?${query}`, options);
      resultSuffix = response.headers.get("X-Result-Suffix");
      results.push(await response.blob());
      say("file-status", `${file.name}: ${Math.round(100 * share)}%`);
    }
    if (!results.length) throw new ServerError(422, `${file.name}: the file has no text`);
    state.url = URL.createObjectURL(new Blob(results));
    const name = `${file.name.replace(/\.\w+$/, "")}.tagged${resultSuffix}`;
    Object.assign(find("download"), { href: state.url, download: name, hidden: false, textContent: `Download ${name}` });
    say("file-status", `${file.name} is tagged`);
  } catch (error) {
    fail("file-status", error);
  }
}

function decode(bytes, name) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ServerError(422, `${name}: expected text in UTF-8; convert or unpack the file`);
  }
}

// Start ---------------------------------------------------------------------------------------------------------------

async function start() {
  try {
    state.models = (await (await request("v1/models")).json()).models;
  } catch (error) {
    fail("status", error);
    return;
  }
  find("login").hidden = true;
  say("status", "");
  fillModels();
  if (!find("text").value && state.models[0].columns.every((column) => column === "word")) find("text").value = EXAMPLE;
  tag();
}

find("login").addEventListener("submit", (event) => {
  event.preventDefault();
  state.token = find("token").value;
  start();
});
find("text").addEventListener("input", tagSoon);
find("threshold").addEventListener("input", () => {
  find("least").textContent = `${find("threshold").value}%`;
  tagSoon();
});
find("groups").addEventListener("change", tag);
find("model").addEventListener("change", () => {
  fillOthers();
  fillGroups();
  tag();
});
find("other").addEventListener("change", () => {
  fillGroups();
  tag();
});
find("sides").addEventListener("click", (event) => {
  const button = event.target.closest(".tp-w");
  if (button) select(button);
});
find("sides").addEventListener("keydown", move);
find("why").addEventListener("change", (event) => {
  if (event.target.id !== "instead") return;
  state.selected.instead = event.target.value;
  explain();
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !state.selected) return;
  const button = buttonOf(state.selected);
  close();
  button?.focus();
});
find("file").addEventListener("change", (event) => {
  const [file] = event.target.files;
  if (file) tagFile(file);
  event.target.value = ""; // the same file can be chosen again
});
const isFile = (event) => event.dataTransfer?.types.includes("Files");
document.addEventListener("dragover", (event) => {
  if (!isFile(event)) return;
  event.preventDefault();
  find("drop").classList.add("over");
});
for (const name of ["dragleave", "drop"]) document.addEventListener(name, () => find("drop").classList.remove("over"));
document.addEventListener("drop", (event) => {
  if (!isFile(event)) return;
  event.preventDefault();
  const [file] = event.dataTransfer.files;
  if (file) tagFile(file);
});
start();
