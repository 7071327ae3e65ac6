// On a narrow screen tabs are one line that scrolls: begin where the page's own tab is visible.
(() => {
  const here = document.querySelector(".tabs [aria-current]");
  const line = here?.parentElement;
  if (line && line.scrollWidth > line.clientWidth) {
    line.scrollLeft = here.offsetLeft - line.offsetLeft - (line.clientWidth - here.offsetWidth) / 2;
  }
})();
