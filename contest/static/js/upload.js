// Drag and drop, a progress bar, and a look at the choice before it is sent. The form works without any of it.
(() => {
  const suffix = /\.(csv|txt|zip)$/i;

  // A file of the very name comes first, then one that is called like its field (truth.csv). A lone file of the
  // format takes any table; of several, the first letter of the name says which.
  function inputOf(name, inputs) {
    const same = inputs.find((input) => input.dataset.file === name);
    if (same) return same;
    if (/\.zip$/i.test(name)) return inputs.find((input) => input.name === "archive");
    if (!suffix.test(name)) return undefined;
    const tables = inputs.filter((input) => input.dataset.file);
    const stem = name.replace(suffix, "").toLowerCase();
    const named = tables.find((input) => input.name === stem);
    if (named) return named;
    const begins = (input) => input.dataset.file[0].toLowerCase() === name[0].toLowerCase();
    return tables.length === 1 ? tables[0] : tables.find(begins);
  }

  function put(input, file) {
    const transfer = new DataTransfer();
    transfer.items.add(file);
    input.files = transfer.files;
  }

  function readable(bytes) {
    return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
  }

  function start(form) {
    const zone = form.querySelector("[data-drop]");
    const status = form.querySelector("[data-upload-status]");
    const bar = form.querySelector("[data-upload-progress]");
    const buttons = [...form.querySelectorAll("[type=submit]")];
    const inputs = [...form.querySelectorAll("input[type=file]")];
    const text = form.dataset;

    const say = (words, bad = false) => {
      status.textContent = words;
      status.classList.toggle("errorlist", bad);
    };

    function chosen() {
      const files = inputs.filter((input) => input.files.length).map((input) => input.files[0]);
      return files.map((file) => `${file.name} (${readable(file.size)})`).join(", ");
    }

    // The server takes one way or the other: a new choice clears the other one.
    function keepOneWay(input) {
      for (const other of inputs) {
        if ((other.name === "archive") !== (input.name === "archive")) other.value = "";
      }
    }

    function missing() {
      const archive = inputs.some((input) => input.name === "archive" && input.files.length);
      const needed = inputs.filter((input) => input.dataset.file && !input.dataset.optional);
      return !archive && !needed.every((input) => input.files.length);
    }

    function drop(files) {
      const unknown = [];
      const taken = new Set();
      for (const file of files) {
        const input = inputOf(file.name, inputs);
        // Two files for one field: the second is asked about, it replaces nothing.
        if (input && !taken.has(input)) {
          taken.add(input);
          put(input, file);
          keepOneWay(input);
        } else {
          unknown.push(file.name);
        }
      }
      if (unknown.length) say(`${text.unknown} ${unknown.join(", ")}`, true);
      else say(chosen());
    }

    function send(submitter) {
      const request = new XMLHttpRequest();
      request.open("POST", form.action);
      request.upload.addEventListener("progress", (event) => {
        bar.value = event.lengthComputable ? (100 * event.loaded) / event.total : 0;
        say(`${text.sending} ${Math.floor(bar.value)} %`);
      });
      request.addEventListener("load", () => {
        const page = new DOMParser().parseFromString(request.responseText, "text/html");
        const fresh = page.querySelector("form[data-upload]");
        if (fresh && request.responseURL.split("?")[0] === form.action.split("?")[0]) {
          // The same form came back: it holds the errors or the verdict, and keeps what was chosen.
          const kept = inputs.filter((input) => input.files.length).map((input) => [input.name, input.files]);
          document.querySelector("main").replaceWith(page.querySelector("main"));
          const again = document.querySelector("form[data-upload]");
          for (const [name, files] of kept) again.elements[name].files = files;
          start(again);
          // The outcome is read first. Only its heading: the middle of a long list says nothing.
          const told = document.querySelector("main [autofocus], main .errorlist");
          told?.scrollIntoView({ block: "center" });
          told?.focus({ preventScroll: true });
        } else if (request.status < 400) {
          location.assign(request.responseURL);
        } else {
          stop(page.querySelector("h1")?.textContent || text.failed);
        }
      });
      request.addEventListener("error", () => stop(text.failed));
      const data = new FormData(form);
      if (submitter?.name) data.append(submitter.name, submitter.value);
      request.send(data);
      bar.hidden = false;
      for (const button of buttons) button.disabled = true;
    }

    function stop(words) {
      say(words, true);
      bar.hidden = true;
      for (const button of buttons) button.disabled = false;
    }

    zone.hidden = false;
    for (const type of ["dragenter", "dragover"]) {
      zone.addEventListener(type, (event) => {
        event.preventDefault();
        zone.classList.add("over");
      });
    }
    for (const type of ["dragleave", "drop"]) {
      zone.addEventListener(type, () => zone.classList.remove("over"));
    }
    zone.addEventListener("drop", (event) => {
      event.preventDefault();
      drop(event.dataTransfer.files);
    });
    form.addEventListener("change", (event) => {
      if (inputs.includes(event.target) && event.target.files.length) keepOneWay(event.target);
      say(chosen());
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (missing()) say(text.missing, true);
      else send(event.submitter);
    });
  }

  document.addEventListener("DOMContentLoaded", () => {
    const form = document.querySelector("form[data-upload]");
    if (form) start(form);
  });
})();
