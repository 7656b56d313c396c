// The list of answers: controls, pages of rows, movement by keyboard.

const PAGE = 50;

class List {
  constructor(data) {
    this.data = data;
    this.filters = new Filters(data);
    this.page = 0;
    this.found = [];
    this.searching = null;
    this.fillControls();
    this.listen();
  }

  fillControls() {
    for (const key of KEYS) {
      const select = $("filter-" + key);
      if (key === "status") continue;
      const all = key === "system" && this.data.anyClosed ? "all with retrieval" : "all";
      select.append(el("option", { value: "" }, all));
      const options = this.filters.options(key);
      for (const [value, count] of options) {
        const option = el("option", null, `${value} (${count})`);
        option.value = value;
        select.append(option);
      }
      select.closest(".field").hidden = options.length < (["flag", "criterion", "kind", "why"].includes(key) ? 1 : 2);
    }
  }

  listen() {
    for (const key of KEYS) {
      $("filter-" + key).addEventListener("change", (event) => { this.filters.values[key] = event.target.value; this.changed(); });
    }
    $("search").addEventListener("input", (event) => { this.filters.query = event.target.value; this.changed(); });
    $("controls").addEventListener("submit", (event) => event.preventDefault());
    $("clear").addEventListener("click", () => { this.filters.set({}); this.show(); this.changed(); });
    $("previous").addEventListener("click", () => this.turn(-1));
    $("next").addEventListener("click", () => this.turn(1));
    for (const button of document.querySelectorAll("[data-sort]")) {
      button.addEventListener("click", () => this.sortBy(button.dataset.sort));
    }
  }

  // Puts the filters into the controls. A value that does not occur here is added, so that it is seen.
  show() {
    for (const key of KEYS) {
      const select = $("filter-" + key);
      const value = this.filters.values[key];
      const match = [...select.options].find((option) => wellFormed(option.value) === wellFormed(value));
      if (!match) {
        const option = el("option", null, `${value} (0)`);
        option.value = value;
        select.append(option);
        select.value = value;
      } else select.value = match.value;
      if (value) select.closest(".field").hidden = false;
    }
    $("search").value = this.filters.query;
  }

  changed() {
    history.replaceState(null, "", this.filters.address());
    this.page = 0;
    this.draw();
    if (this.filters.query && !this.searching) {
      this.searching = this.filters.loadTexts(() => {}).then(() => { this.searched = true; if (this.filters.query) this.draw(); });
    }
  }

  sortBy(key) {
    const filters = this.filters;
    if (filters.sort === key && filters.down) { filters.sort = ""; filters.down = false; }
    else { filters.down = filters.sort === key; filters.sort = key; }
    for (const button of document.querySelectorAll("[data-sort]")) {
      const order = button.dataset.sort !== filters.sort ? "none" : filters.down ? "descending" : "ascending";
      button.closest("th").setAttribute("aria-sort", order);
    }
    this.page = 0;
    this.draw();
  }

  turn(by) {
    this.page += by;
    this.draw();
    const first = $("list").querySelector("a");
    if (first) first.focus();
  }

  draw() {
    this.found = this.filters.rows();
    const pages = Math.max(1, Math.ceil(this.found.length / PAGE));
    this.page = Math.min(Math.max(0, this.page), pages - 1);
    const rows = this.found.slice(this.page * PAGE, (this.page + 1) * PAGE);
    $("list").replaceChildren(...rows.map((row) => this.line(row)));
    const waiting = this.filters.query && !this.searched ? " Still reading the answers…" : "";
    $("count").textContent = this.found.length
      ? `${this.found.length.toLocaleString("en")} of ${this.data.size.toLocaleString("en")} rows match.${waiting}`
      : `No row matches; clear a filter or the search.${waiting}`;
    if (this.data.size < this.data.index.planned) {
      $("count").textContent += ` This page holds ${this.data.size.toLocaleString("en")} of the run's ${this.data.index.planned.toLocaleString("en")} rows.`;
    }
    $("page").textContent = `Page ${this.page + 1} of ${pages}`;
    $("previous").disabled = this.page === 0;
    $("next").disabled = this.page >= pages - 1;
    $("previous").closest("nav").hidden = pages < 2;
  }

  line(row) {
    const data = this.data;
    const mean = data.rows.mean[row];
    const tags = [data.document(row)[0], data.type(row), data.technique(row)].map((text) => bdi(text));
    const meta = el("small", { class: "meta" }, tags.flatMap((tag, i) => (i ? [" · ", tag] : [tag])),
      data.kind(row) ? [" · ", data.kind(row)] : null,
      data.flags(row).map((flag) => [" ", el("span", { class: "tag" }, flag)]),
      el("span", { class: "narrow" }, " · ", bdi(data.system(row))));
    return el("tr", { class: data.status(row)[0] },
      el("td", { class: "col-status" }, chip(data.status(row))),
      el("td", { class: "col-question" }, el("a", { href: data.link(row), "data-row": row }, inLanguage(data.question(row) || data.id(row), data.language(row))), meta),
      el("td", { class: "col-system" }, bdi(data.system(row))),
      el("td", { class: "col-mean" }, mean === null ? "n/a" : mean.toFixed(2)));
  }

  // Moves the focus by a row; turns the page at its ends.
  move(by) {
    const links = [...$("list").querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    const next = at < 0 ? (by > 0 ? 0 : links.length - 1) : at + by;
    if (links[next]) links[next].focus();
    else if (at >= 0 && (by > 0 ? !$("next").disabled : !$("previous").disabled)) {
      this.turn(by);
      const turned = $("list").querySelectorAll("a");
      if (by < 0 && turned.length) turned[turned.length - 1].focus();
    }
  }

  focus(row) {
    const link = $("list").querySelector(`a[data-row="${row}"]`) || $("list").querySelector("a") || $("search");
    link.focus();
  }
}

function chip(status) {
  return el("span", { class: "chip " + status[0] }, el("span", { "aria-hidden": "true" }, status[2] + " "), status[1]);
}
