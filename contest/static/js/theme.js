// Runs in the head, before the first paint, so that a chosen theme never flashes.
(() => {
  const order = ["auto", "light", "dark"];
  const root = document.documentElement;

  function stored() {
    try {
      const value = localStorage.getItem("theme");
      return order.includes(value) ? value : "auto";
    } catch {
      return "auto";
    }
  }

  function apply(theme) {
    if (theme === "auto") delete root.dataset.theme;
    else root.dataset.theme = theme;
  }

  let theme = stored();
  apply(theme);

  document.addEventListener("DOMContentLoaded", () => {
    const button = document.querySelector("[data-theme-button]");
    if (!button) return;
    const label = button.querySelector("[data-theme-label]");
    const show = () => {
      label.textContent = button.dataset[theme];
    };
    show();
    button.hidden = false;
    button.addEventListener("click", () => {
      theme = order[(order.indexOf(theme) + 1) % order.length];
      apply(theme);
      show();
      try {
        localStorage.setItem("theme", theme);
      } catch {
        // Without storage the choice lasts for this page.
      }
    });
  });
})();
