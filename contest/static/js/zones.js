// Offers the zone of the reader's browser beside a choice of time zones.
"use strict";

for (const select of document.querySelectorAll("select[data-suggested-zone]")) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const offered = Array.from(select.options).some((option) => option.value === zone);
  if (offered && select.value !== zone) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button ghost";
    button.textContent = select.dataset.suggestedZone.replace("%s", zone);
    button.addEventListener("click", () => {
      select.value = zone;
      select.dispatchEvent(new Event("change", { bubbles: true }));
      select.focus();
      button.remove();
    });
    select.after(button);
  }
}
