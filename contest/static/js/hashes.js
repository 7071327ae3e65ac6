// Hashes the revealed text in the visitor's own browser, so that nobody has to trust the server.
"use strict";

async function sha256(text) {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

if (window.crypto && crypto.subtle) {
  for (const button of document.querySelectorAll("[data-hash-here]")) {
    const card = button.closest(".commitment");
    button.hidden = false;
    button.addEventListener("click", async () => {
      const found = await sha256(card.querySelector("[data-payload]").textContent);
      const same = found === card.querySelector("[data-published]").textContent.trim();
      const result = card.querySelector("[data-hash-result]");
      result.textContent = same ? button.dataset.same : `${button.dataset.other} ${found}`;
      result.className = same ? "badge good" : "badge bad";
    });
  }
}
