// Opens a step without loading the whole page again; without this file the links do the same.
(() => {
  const open = async (url, remember) => {
    const answer = await fetch(url, { headers: { "X-Requested-With": "fetch" } });
    if (!answer.ok) return location.assign(url);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById("episode");
    if (!fresh) return location.assign(url);
    const top = document.querySelector(".episode__side")?.scrollTop;
    document.getElementById("episode").replaceWith(fresh);
    if (remember) history.pushState(null, "", url);
    if (top) document.querySelector(".episode__side").scrollTop = 0;
    document.querySelector(".step--open")?.scrollIntoView({ block: "nearest" });
  };
  if (new URLSearchParams(location.search).has("step")) document.querySelector(".step--open")?.scrollIntoView({ block: "center" });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-step]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open(link.href, true);
  });
  addEventListener("popstate", () => open(location.href, false));
})();
