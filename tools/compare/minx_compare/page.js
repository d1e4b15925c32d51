"use strict";
(function () {
  const charts = JSON.parse(document.getElementById("charts").textContent);
  const dark = window.matchMedia("(prefers-color-scheme: dark)");

  function colours() {
    const style = getComputedStyle(document.documentElement);
    const of = (name) => style.getPropertyValue(name).trim();
    return { ink: of("--ink"), soft: of("--soft"), line: of("--line"), paper: of("--paper") };
  }

  function axisOf(axis, c) {
    return Object.assign({ gridcolor: c.line, zerolinecolor: c.soft, linecolor: c.soft, tickfont: { size: 11 } }, axis);
  }

  function traceOf(trace, c) {
    const drawn = JSON.parse(JSON.stringify(trace));
    if (drawn.ideal) drawn.line.color = c.ink;
    delete drawn.ideal;
    if (drawn.error_x) Object.assign(drawn.error_x, { color: c.ink, thickness: 1.5, width: 4 });
    if (drawn.type === "bar") drawn.marker.line = { color: c.ink, width: 0.5 };
    if (drawn.marker && drawn.mode === "markers") drawn.marker.line = { color: c.ink, width: 1 };
    return drawn;
  }

  /* A legend below the axis, in lines of its own: the chart grows by them, so that nothing lies on anything. */
  function layoutOf(chart, c, width) {
    const layout = JSON.parse(JSON.stringify(chart.layout));
    const longest = Math.max(...chart.traces.map((trace) => (trace.name || "").length));
    const perLine = Math.max(1, Math.floor((width - 76) / (60 + 7 * longest)));
    const lines = layout.showlegend ? Math.ceil(chart.traces.length / perLine) : 0;
    layout.height += 22 * lines;
    const plot = layout.height - 84 - 22 * lines;
    return Object.assign(layout, {
      xaxis: axisOf(layout.xaxis, c), yaxis: axisOf(layout.yaxis, c),
      paper_bgcolor: c.paper, plot_bgcolor: c.paper, font: { color: c.ink, size: 12, family: "system-ui, sans-serif" },
      margin: { l: 60, r: 16, t: 12, b: 72 + 22 * lines }, hoverlabel: { font: { size: 12 } },
      legend: { orientation: "h", x: 0, xanchor: "left", y: -58 / plot, yanchor: "top", font: { size: 11 } }
    });
  }

  function draw() {
    const c = colours();
    for (const figure of document.querySelectorAll("[data-chart]")) {
      const chart = charts[Number(figure.dataset.chart)];
      Plotly.react(figure, chart.traces.map((trace) => traceOf(trace, c)), layoutOf(chart, c, figure.clientWidth),
        { displayModeBar: false, responsive: true });
    }
  }

  function valueOf(row, column) {
    const cell = row.cells[column];
    if (cell.dataset.value === undefined) return cell.textContent;
    return cell.dataset.value === "" ? null : Number(cell.dataset.value);
  }

  /* Empty values come last in both directions. */
  function compare(a, b, down) {
    if (a === null || b === null) return (a === null) - (b === null);
    const order = typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
    return down ? -order : order;
  }

  function sortBy(head) {
    const table = head.closest("table"), body = table.tBodies[0], column = head.cellIndex;
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    Array.from(body.rows).sort((a, b) => compare(valueOf(a, column), valueOf(b, column), down)).forEach((row) => body.appendChild(row));
  }

  function filter(input) {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of document.querySelector("#runs tbody").rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
  }

  for (const button of document.querySelectorAll("th button")) button.addEventListener("click", () => sortBy(button.closest("th")));
  const input = document.getElementById("filter");
  if (input) input.addEventListener("input", () => filter(input));
  dark.addEventListener("change", draw);
  let width = window.innerWidth;
  window.addEventListener("resize", () => {
    if (window.innerWidth !== width) draw();
    width = window.innerWidth;
  });
  draw();
  document.documentElement.dataset.ready = "yes";
})();
