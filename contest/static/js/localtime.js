// Adds the viewer's own time to every time on the page, and keeps countdowns running.
(() => {
  const language = document.documentElement.lang || undefined;
  const local = new Intl.DateTimeFormat(language, { dateStyle: "full", timeStyle: "long" });
  const relative = new Intl.RelativeTimeFormat(language, { numeric: "always" });
  const units = [
    ["day", 86400],
    ["hour", 3600],
    ["minute", 60],
    ["second", 1],
  ];

  function until(moment) {
    const seconds = Math.round((moment - Date.now()) / 1000);
    const size = Math.abs(seconds);
    // Two of a unit before it is used: "in 47 hours" says more than "in 1 day".
    const [unit, length] = units.find(([, each]) => size >= 2 * each) || units[3];
    return relative.format(Math.trunc(seconds / length), unit);
  }

  function label(root) {
    for (const time of root.querySelectorAll("time[datetime]")) {
      const moment = new Date(time.getAttribute("datetime"));
      if (!Number.isNaN(moment.valueOf())) time.title = local.format(moment);
    }
  }

  function count() {
    for (const place of document.querySelectorAll("[data-countdown]")) {
      const moment = new Date(place.dataset.countdown);
      if (!Number.isNaN(moment.valueOf())) place.textContent = until(moment);
    }
  }

  document.addEventListener("DOMContentLoaded", () => {
    label(document);
    count();
    setInterval(count, 1000);
    document.body.addEventListener("htmx:afterSettle", (event) => {
      label(event.target.parentNode || document);
      count();
    });
  });
})();
