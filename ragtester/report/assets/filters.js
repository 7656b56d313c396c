// Which rows the list holds: filters, full-text search, order.

const KEYS = ["status", "system", "type", "technique", "document", "language", "source", "flesch", "kind", "criterion",
  "decided", "flag", "why"];

class Filters {
  constructor(data) {
    this.data = data;
    this.values = Object.fromEntries(KEYS.map((key) => [key, ""]));
    this.query = "";
    this.sort = "";
    this.down = false;
    this.texts = new Map();
  }

  // Filters from an address; null where it holds none.
  static parse(parameters) {
    const found = Object.fromEntries(KEYS.map((key) => [key, parameters.get(key) || ""]));
    found.q = parameters.get("q") || "";
    return Object.values(found).some(Boolean) ? found : null;
  }

  set(found) {
    for (const key of KEYS) this.values[key] = found[key] || "";
    this.query = found.q || "";
  }

  address() {
    const pairs = KEYS.filter((key) => this.values[key]).map((key) => [key, this.values[key]]);
    if (this.query) pairs.push(["q", this.query]);
    return pairs.length ? address(pairs) : "#explorer";
  }

  // What a select offers: every value that occurs, with how many rows have it.
  options(key) {
    const counts = new Map();
    for (let row = 0; row < this.data.size; row++) {
      for (const value of this.of(row, key)) counts.set(value, (counts.get(value) || 0) + 1);
    }
    return [...counts].sort((one, two) => (one[0] < two[0] ? -1 : 1));
  }

  of(row, key) {
    const data = this.data;
    if (key === "document") return [data.document(row)[0]];
    if (key === "flag") return data.flags(row);
    if (key === "criterion") return data.index.criteria.filter((_, bit) => data.rows.low[row] & (1 << bit));
    if (key === "status") {
      const status = data.status(row)[0];
      return status === "ungraded" || status === "missing" ? [status, "left"] : [status];
    }
    if (key === "why") return [data.rows.why[row]].filter(Boolean);
    return [data[key](row)].filter(Boolean);
  }

  // Rows that match, in the chosen order.
  rows() {
    const data = this.data;
    const wanted = KEYS.filter((key) => this.values[key]);
    const words = folded(this.query).split(/\s+/).filter(Boolean);
    const found = [];
    for (let row = 0; row < data.size; row++) {
      if (!this.values.system && data.closed(row)) continue;
      if (!wanted.every((key) => this.of(row, key).some((value) => wellFormed(value) === wellFormed(this.values[key])))) continue;
      if (words.length && !words.every((word) => this.text(row).includes(word))) continue;
      found.push(row);
    }
    return this.sort ? this.sorted(found) : found;
  }

  sorted(found) {
    const data = this.data;
    const value = {
      status: (row) => data.rows.status[row],
      question: (row) => folded(data.question(row)),
      system: (row) => data.system(row),
      mean: (row) => data.rows.mean[row],
    }[this.sort];
    const keyed = found.map((row) => [value(row), row]);
    const sign = this.down ? -1 : 1;
    keyed.sort(([one, a], [two, b]) => {
      if (one === two) return a - b;
      if (one === null || two === null) return one === null ? 1 : -1; // what has no value stands last
      return one < two ? -sign : sign;
    });
    return keyed.map((pair) => pair[1]);
  }

  // Everything that can be searched of a row; answers are there once `loadTexts` has ended.
  text(row) {
    const data = this.data;
    if (!this.texts.has(row)) {
      this.texts.set(row, folded([data.question(row), data.id(row), data.document(row)[1], data.system(row)].join("\n")));
    }
    return this.texts.get(row);
  }

  // Reads expected and given answers of every row into the search, block by block; `tell` is called after each.
  async loadTexts(tell) {
    const data = this.data;
    for (let row = 0, last = -1; row < data.size; row++) {
      const detail = await data.detail(row);
      const expected = detail.case ? detail.case.expected : "";
      this.texts.set(row, this.text(row) + "\n" + folded(expected + "\n" + (detail.row.answer || "")));
      if (data.rows.block[row] !== last) { last = data.rows.block[row]; tell(); }
    }
  }
}
