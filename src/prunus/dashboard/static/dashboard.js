"use strict";
// Draws the charts of a page, and keeps the list of requests up to date. Pages work without it, except for that.

(() => {
  const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const short = (n) => {
    if (n === null || n === undefined) return "–";
    const size = Math.abs(n);
    if (size < 1000) return String(Math.round(n));
    for (const [unit, scale] of [["K", 1e3], ["M", 1e6], ["G", 1e9]])
      if (size < 999.95 * scale) return (n / scale).toFixed(1).replace(/\.0$/, "") + unit;
    return String(n);
  };
  const dollars = (n) => n === null || n === undefined ? "–" : (n < 0 ? "-" : "") + "$" + Math.abs(n).toFixed(2);

  const axes = (below, values) => {
    const common = { stroke: style("--soft"), grid: { stroke: style("--line"), width: 1 }, ticks: { show: false },
      font: "12px system-ui, sans-serif" };
    return [
      { ...common, grid: { show: false }, values: below, space: 56, size: 28 },
      { ...common, size: 62, values: (_, all) => all.map(values) },
    ];
  };
  const padded = (_, least, most) => [least - 0.6, most + 0.6];
  const whole = (_, all) => all.map((n) => Number.isInteger(n) ? String(n) : "");

  const bars = (label, color, stacked, shown, format) => ({
    label, fill: color, stroke: color, width: 0, points: { show: false },
    paths: uPlot.paths.bars({ size: [0.82, 28], align: 0 }),
    value: (_, __, ___, index) => index === null ? "–" : format(shown[index]), stacked,
  });
  const line = (label, color, format, dash) => ({
    label, stroke: color, width: 1.75, dash, points: { show: false }, value: (_, n) => format(n),
  });

  // Where Prunus broke the cache: a mark above the bar, its reason in the legend.
  const flushes = (reasons, color) => ({
    hooks: {
      draw: [(plot) => {
        const { ctx } = plot;
        ctx.save();
        ctx.fillStyle = color;
        reasons.forEach((reason, index) => {
          if (reason === null) return;
          const x = plot.valToPos(plot.data[0][index], "x", true);
          if (x < plot.bbox.left || x > plot.bbox.left + plot.bbox.width) return;
          const size = 4.5 * devicePixelRatio, y = plot.bbox.top + size;
          ctx.beginPath();
          ctx.moveTo(x - size, y - size); ctx.lineTo(x + size, y - size); ctx.lineTo(x, y + size);
          ctx.fill();
        });
        ctx.restore();
      }],
    },
  });

  const kinds = {
    requests: (data) => {
      const sum = (...columns) => data.request.map((_, i) => columns.reduce((all, one) => all + data[one][i], 0));
      const none = data.request.map(() => null);
      const words = (label, color, column) => ({ label, class: "words", stroke: color, width: 0, points: { show: false },
        value: (_, __, ___, index) => index === null ? "–" : column[index] || "–" });
      return {
        data: [data.request, sum("cached", "written", "new"), sum("cached", "written"), data.cached, data.unpruned, none, none],
        series: [
          { label: "Request" },
          bars("New", style("--new"), true, data.new, short),
          bars("Written to the cache", style("--written"), true, data.written, short),
          bars("Read from the cache", style("--cached"), true, data.cached, short),
          line("Without Prunus", style("--whole"), short, [5, 4]),
          words("▼ Cache break by Prunus", style("--bad"), data.flush),
          words("Missed the cache", style("--soft"), data.missed),
        ],
        axes: axes(whole, short), scales: { x: { time: false, range: padded } },
        plugins: [flushes(data.flush, style("--bad"))],
      };
    },
    bills: (data) => {
      const format = data.unit[0] === "$" ? dollars : short;
      return {
        data: [data.request, data.paid, data.whole],
        series: [
          { label: "Request" },
          { ...line("Paid so far", style("--accent"), format),
            fill: style("--accent") + "22" },
          line("Without Prunus", style("--whole"), format, [5, 4]),
        ],
        axes: axes(whole, format), scales: { x: { time: false } },
      };
    },
    days: (data) => {
      const format = data.unit[0] === "$" ? dollars : short;
      const total = data.paid.map((n, i) => n + Math.max(0, data.saved[i]));
      const at = data.day.map((_, i) => i);
      return {
        data: [at, total, data.paid],
        series: [
          { label: "Day", value: (_, __, ___, index) => index === null ? "–" : data.day[index] },
          bars("Saved", style("--accent"), true, data.saved, format),
          bars("Paid", style("--cached"), true, data.paid, format),
        ],
        axes: axes((_, all) => all.map((n) => data.day[n] ? data.day[n].slice(5) : ""), format),
        scales: { x: { time: false, range: padded } },
      };
    },
  };

  const draw = () => {
    for (const place of document.querySelectorAll(".chart")) {
      const { data, ...options } = kinds[place.dataset.kind](JSON.parse(place.dataset.numbers));
      place.replaceChildren();
      const size = () => ({ width: place.clientWidth, height: Math.max(200, Math.min(280, place.clientWidth * 0.45)) });
      const plot = new uPlot({ ...size(), ...options, cursor: { drag: { x: false, y: false }, y: false } }, data, place);
      new ResizeObserver(() => {
        if (place.clientWidth && place.clientWidth !== plot.width) plot.setSize(size());
      }).observe(place);
    }
  };

  const row = ({ to, cells }, like) => {
    const made = document.createElement("tr");
    made.className = "arrived";
    cells.forEach((words, index) => {
      const cell = document.createElement("td");
      cell.className = like[index].className;
      if (index === 0) {
        const link = document.createElement("a");
        link.href = to;
        link.textContent = words;
        cell.append(link);
      } else cell.textContent = words;
      made.append(cell);
    });
    return made;
  };

  // The figures are the server's: take them from a fresh copy of this page, at most every few seconds.
  let waiting = false;
  const refresh = () => {
    if (waiting) return;
    waiting = true;
    setTimeout(async () => {
      waiting = false;
      try {
        const answer = await fetch(location.href);
        const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("figures");
        if (fresh) document.getElementById("figures").replaceChildren(...fresh.childNodes);
      } catch { /* the proxy has ended; the stream says so */ }
    }, 2000);
  };

  const watch = () => {
    const list = document.getElementById("live"), said = document.getElementById("watching");
    if (!list || !said) return;
    const like = list.closest("table").querySelectorAll("thead th");
    const events = new EventSource("/dashboard/live");
    events.onopen = () => { said.textContent = "Updates by itself."; };
    events.onerror = () => { said.textContent = "The proxy does not answer; this list may be old."; };
    events.onmessage = (event) => {
      list.querySelector(".none")?.remove();
      for (const one of JSON.parse(event.data)) list.prepend(row(one, like));
      while (list.rows.length > 20) list.lastElementChild.remove();
      refresh();
    };
    addEventListener("pagehide", () => events.close());
  };

  const filter = () => {
    const input = document.getElementById("filter");
    if (!input) return;
    const rows = document.querySelectorAll("[data-filtered] tbody tr");
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase();
      for (const one of rows) one.hidden = !one.textContent.toLowerCase().includes(words);
    });
  };

  draw();
  watch();
  filter();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
})();
