// A table that is wider than its place fades at the edge where it is cut; one that fits is no stop of the Tab key.

const edges = new ResizeObserver((entries) => entries.forEach((entry) => showEdge(entry.target)));

function showEdge(region) {
  const hidden = region.scrollWidth - region.clientWidth;
  region.classList.toggle("cut", hidden > 1 && region.scrollLeft < hidden - 1);
  if (hidden > 1) region.setAttribute("tabindex", "0");
  else region.removeAttribute("tabindex");
}

function watchEdge(region) {
  region.addEventListener("scroll", () => showEdge(region), { passive: true });
  edges.observe(region);
}
