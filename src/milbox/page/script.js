"use strict";
// Names the point nearest to the pointer, or stepped to with arrow keys; on a live page, follows the server.
(() => {
  const tip = document.getElementById("tip");
  const REACH = 28; // pixels from the pointer at which a point still counts as meant
  let ring = null;

  const hide = () => {
    tip.hidden = true;
    if (ring) ring.remove();
    ring = null;
    document.querySelectorAll(".raised").forEach((each) => each.remove());
  };

  const drawnIn = (svg, name, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    svg.append(made);
    return made;
  };

  // Where trials are lines, all places of one trial have its label: the whole line is lifted out.
  const raise = (svg, label) => {
    svg.querySelectorAll(".raised").forEach((each) => each.remove());
    if (!svg.querySelector(".line")) return;
    const corners = dotsOf(svg).filter((dot) => dot[2] === label).map(([x, y]) => `${x},${y}`);
    drawnIn(svg, "polyline", { points: corners.join(" "), class: "line raised" });
  };

  const dotsOf = (svg) => {
    if (!svg.dots) {
      const held = svg.parentElement.querySelector("script.dots");
      svg.dots = held ? JSON.parse(held.textContent) : [];
    }
    return svg.dots;
  };

  const show = (svg, dot) => {
    const [x, y, label] = dot;
    const place = new DOMPoint(x, y).matrixTransform(svg.getScreenCTM());
    if (!ring || ring.ownerSVGElement !== svg) {
      hide();
      ring = drawnIn(svg, "circle", { r: "6.5", class: "ring" });
    }
    raise(svg, label);
    ring.setAttribute("cx", x);
    ring.setAttribute("cy", y);
    tip.textContent = label;
    tip.hidden = false;
    const left = Math.min(place.x + 12, document.documentElement.clientWidth - tip.offsetWidth - 8);
    const above = place.y - tip.offsetHeight - 12;
    tip.style.left = `${Math.max(8, left) + window.scrollX}px`;
    tip.style.top = `${(above < 4 ? place.y + 14 : above) + window.scrollY}px`;
  };

  document.addEventListener("pointermove", (event) => {
    const svg = event.target.closest ? event.target.closest(".chart > svg") : null;
    if (!svg || !dotsOf(svg).length) return hide();
    const matrix = svg.getScreenCTM();
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    let nearest = -1;
    let least = (REACH / matrix.a) ** 2;
    svg.dots.forEach(([x, y], k) => {
      const distance = (x - at.x) ** 2 + (y - at.y) ** 2;
      if (distance < least) [nearest, least] = [k, distance];
    });
    if (nearest < 0) return hide();
    svg.current = nearest;
    show(svg, svg.dots[nearest]);
  });
  document.addEventListener("focusout", hide);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return hide();
    const svg = document.activeElement && document.activeElement.closest(".chart > svg");
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!svg || !step || !dotsOf(svg).length) return;
    const last = svg.dots.length - 1;
    const from = svg.current === undefined ? (step > 0 ? -1 : last + 1) : svg.current;
    let next = from + step;
    if (svg.querySelector(".line")) { // a step goes to the next trial, not to its next place
      const held = svg.current === undefined ? null : svg.dots[from][2];
      while (next > 0 && next < last && svg.dots[next][2] === held) next += step;
    }
    svg.current = Math.min(last, Math.max(0, next));
    show(svg, svg.dots[svg.current]);
    event.preventDefault();
  });

  // The table of all trials: sorted by a column, filtered by a text.
  document.addEventListener("click", (event) => {
    const button = event.target.closest ? event.target.closest(".sortable th > button") : null;
    if (!button) return;
    const head = button.parentElement;
    const column = head.cellIndex;
    const down = head.getAttribute("aria-sort") === "ascending";
    head.parentElement.querySelectorAll("th").forEach((each) => each.setAttribute("aria-sort", "none"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const body = head.closest("table").tBodies[0];
    const entry = (row) => {
      const cell = row.cells[column];
      return cell.dataset.key === undefined ? null : Number(cell.dataset.key);
    };
    const order = (one, other) => {
      const [a, b] = [entry(one), entry(other)];
      if (a !== null && b !== null) return down ? b - a : a - b;
      if (a !== null || b !== null) return a === null ? 1 : -1; // rows without a number come last
      const words = one.cells[column].textContent.localeCompare(other.cells[column].textContent);
      return down ? -words : words;
    };
    body.append(...[...body.rows].sort(order));
  });
  document.addEventListener("input", (event) => {
    if (!event.target.matches(".filter")) return;
    const wanted = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
    const section = event.target.closest("section");
    let shown = 0;
    for (const row of section.querySelector(".sortable").tBodies[0].rows) {
      const words = row.textContent.toLowerCase();
      row.hidden = !wanted.every((each) => words.includes(each));
      if (!row.hidden) shown += 1;
    }
    section.querySelector(".shown").textContent = `${shown} ${shown === 1 ? "trial" : "trials"}`;
  });

  // Live: ask for the version, which is small; fetch the page only when it is another one.
  const page = document.getElementById("page");
  if (!page.dataset.version) return;
  const EVERY = 1000;

  const say = (words, lost) => {
    const badge = document.getElementById("live");
    badge.textContent = words;
    badge.className = lost ? "badge lost" : "badge live";
  };

  const replace = async () => {
    const answer = await fetch("/", { cache: "no-store" });
    if (!answer.ok) throw new Error(await answer.text());
    const next = new DOMParser().parseFromString(await answer.text(), "text/html");
    const open = [...page.querySelectorAll("details")].map((each) => each.open);
    const typed = page.querySelector(".filter") ? page.querySelector(".filter").value : "";
    hide();
    page.replaceChildren(...next.getElementById("page").childNodes);
    page.querySelectorAll("details").forEach((each, k) => { each.open = Boolean(open[k]); });
    const filter = page.querySelector(".filter");
    if (typed && filter) {
      filter.value = typed;
      filter.dispatchEvent(new Event("input", { bubbles: true }));
    }
    page.dataset.version = next.getElementById("page").dataset.version;
    document.title = next.title;
  };

  const look = async () => {
    const began = performance.now();
    try {
      if (!document.hidden) {
        const answer = await fetch("/version", { headers: { "If-None-Match": `"${page.dataset.version}"` }, cache: "no-store" });
        if (answer.status === 200) await replace();
        else if (answer.status !== 304) throw new Error((await answer.text()).trim());
        say("live", false);
      }
    } catch (error) {
      say(error instanceof TypeError ? "the server has stopped" : error.message, true);
    }
    // A long page is not made all the time: the computer has a run to do.
    setTimeout(look, Math.max(EVERY, 4 * (performance.now() - began)));
  };
  setTimeout(look, EVERY);
})();
