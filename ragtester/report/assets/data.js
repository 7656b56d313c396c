// The data in the page: gzipped JSON in base64, unpacked when it is first needed.

const unpacked = new Map();

function unpack(id) {
  if (!unpacked.has(id)) unpacked.set(id, read(id));
  return unpacked.get(id);
}

async function read(id) {
  const bytes = Uint8Array.from(atob($(id).textContent), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

const STATUS = { p: ["pass", "passed", "✓"], f: ["fail", "failed", "✕"], u: ["ungraded", "not graded", "?"],
  m: ["missing", "missing", "∅"], "-": ["none", "not planned", "·"] };

// The index with short accessors; a row is a number.
class Data {
  constructor(index) {
    this.index = index;
    this.rows = index.rows;
    this.size = index.rows.case.length;
    this.anyClosed = index.systems.some((system) => system[2]);
    this.at = new Map();
    for (let row = 0; row < this.size; row++) this.at.set(this.rows.case[row] + " " + this.rows.system[row], row);
  }
  status(row) { return STATUS[this.rows.status[row]]; }
  case(row) { return this.index.cases[this.rows.case[row]]; }
  id(row) { return this.case(row)[0]; }
  document(row) { return this.index.documents[this.case(row)[1]]; }
  technique(row) { return this.index.techniques[this.case(row)[2]]; }
  type(row) { return this.index.types[this.case(row)[3]]; }
  language(row) { return this.index.languages[this.case(row)[4]]; }
  question(row) { return this.case(row)[6]; }
  source(row) { return this.index.sources[this.case(row)[8]]; }
  flesch(row) { return this.index.bands[this.case(row)[9]]; }
  decided(row) { return this.index.decideds[this.rows.decided[row]]; }
  kind(row) { return this.index.kinds[this.rows.kind[row]]; }
  flags(row) { return this.rows.flags[row].map((flag) => this.index.flags[flag]); }
  systemName(system) { return this.index.systems[system].slice(0, 2).join(" × "); }
  system(row) { return this.systemName(this.rows.system[row]); }
  closed(row) { return this.index.systems[this.rows.system[row]][2] === 1; }
  link(row) { return address([["case", this.id(row)], ["system", this.system(row)]]); }

  find(caseId, systemName) {
    for (let row = 0; row < this.size; row++) {
      if (wellFormed(this.id(row)) === caseId && (!systemName || wellFormed(this.system(row)) === systemName)) return row;
    }
    return -1;
  }

  // What a case opens to: its block's part, with the block's chunks.
  async detail(row) {
    const block = await unpack("block-" + this.rows.block[row]);
    return { row: block.rows[this.rows.place[row]], case: block.cases[this.rows.case[row]], chunks: block.chunks };
  }

  // A part of a document as code points, or null where the page does not hold all of it. Offsets count code points.
  async text(document, start, end) {
    const name = this.index.documents[document][0];
    let found = [];
    let at = start;
    for (const [block, from, to] of this.index.texts[document] || []) {
      if (to <= at || from >= end) continue;
      if (from > at) return null;
      const piece = (await unpack("text-" + block)).find((one) => one[0] === name && one[1] === from);
      found = found.concat(Array.from(piece[3]).slice(at - from, Math.min(end, to) - from));
      at = Math.min(end, to);
    }
    return at === end ? found : null;
  }
}
