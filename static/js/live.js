// Polls what says data-poll="SECONDS" (htmx fetches it on the event "poll"); hardly ever while nobody looks.
(() => {
  const WHEN_HIDDEN = 60;
  let timer = 0;

  const elements = () => [...document.querySelectorAll("[data-poll]")];
  const wait = () => {
    const soonest = Math.min(...elements().map((element) => Number(element.dataset.poll)));
    clearTimeout(timer);
    if (!Number.isFinite(soonest)) return;
    timer = setTimeout(poll, 1000 * (document.hidden ? Math.max(WHEN_HIDDEN, soonest) : soonest));
  };
  const poll = () => {
    for (const element of elements()) htmx.trigger(element, "poll");
    wait();
  };
  document.addEventListener("visibilitychange", () => (document.hidden ? wait() : poll()));
  wait();

  // Filters stand open beside a list, and closed above it where there is no room.
  const facets = document.querySelector("[data-facets]");
  if (facets && matchMedia("(max-width: 900px)").matches) facets.open = false;

  // One menu at a time, gone by a click elsewhere.
  document.addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll(".menu[open]")) if (!menu.contains(event.target)) menu.open = false;
  });
})();
