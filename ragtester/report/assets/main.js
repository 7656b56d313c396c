// Start, addresses, keys.

function trouble(message) {
  $("trouble").hidden = false;
  $("trouble").textContent = message;
}

// "#case=…&system=…" opens a case; "#status=fail&…" sets filters; anything else is an anchor of the page.
function follow(list, view) {
  const parameters = new URLSearchParams(location.hash.slice(1).replaceAll("+", "%2B"));
  if (parameters.has("case")) {
    const row = list.data.find(parameters.get("case"), parameters.get("system") || "");
    if (row >= 0) return view.show(row);
    return trouble(`This page does not hold the case ${parameters.get("case")} of that system.`);
  }
  $("trouble").hidden = true;
  view.close();
  const filters = Filters.parse(parameters);
  if (!filters) return null;
  list.filters.set(filters);
  list.show();
  list.changed();
  $("explorer").scrollIntoView();
  return list.focus(-1);
}

function keys(list, view) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.closest("input, select, textarea");
    const letters = $("shortcuts").checked || event.key.length > 1;
    const by = letters && { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
    if (view.open) {
      if (letters && (event.key === "j" || event.key === "k")) view.step(by);
    } else if (event.key === "/" && letters && !typing) {
      event.preventDefault();
      $("search").focus();
    } else if (by && !typing && (event.key.length === 1 || event.target.closest("#list"))) {
      event.preventDefault();
      list.move(by);
    }
  });
}

async function start() {
  document.querySelectorAll(".scroll").forEach(watchEdge);
  if (typeof DecompressionStream === "undefined") {
    return trouble("This browser cannot unpack the answers (it has no DecompressionStream). All figures above are complete; open the page in a browser of 2023 or later to explore single answers.");
  }
  const data = new Data(await unpack("index"));
  $("tool").hidden = false;
  if (!data.size) {
    $("tool").hidden = true;
    return trouble("There are no answers to explore.");
  }
  const list = new List(data);
  const view = new CaseView(data, list);
  const failed = list.filters.options("status").some(([status]) => status === "fail");
  list.filters.set(failed ? { status: "fail" } : {});
  list.show();
  list.draw();
  keys(list, view);
  window.addEventListener("hashchange", () => follow(list, view));
  await follow(list, view);
  document.documentElement.dataset.ready = "yes";
  return null;
}

start().catch((error) => {
  trouble("The answers could not be shown: " + error.message);
  throw error;
});
