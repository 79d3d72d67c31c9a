"use strict";

// The page asks /api/search a moment after the last key, drops answers that are out of date, and puts every text of an answer into
// the document as text, never as HTML.

const input = document.getElementById("query");
const results = document.getElementById("results");
const statusLine = document.getElementById("status");
const intro = document.getElementById("intro");
const pause = 150; // milliseconds without a key before a query is sent
const opening = ["why is the sky blue?", "how does a prism separate colours?", "what makes bodies hot?", "is light made of particles?"];

let timer = 0;
let running = null; // the AbortController of the query that is being answered
let shown = ""; // the query whose results are shown

function say(text, isError) {
  statusLine.textContent = text || "\u00a0";
  statusLine.classList.toggle("error", Boolean(isError));
}

function element(name, properties, ...children) {
  const e = Object.assign(document.createElement(name), properties);
  e.append(...children);
  return e;
}

// stems gives the beginnings of the words of a query, without short ones that are everywhere.
function stems(query) {
  const common = new Set("the a an is are was were be do does did of to in on for with and or not it its what why how when where who which that this can has have from by as at".split(" "));
  const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) || [];
  return words.filter((w) => !common.has(w)).map((w) => (w.length > 5 ? w.slice(0, w.length - 2) : w));
}

// highlighted gives a text as nodes, in which words that begin as one of the query are marked.
function highlighted(text, begin) {
  const nodes = [];
  let last = 0;
  for (const m of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    const word = m[0].toLowerCase();
    if (!begin.some((b) => word === b || (b.length > 2 && word.startsWith(b) && word.length <= b.length + 4))) continue;
    nodes.push(text.slice(last, m.index), element("mark", { textContent: m[0] }));
    last = m.index + m[0].length;
  }
  nodes.push(text.slice(last));
  return nodes;
}

function card(result, begin) {
  const bar = element("i");
  bar.style.width = Math.round(Math.max(0, Math.min(1, result.score)) * 100) + "%";
  const score = element("div", { className: "score", title: "cosine of the angle between the embeddings" }, element("span", { ariaHidden: "true" }, bar), result.score.toFixed(2));
  const place = result.path + ", line " + result.line;
  const article = element("article", { tabIndex: 0, ariaExpanded: "false" },
    element("h2", {}, ...highlighted(result.heading || result.path, begin)), element("p", { className: "place", textContent: place }), score,
    element("p", { className: "text" }, ...highlighted(result.text, begin)));
  article.setAttribute("role", "button");
  article.addEventListener("click", () => {
    if (!String(getSelection())) toggle(article);
  });
  return element("li", {}, article);
}

function toggle(article) {
  article.ariaExpanded = article.ariaExpanded === "true" ? "false" : "true";
}

function clear() {
  results.replaceChildren();
  intro.hidden = false;
  shown = "";
  say("");
}

async function search(query) {
  if (running) running.abort();
  running = null;
  history.replaceState(null, "", query ? "?q=" + encodeURIComponent(query) : location.pathname);
  if (!query) return clear();
  if (query === shown) return;
  const mine = (running = new AbortController());
  const slow = setTimeout(() => say("Searching…"), 300);
  try {
    const response = await fetch("api/search?q=" + encodeURIComponent(query), { signal: mine.signal });
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.error.message);
    const begin = stems(query);
    results.replaceChildren(...answer.results.map((r) => card(r, begin)));
    intro.hidden = true;
    shown = query;
    say(answer.results.length + " of " + answer.passages.toLocaleString("en") + " passages, in " + answer.took_ms.toFixed(0) + " ms");
  } catch (err) {
    if (err.name !== "AbortError") say(err instanceof TypeError ? "The server cannot be reached." : "That failed: " + err.message, true);
  } finally {
    clearTimeout(slow);
    if (running === mine) running = null;
  }
}

function later() {
  clearTimeout(timer);
  timer = setTimeout(() => search(input.value.trim()), pause);
}

function now(query) {
  clearTimeout(timer);
  input.value = query;
  search(query.trim());
}

// move gives the focus to the next result, or the one before, or back to the query.
function move(step) {
  const all = [...results.querySelectorAll("article")];
  const at = all.indexOf(document.activeElement) + step;
  if (at < 0) input.focus();
  else if (at < all.length) all[at].focus();
}

document.addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing) return;
  const onResult = document.activeElement.tagName === "ARTICLE";
  if (e.key === "/" && document.activeElement !== input) {
    input.focus();
    input.select();
  } else if (e.key === "ArrowDown") move(1);
  else if (e.key === "ArrowUp" && onResult) move(-1);
  else if ((e.key === "Enter" || e.key === " ") && onResult) toggle(document.activeElement);
  else if (e.key === "Escape") {
    now("");
    input.focus();
  } else return;
  e.preventDefault();
});

input.addEventListener("input", later);
document.getElementById("form").addEventListener("submit", (e) => {
  e.preventDefault();
  now(input.value);
});

async function start() {
  const query = new URLSearchParams(location.search).get("q");
  if (query) now(query);
  try {
    const s = await (await fetch("api/status")).json();
    document.getElementById("about").textContent = s.passages.toLocaleString("en") + " passages of " + s.files.toLocaleString("en") + " files: " + s.folder;
    if (s.folder.includes("Opticks"))
      document.getElementById("examples").replaceChildren(...opening.map((q) => element("li", {}, element("button", { type: "button", textContent: q, onclick: () => now(q) }))));
  } catch {
    say("The server cannot be reached.", true);
  }
}

start();
