// Elements from data: text goes in as text, never as markup.

const $ = (id) => document.getElementById(id);

// Controls, separators, directions, halves of surrogate pairs: written as their code point, so that nothing hides.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]/u;

function codePoint(character) {
  return "U+" + character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
}

// Appends text to a node; characters that cannot be seen become small labels.
function put(node, text) {
  let rest = String(text);
  for (let found = HIDDEN.exec(rest); found; found = HIDDEN.exec(rest)) {
    if (found.index) node.append(rest.slice(0, found.index));
    const label = document.createElement("span");
    label.className = "hidden-character";
    label.textContent = codePoint(found[0]);
    node.append(label);
    rest = rest.slice(found.index + found[0].length);
  }
  if (rest) node.append(rest);
  return node;
}

// el("a", {href: "#x", class: "y"}, "text", child, [more]); null children are left out.
function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  fill(node, children);
  return node;
}

function fill(node, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === "") continue;
    if (Array.isArray(child)) fill(node, child);
    else if (child instanceof Node) node.append(child);
    else put(node, child);
  }
}

// A name or text from the data, kept apart from the direction of what stands around it.
const bdi = (text) => el("bdi", null, text);
const inLanguage = (text, language) => el("bdi", { lang: language === "unknown" ? null : language }, text);
const spoken = (text) => el("span", { class: "sr" }, text);

// Text that may stand in an address: halves of surrogate pairs cannot.
const wellFormed = (text) => String(text).replace(/[\ud800-\udfff]/gu, "?");
const address = (pairs) =>
  "#" + pairs.map(([key, value]) => key + "=" + encodeURIComponent(wellFormed(value))).join("&");
