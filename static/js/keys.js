// Keys of every page; parts/keys.html lists them. None acts while something is typed.
(() => {
  const places = { o: "/", e: "/environments/", c: "/components/", r: "/rounds/", f: "/codes/", a: "/audit/" };
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
