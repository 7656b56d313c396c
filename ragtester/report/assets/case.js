// The dialog that a case opens in: opening, closing, the next one, its address.

class CaseView {
  constructor(data, list) {
    this.data = data;
    this.list = list;
    this.row = -1;
    this.dialog = $("case");
    this.dialog.addEventListener("close", () => this.closed());
    this.dialog.addEventListener("click", (event) => { if (event.target === this.dialog) this.dialog.close(); });
    $("case-close").addEventListener("click", () => this.dialog.close());
    $("case-previous").addEventListener("click", () => this.step(-1));
    $("case-next").addEventListener("click", () => this.step(1));
    $("case-copy").addEventListener("click", () => this.copy());
  }

  get open() { return this.dialog.open; }

  async show(row) {
    this.row = row;
    const detail = await this.data.detail(row);
    const parts = await caseParts({ data: this.data, row, detail });
    if (this.row !== row) return; // another one was opened meanwhile
    $("case-body").replaceChildren(...parts.flat(2).filter(Boolean));
    $("case-body").querySelectorAll(".scroll").forEach(watchEdge);
    $("case-told").textContent = "";
    const at = this.list.found.indexOf(row);
    $("case-previous").disabled = at < 1;
    $("case-next").disabled = at < 0 || at >= this.list.found.length - 1;
    document.body.classList.add("case-open");
    if (!this.dialog.open) this.dialog.showModal();
    this.dialog.scrollTop = 0;
    $("case-title").focus({ preventScroll: true }); // a long question is read from its beginning
  }

  step(by) {
    const at = this.list.found.indexOf(this.row);
    const next = at < 0 ? undefined : this.list.found[at + by];
    if (next !== undefined) location.replace(this.data.link(next));
  }

  close() { if (this.dialog.open) this.dialog.close(); }

  closed() {
    document.body.classList.remove("case-open");
    if (new URLSearchParams(location.hash.slice(1)).has("case")) history.replaceState(null, "", this.list.filters.address());
    const row = this.row;
    this.row = -1;
    const at = this.list.found.indexOf(row);
    if (at >= 0 && Math.floor(at / PAGE) !== this.list.page) { this.list.page = Math.floor(at / PAGE); this.list.draw(); }
    this.list.focus(row);
  }

  async copy() {
    try {
      await navigator.clipboard.writeText(location.href);
      $("case-told").textContent = "Link copied.";
    } catch {
      $("case-told").textContent = "The link stands in the address bar.";
    }
  }
}
