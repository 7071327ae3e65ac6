// An organiser leads a reveal with the arrow keys: they press the buttons that the page has anyway.
(() => {
  const typing = (target) => target instanceof Element && target.closest("input, textarea, select, .scroll");

  document.addEventListener("keydown", (event) => {
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    const button = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
    if (!button || button.disabled) return;
    event.preventDefault();
    button.click();
  });
})();
