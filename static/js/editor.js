// The text of a component while it is edited: line numbers, Tab (Esc, then Tab leaves), jumps to a line, and no text
// lost by going elsewhere. Without this file it is a plain form.
(() => {
  const draft = document.querySelector("[data-draft]");
  let isDirty = false;

  const number = (editor) => {
    const text = editor.querySelector("textarea");
    const numbers = editor.querySelector(".editor__numbers");
    const lines = text.value.split("\n").length;
    if (numbers.childElementCount !== lines) {
      numbers.replaceChildren(...Array.from({ length: lines }, (_, at) => Object.assign(document.createElement("span"), { textContent: at + 1 })));
    }
    numbers.scrollTop = text.scrollTop;
  };
  const indent = (text, event) => {
    if (event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return;
    if (text.dataset.leaves) return delete text.dataset.leaves;
    event.preventDefault();
    // Not by setting the value: what was typed can still be undone.
    document.execCommand("insertText", false, " ".repeat(Number(text.dataset.indent)));
  };
  const go = (text, line) => {
    const start = text.value.split("\n").slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
    const end = text.value.indexOf("\n", start);
    text.focus();
    text.setSelectionRange(start, end < 0 ? text.value.length : end);
    text.scrollTop = Math.max(0, (line - 6) * Number.parseFloat(getComputedStyle(text).lineHeight));
  };

  for (const editor of document.querySelectorAll("[data-editor]")) {
    const text = editor.querySelector("textarea");
    text.addEventListener("input", () => number(editor));
    text.addEventListener("scroll", () => number(editor));
    text.addEventListener("blur", () => delete text.dataset.leaves);
    text.addEventListener("keydown", (event) => {
      if (event.key === "Tab") return indent(text, event);
      if (event.key !== "Escape") return delete text.dataset.leaves;
      text.dataset.leaves = "yes";
      event.stopPropagation(); // Esc leaves other fields at once; here the next Tab does.
    });
    number(editor);
  }
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-line]");
    const text = link && document.getElementById(link.dataset.of);
    if (!text) return;
    event.preventDefault();
    go(text, Number(link.dataset.line));
  });
  draft?.addEventListener("input", () => { isDirty = true; });
  draft?.addEventListener("submit", () => { isDirty = false; });
  addEventListener("beforeunload", (event) => { if (isDirty) event.preventDefault(); });
})();
