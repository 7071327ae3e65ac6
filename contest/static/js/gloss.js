// What hover and focus show of a term goes away by Escape, until the next visit.
document.addEventListener("keydown", ({ key }) => {
  if (key !== "Escape") return;
  for (const { classList } of document.querySelectorAll(".gloss:hover, .gloss:focus-within")) {
    classList.add("quiet");
    const speak = () => classList.remove("quiet");
    for (const next of ["pointerover", "focusin"]) document.addEventListener(next, speak, { once: true });
  }
});
