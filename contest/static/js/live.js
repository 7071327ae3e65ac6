// What a swap of a live fragment would lose: its tables' scroll position, and the announcement to screen readers.
(() => {
  const scrolled = new Map();
  let said = "";

  function announce() {
    const source = document.querySelector("[data-announce]");
    const place = document.getElementById("live-status");
    if (!source || !place || source.dataset.announce === said) return;
    if (said) place.textContent = source.dataset.announce;
    said = source.dataset.announce;
  }

  document.addEventListener("DOMContentLoaded", () => {
    announce();
    document.body.addEventListener("htmx:beforeSwap", () => {
      for (const area of document.querySelectorAll(".scroll[id]")) scrolled.set(area.id, area.scrollLeft);
    });
    document.body.addEventListener("htmx:afterSwap", () => {
      for (const [id, left] of scrolled) {
        const area = document.getElementById(id);
        if (area) area.scrollLeft = left;
      }
      announce();
    });
  });
})();
