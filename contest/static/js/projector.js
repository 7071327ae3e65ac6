// Counts down to the end of a phase, to the second: large, and without words.
(() => {
  const two = (number) => String(number).padStart(2, "0");

  function left(moment) {
    const seconds = Math.max(0, Math.floor((moment - Date.now()) / 1000));
    const hours = Math.floor(seconds / 3600);
    return `${hours}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  }

  function show() {
    for (const place of document.querySelectorAll("[data-clock]")) {
      const moment = new Date(place.dataset.clock);
      if (!Number.isNaN(moment.valueOf())) place.textContent = left(moment);
    }
  }

  document.addEventListener("DOMContentLoaded", () => {
    show();
    setInterval(show, 1000);
    document.body.addEventListener("htmx:afterSettle", show);
  });
})();
