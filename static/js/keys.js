// Keys of every page; parts/keys.html lists them. None acts while something is typed.
(() => {
  const places = { o: "/", t: "/faults/", p: "/proposals/", e: "/environments/", c: "/components/", r: "/rounds/", f: "/codes/", a: "/audit/", s: "/suspicions/", m: "/sample/" };
  const dialog = document.querySelector("[data-keys]");
  let going = false;

  const rows = () => [...document.querySelectorAll("[data-row]")];
  const move = (by) => {
    const all = rows();
    if (!all.length) return;
    const at = all.findIndex((row) => row.classList.contains("is-at"));
    const next = all[Math.max(0, Math.min(all.length - 1, at < 0 ? (by > 0 ? 0 : all.length - 1) : at + by))];
    all[at]?.classList.remove("is-at");
    next.classList.add("is-at");
    next.querySelector("[data-open]")?.focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest" });
  };
  // A button of the row that one is at says what key presses it; when the page comes back, one is at the row after.
  const press = (key) => {
    const row = document.querySelector("[data-row].is-at");
    const box = row?.querySelector("[data-key-x]");
    if (key === "x" && box) return box.click() ?? true;
    const button = [...(row?.querySelectorAll("[data-key]") ?? [])].find((one) => one.dataset.key === key);
    if (!button) return false;
    const all = rows();
    const next = all[all.indexOf(row) + 1] ?? all[all.indexOf(row) - 1];
    const back = button.form?.elements.back;
    if (back && next?.id) back.value = back.value.replace(/#.*$/, `#${next.id}`);
    button.click();
    return true;
  };
  // A button of the whole page: a sheet is opened with its first field at hand, a link is followed.
  const pressPage = (key) => {
    const button = document.querySelector(`[data-page-key="${CSS.escape(key)}"]`);
    if (!button) return false;
    button.click();
    if (button.matches("summary") && button.parentElement.open) button.parentElement.querySelector("textarea, input:not([type=hidden]), button")?.focus();
    return true;
  };
  const named = document.getElementById(location.hash.slice(1));
  if (named?.matches("[data-row]")) named.classList.add("is-at");
  const follow = (selector) => document.querySelector(selector)?.click();
  const search = () => {
    const field = document.querySelector("[data-search] input[name=q]");
    field?.focus();
    field?.select();
  };
  const acts = {
    "/": search,
    j: () => move(1),
    k: () => move(-1),
    o: () => follow(".is-at [data-open]"),
    n: () => follow(".pager [rel=next]"),
    p: () => follow(".pager [rel=prev]"),
    g: () => { going = true; setTimeout(() => { going = false; }, 1500); },
    "?": () => dialog?.showModal(),
    ArrowLeft: () => follow("[data-earlier]"),
    ArrowRight: () => follow("[data-later]"),
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || dialog?.open) return;
    if (event.target.closest("input, textarea, select")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (going && places[event.key]) {
      going = false;
      location.assign(places[event.key]);
      return;
    }
    if (press(event.key) || pressPage(event.key)) return event.preventDefault();
    const act = acts[event.key];
    if (!act) return;
    if (event.key.startsWith("Arrow") && !document.querySelector("[data-step]")) return;
    event.preventDefault();
    act();
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-keys-open]")) dialog?.showModal();
  });
})();
