// Differences of two texts, word by word.

const MOST_CELLS = 4e6;
const LEAST_COMMON = 0.15;

// [text, comparable] pieces: words where the browser can tell them, in scripts without spaces too.
function pieces(text, language) {
  if (typeof Intl !== "undefined" && Intl.Segmenter) {
    let segmenter;
    try { segmenter = new Intl.Segmenter(language || undefined, { granularity: "word" }); }
    catch { segmenter = new Intl.Segmenter(undefined, { granularity: "word" }); }
    return Array.from(segmenter.segment(text), (part) => [part.segment, part.isWordLike]);
  }
  return Array.from(text.matchAll(/[\p{L}\p{N}\p{M}_]+|[^\p{L}\p{N}\p{M}_]+/gu), (part) =>
    [part[0], /[\p{L}\p{N}]/u.test(part[0])]);
}

const folded = (word) => word.normalize("NFKC").toLowerCase();

// The longest common run of words; null where the texts are too long to compare at once.
function common(first, second) {
  const width = second.length + 1;
  if ((first.length + 1) * width > MOST_CELLS) return null;
  const table = new Uint16Array((first.length + 1) * width);
  for (let i = first.length - 1; i >= 0; i--) {
    for (let j = second.length - 1; j >= 0; j--) {
      table[i * width + j] = first[i] === second[j]
        ? table[(i + 1) * width + j + 1] + 1
        : Math.max(table[(i + 1) * width + j], table[i * width + j + 1]);
    }
  }
  const kept = [new Set(), new Set()];
  for (let i = 0, j = 0; i < first.length && j < second.length;) {
    if (first[i] === second[j]) { kept[0].add(i++); kept[1].add(j++); }
    else if (table[(i + 1) * width + j] >= table[i * width + j + 1]) i++;
    else j++;
  }
  return kept;
}

// {expected, given, note}: lists of [text, differs]; without marks where marks would say nothing.
function difference(expected, given, language) {
  const sides = [pieces(expected, language), pieces(given, language)];
  const words = sides.map((side) => side.filter((piece) => piece[1]).map((piece) => folded(piece[0])));
  const plain = (note) => ({ expected: [[expected, false]], given: [[given, false]], note });
  if (!words[0].length || !words[1].length) return plain("");
  const kept = common(words[0], words[1]);
  if (!kept) return plain("The texts are too long to mark their differences.");
  if (kept[0].size < LEAST_COMMON * Math.min(words[0].length, words[1].length)) {
    return plain("The texts share hardly a word; differences are not marked.");
  }
  const [left, right] = sides.map((side, index) => marked(side, kept[index]));
  const same = ![...left, ...right].some((piece) => piece[1]);
  return { expected: left, given: right, note: same ? "The two say the same, word for word." : "" };
}

// Neighbouring words of one kind together; what stands between two changed words belongs to them.
function marked(side, kept) {
  let word = 0;
  const flags = side.map((piece) => (piece[1] ? !kept.has(word++) : null));
  const found = [];
  side.forEach((piece, index) => {
    let differs = flags[index];
    if (differs === null) {
      const next = flags.slice(index + 1).find((flag) => flag !== null);
      differs = found.length > 0 && found[found.length - 1][1] && next === true;
    }
    if (found.length && found[found.length - 1][1] === differs) found[found.length - 1][0] += piece[0];
    else found.push([piece[0], differs]);
  });
  return found;
}
