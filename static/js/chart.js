// Solvability and solve rates by round, drawn by Plotly in the colours of the page.
(() => {
  const element = document.querySelector("[data-chart]");
  const data = JSON.parse(document.getElementById(element.dataset.source).textContent);

  // Plotly knows no oklch: let the browser paint a pixel and read it.
  const pixel = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const probe = document.createElement("span");
  element.append(probe);
  const colour = (name) => {
    probe.style.color = `var(--${name})`;
    pixel.fillStyle = getComputedStyle(probe).color;
    pixel.fillRect(0, 0, 1, 1);
    const [red, green, blue] = pixel.getImageData(0, 0, 1, 1).data;
    return `rgb(${red}, ${green}, ${blue})`;
  };

  // Plotly reads markup in names; an agent's is text.
  const label = (name) => (name.length > 48 ? `${name.slice(0, 47)}…` : name).replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const line = (name, rates, colourName, style, more = {}) => ({
    name: label(name), x: data.rounds, y: rates.map((rate) => (rate === null ? null : 100 * rate)), customdata: data.counts,
    mode: "lines+markers", line: { color: colour(colourName), ...style }, marker: { size: style.width > 2 ? 7 : 4 },
    hovertemplate: `${label(name)} %{y:.1f}%<extra></extra>`, ...more,
  });
  const floor = data.understanding_nothing.length > 1 ? `floor (best of ${data.understanding_nothing.join(", ")})` : "floor";
  const traces = () => [
    line(floor, data.floor, "ink-soft", { width: 1.5, dash: "dot" }),
    ...Object.entries(data.agents)
      .filter(([, rates]) => rates.some((rate) => rate !== null))
      .map(([agent, rates], place) => line(agent, rates, ["toolserver", "rule", "records", "intent"][place % 4], { width: 1.25 })),
    line("solvability", data.solvability, "solvable", { width: 2.5 }, { hovertemplate: "solvability %{y:.1f}% (%{customdata})<extra></extra>" }),
  ];
  const layout = () => {
    const axis = { gridcolor: colour("line"), linecolor: colour("line-strong"), zeroline: false, fixedrange: true, tickfont: { size: 11 } };
    return {
      margin: { l: 44, r: 12, t: 8, b: 52 }, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: getComputedStyle(document.body).fontFamily, size: 12, color: colour("ink-soft") },
      xaxis: { ...axis, showgrid: false, tickmode: data.rounds.length > 12 ? "auto" : "array", tickvals: data.rounds, ticktext: data.rounds.map(String), tickformat: "d", title: undefined, range: [Math.min(...data.rounds) - 0.4, Math.max(...data.rounds) + 0.4] },
      yaxis: { ...axis, range: [-3, 103], tickvals: [0, 25, 50, 75, 100], ticktext: ["0%", "25%", "50%", "75%", "100%"] },
      legend: { orientation: "h", x: 0, y: -0.14, font: { size: 12 }, traceorder: "reversed", itemclick: false, itemdoubleclick: false },
      hovermode: "x unified", hoverlabel: { bgcolor: colour("surface"), bordercolor: colour("line-strong"), font: { color: colour("ink"), size: 12 } },
      dragmode: false, showlegend: true,
    };
  };
  const draw = () => Plotly.react(element, traces(), layout(), { displayModeBar: false, responsive: true });

  element.querySelector(".chart__words").remove();
  draw();
  element.on("plotly_click", (event) => {
    const url = data.urls[data.rounds.indexOf(event.points[0].x)];
    if (url) location.assign(url);
  });
  document.addEventListener("theme", draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
})();
