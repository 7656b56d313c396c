// What a case opens to, built from the data of its row.

const MANY_SYSTEMS = 8;
const CALL = ["Model", "Served as", "Prompt tokens", "Completion tokens", "Cost, US$", "Seconds", "Finish reason", "Attempts",
  "Parameters left out"];

// All parts of an opened case, as nodes. `open` is {data, row, detail}.
async function caseParts(open) {
  const { data, row, detail } = open;
  const missing = data.rows.status[row] === "m" && !detail.row.outcome;
  return [
    el("h2", { id: "case-title", tabindex: "-1" }, inLanguage(data.question(row) || data.id(row), data.language(row))),
    brief(open),
    kindTold(open),
    systems(open),
    missing ? el("p", { class: "trouble" }, "This row is planned and not on disk: " + data.rows.why[row] + ".") : answers(open),
    ratings(open),
    await passages(open, detail.case && detail.case.origin ? "Passage of another document that the question comes from" : "Evidence",
      evidencePlaces(open), detail.case ? "The case has no evidence: its question must be refused." : "The suite no longer holds this case."),
    await retrieved(open),
    el("section", null, el("h3", null, "Details"), facts(open)),
    numbers(open),
  ];
}

// Page or pages, in words.
const pageWords = (pages) => (pages.length ? `, page${pages.length > 1 ? "s" : ""} ${pages.join(", ")}` : "");

// What the row is, in a line.
function brief({ data, row, detail }) {
  const why = data.rows.why[row];
  const failure = detail.row.failure || detail.row.judgeFailure;
  return el("p", { class: "brief" }, chip(data.status(row)), " ", bdi(data.system(row)), data.closed(row) ? " (closed book)" : "",
    " · ", source({ data, row, detail }), " · ", data.type(row),
    data.kind(row) ? [" · kind of failure: ", data.kind(row)] : null,
    data.flags(row).map((flag) => [" ", el("span", { class: "tag" }, flag)]),
    failure ? [" · ", bdi(failure.filter(Boolean).join(": "))] : why ? " · " + why : "");
}

// By which rule the kind of failure was given.
function kindTold({ data, row, detail }) {
  return detail.row.rule ? el("p", { class: "small" }, el("b", null, "Why ", data.kind(row)), ": ", detail.row.rule) : null;
}

function source({ data, row, detail }) {
  const pages = detail.case ? [...new Set(detail.case.evidence.flatMap((span) => span[2]))] : [];
  return [bdi(data.document(row)[1] || data.document(row)[0]), pageWords(pages)];
}

function facts({ data, row, detail }) {
  const known = detail.case;
  const items = [
    ["Mean rating", data.rows.mean[row] === null ? "n/a" : data.rows.mean[row].toFixed(2)],
    ["Decided by", data.decided(row) || "n/a"],
    ["Outcome", detail.row.outcome || "n/a"],
    ["Case", bdi(data.id(row))],
    ["Technique", bdi(data.technique(row))],
    ["Language", bdi(data.language(row))],
    ["Flesch", data.case(row)[5] === null ? "n/a" : String(data.case(row)[5])],
    ["Keywords", known && known.keywords.length && !hiddenEvidence(data, row) ? known.keywords.map((word, i) => [i ? ", " : "", bdi(word)]) : noKeywords(data, row)],
    ["Overlap of question and evidence", known && known.overlap !== null ? known.overlap.toFixed(2) : "n/a"],
  ];
  return el("dl", { class: "facts" }, items.map(([term, ...value]) => el("div", null, el("dt", null, term), el("dd", null, value))));
}

// The other systems' answers to the same case, one click away where the page holds them.
function systems({ data, row }) {
  const letters = data.case(row)[7];
  const items = data.index.systems.map((_, system) => {
    const status = STATUS[letters[system]] || STATUS["-"];
    const other = data.at.get(data.rows.case[row] + " " + system);
    const label = [chip(status), " ", bdi(data.systemName(system))];
    if (other === undefined) return el("li", null, label, status[0] === "none" ? "" : el("small", null, " (not in this page)"));
    return el("li", null, el("a", { href: data.link(other), "aria-current": other === row ? "true" : null }, label));
  });
  if (items.length < 2) return null;
  const list = el("ul", { class: "systems" }, items);
  const count = (letter) => [...letters].filter((one) => one === letter).length;
  const told = `The same case with ${items.length} systems: ${count("p")} passed, ${count("f")} failed`;
  return el("nav", { "aria-label": "The same case, by system" },
    items.length > MANY_SYSTEMS ? el("details", null, el("summary", null, told), list) : list);
}

function answers({ data, row, detail }) {
  const hidden = hiddenEvidence(data, row);
  const expected = detail.case && !hidden ? detail.case.expected : "";
  const given = detail.row.answer || "";
  const found = difference(expected, given, data.language(row));
  const lang = data.language(row) === "unknown" ? null : data.language(row);
  const side = (title, parts, tag, empty) => el("section", { class: "answer" }, el("h3", null, title),
    el("div", { class: "text", dir: "auto", lang },
      parts[0][0] ? parts.map(([text, differs]) => (differs ? el(tag, null, text) : el("span", null, text))) : el("em", null, empty)));
  const nothing = hidden ? "a refusal: the user may see none of the evidence" : detail.case ? "nothing: the question must be refused" : "the suite no longer holds this case";
  const refusal = mustRefuse(data, row) ? "An answer that refuses is the right one here. " : "";
  const legend = [...found.expected, ...found.given].some((piece) => piece[1])
    ? el("span", null, el("del", null, "only expected"), " ", el("ins", null, "only given"), " ") : null;
  return el("div", null,
    el("div", { class: "sides" }, side("Expected", found.expected, "del", nothing), side("Given", found.given, "ins", "no answer")),
    el("p", { class: "small" }, legend, refusal, found.note));
}

const hiddenEvidence = (data, row) => data.flags(row).includes("hidden_evidence");
const mustRefuse = (data, row) => data.type(row).startsWith("rejection") || hiddenEvidence(data, row);
const noKeywords = (data, row) => (mustRefuse(data, row) ? "none: the question must be refused" : "none");

function ratings(open) {
  const { data, row, detail } = open;
  const given = detail.row.ratings;
  const others = Object.entries(detail.row.other || {}).map(([name, reason]) => el("p", { class: "small" }, name + ": ", bdi(reason)));
  if (!given) return [el("p", { class: "small" }, "No ratings: the answer has no verdict with grades."), others];
  const ruled = data.decided(row) === "refusal" && !(detail.row.reasons || []).some(Boolean);
  // Roles are written out, for on a phone the rows are laid out as blocks.
  const rows = data.index.criteria.map((criterion, i) => el("tr", { role: "row" },
    el("th", { scope: "row", role: "rowheader" }, criterion.replace("_", " ")),
    el("td", { role: "cell" }, el("span", { class: "rating " + given[i] }, given[i])),
    ruled ? null : el("td", { class: "reason", role: "cell", dir: "auto" }, reason(criterion, i, open))));
  const heads = ["Criterion", "Rating", ruled ? null : "Reason"].filter(Boolean)
    .map((text) => el("th", { scope: "col", role: "columnheader" }, text));
  const caption = ruled ? "Set by rule" : ["Judged by ", bdi(detail.row.judge || "unknown")];
  return el("section", null, el("h3", null, "Ratings"), ruled ? refusalTold(data, row) : others,
    el("table", { class: ruled ? "ratings ruled" : "ratings", role: "table" }, el("caption", null, caption),
      el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, heads)), el("tbody", { role: "rowgroup" }, rows)));
}

// How the verdict on a pure abstention comes about.
function refusalTold(data, row) {
  return el("p", null, "Decided by rule; the judge was not asked. The answer is a pure abstention: it only says that it cannot answer. ",
    mustRefuse(data, row)
      ? "The question must be refused: a pass, with every criterion true."
      : "The question can be answered: a fail. It asserts nothing and is clear, so faithfulness and clarity are true; it gives nothing of what was asked, so the others are false.");
}

function reason(criterion, i, { data, row, detail }) {
  const given = (detail.row.reasons || [])[i];
  if (given || criterion !== "keyword_match") return given || "";
  if (mustRefuse(data, row)) return "not computed: the question must be refused, so it follows the refusal";
  if (detail.case && !detail.case.keywords.length) return "not computed: the case has no keywords, so it follows completeness";
  return detail.row.lacking ? ["computed; not found: ", detail.row.lacking.map((word, at) => [at ? ", " : "", bdi(word)])] : "computed; all found";
}

// [document, start, end, pages] of the case's evidence, and of the other document's passage it was made from.
function evidencePlaces({ data, row, detail }) {
  if (!detail.case) return [];
  const places = detail.case.evidence.map(([start, end, pages]) => [data.case(row)[1], start, end, pages]);
  const origin = detail.case.origin;
  const at = origin ? data.index.documents.findIndex((document) => document[0] === origin[0]) : -1;
  if (at >= 0) places.push([at, origin[1], origin[2], []]);
  return places;
}

async function passages({ data }, title, places, none) {
  const items = [];
  for (const [document, start, end, pages] of places) {
    items.push(el("li", null, where(data, document, start, end, pages), await passage(data, document, start, end, [])));
  }
  return el("section", null, el("h3", null, title), items.length ? el("ul", { class: "passages" }, items) : el("p", { class: "small" }, none));
}

function where(data, document, start, end, pages) {
  return el("p", { class: "where" }, bdi(data.index.documents[document][0]), `${pageWords(pages)}, characters ${start} to ${end}`);
}

// A passage with the parts that lie in `marks` highlighted.
async function passage(data, document, start, end, marks) {
  const text = await data.text(document, start, end);
  if (!text) return el("p", { class: "small" }, "Its text is not in this page; above the list stands why.");
  const box = el("div", { class: "text", dir: "auto" });
  let at = start;
  for (const [from, to] of marks.map(([a, b]) => [Math.max(a, start), Math.min(b, end)]).filter(([a, b]) => a < b).sort((a, b) => a[0] - b[0])) {
    if (to <= at) continue;
    put(box, text.slice(at - start, Math.max(from, at) - start).join(""));
    box.append(el("mark", null, text.slice(Math.max(from, at) - start, to - start).join("")));
    at = to;
  }
  put(box, text.slice(at - start).join(""));
  return box;
}

// The retrieved chunks in their order, with rank, score, and whether they are gold, in the context, cited.
async function retrieved(open) {
  const { data, row, detail } = open;
  const seen = detail.row;
  const hits = (seen.hits || []).map(([chunk, rank, score, arm]) => ({ chunk, rank, score, arm }));
  for (const chunk of [...(seen.gold || []), ...(seen.context || [])]) {
    if (!hits.some((hit) => hit.chunk === chunk)) hits.push({ chunk, rank: null });
  }
  if (!hits.length) return el("section", null, el("h3", null, "Retrieved chunks"), el("p", { class: "small" }, "Nothing was retrieved."));
  const gold = new Set(seen.gold);
  const missed = [...gold].filter((chunk) => !(seen.context || []).includes(chunk)).length;
  const told = gold.size
    ? `${gold.size - missed} of ${gold.size} chunks that hold evidence reached the model.`
    : "No chunk holds evidence: there is none.";
  const items = [];
  for (const hit of hits) items.push(await chunkItem(open, hit));
  const notes = (seen.notes || []).map((note) => el("li", null, note));
  return el("section", null, el("h3", null, "Retrieved chunks"),
    el("p", { class: "small" }, told, seen.size ? ` The context has ${seen.size.toLocaleString("en")} characters; ${seen.k} chunks were asked for.` : "",
      seen.unknown ? [" Cited but never given: ", seen.unknown.join(", ")] : null),
    notes.length ? el("ul", { class: "notes" }, notes) : null,
    el("ol", { class: "chunks" }, items));
}

async function chunkItem({ data, row, detail }, hit) {
  const [id, document, start, end, pages] = detail.chunks[hit.chunk];
  const seen = detail.row;
  const holds = (list) => (list || []).includes(hit.chunk);
  const tags = [
    hit.rank === null ? "not retrieved" : `rank ${hit.rank}`,
    hit.rank === null ? null : `score ${Number(hit.score.toPrecision(4))}`,
    hit.rank === null || hit.arm === "dense" ? null : hit.arm,
    holds(seen.gold) ? "holds evidence" : null,
    holds(seen.context) ? `given as ${seen.context.indexOf(hit.chunk) + 1}` : "not given",
    holds(seen.cited) ? "cited" : null,
  ].filter(Boolean);
  const head = el("summary", null, tags.map((tag) => [el("span", { class: "tag" + (tag === "holds evidence" ? " gold" : "") }, tag), " "]),
    el("small", null, bdi(id), pageWords(pages || [])));
  const marks = detail.case && document === data.case(row)[1] ? detail.case.evidence : [];
  const body = document === undefined
    ? el("p", { class: "small" }, "This chunk is not in the run's files.")
    : await passage(data, document, start, end, marks);
  return el("li", null, el("details", { open: holds(seen.gold) || hit.rank === 1 }, head, body));
}

function numbers({ detail }) {
  const calls = [["Answer", detail.row.call], ["Judgement", detail.row.judgeCall]].filter((item) => item[1]);
  if (!calls.length) return null;
  const value = (one) => (one === null || (Array.isArray(one) && !one.length) ? "n/a" : Array.isArray(one) ? one.join(", ") : String(one));
  const rows = CALL.map((name, i) => el("tr", null, el("th", { scope: "row" }, name), calls.map((call) => el("td", null, bdi(value(call[1][i]))))));
  const heads = ["", ...calls.map((call) => call[0])].map((text) => el("th", { scope: "col" }, text || spoken("What")));
  const made = detail.case ? el("p", { class: "small" }, "Case made by ", bdi(detail.case.model), ` in ${detail.case.attempts} attempt(s)`,
    detail.case.style ? `, style ${detail.case.style}` : "", ".") : null;
  return el("section", null, el("h3", null, "Tokens, cost, time"),
    el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Tokens, cost, time" },
      el("table", { class: "calls" }, el("caption", null, spoken("Calls to models")), el("thead", null, el("tr", null, heads)), el("tbody", null, rows))), made);
}
