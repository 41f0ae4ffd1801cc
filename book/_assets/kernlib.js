/* Brings the interactive parts of kernlib/report/interactive.py to life; no library, no network.
   Without this file each of them is a picture or a plain table. */
(function () {
  "use strict";

  function each(nodes, act) { Array.prototype.forEach.call(nodes, act); }

  function start(root) {
    each(root.querySelectorAll(".kl-controls"), function (node) { node.hidden = false; });
    root.classList.add("kl-live");
  }

  function dataOf(root) { return JSON.parse(root.querySelector(".kl-data").textContent); }

  function show(root, data, number) {
    var picture = root.querySelector(".kl-picture");
    picture.src = "data:image/png;base64," + data.pictures[number];
    picture.alt = data.alt + " " + data.labels[number];
    root.querySelector(".kl-readout").textContent = data.labels[number];
  }

  /* Pictures to step through. */
  function frames(root) {
    var data = dataOf(root), last = data.pictures.length - 1, timer = null;
    var slider = root.querySelector("input"), play = root.querySelector(".kl-play");
    var readout = root.querySelector(".kl-readout");
    function go(number) {
      slider.value = Math.max(0, Math.min(last, number));
      slider.setAttribute("aria-valuetext", data.labels[slider.value]);
      show(root, data, slider.value);
    }
    function stop() {
      if (timer !== null) { clearInterval(timer); }
      timer = null;
      play.textContent = "Play";
      readout.setAttribute("aria-live", "polite");
    }
    function tick() {
      if (Number(slider.value) >= last) { stop(); } else { go(Number(slider.value) + 1); }
    }
    function run() {
      if (Number(slider.value) >= last) { go(0); }
      play.textContent = "Pause";
      readout.setAttribute("aria-live", "off"); // a label every second would drown a screen reader
      timer = setInterval(tick, 1000 * data.seconds);
    }
    play.addEventListener("click", function () { if (timer === null) { run(); } else { stop(); } });
    slider.addEventListener("input", function () { stop(); go(Number(slider.value)); });
    each(root.querySelectorAll(".kl-step"), function (button) {
      button.addEventListener("click", function () {
        stop();
        go(Number(slider.value) + Number(button.dataset.step));
      });
    });
    root.addEventListener("keydown", function (event) {
      var step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (step && event.target !== slider) { // the slider has its own keys
        event.preventDefault();
        stop();
        go(Number(slider.value) + step);
      }
    });
  }

  /* One picture per combination of the sliders. */
  function explorer(root) {
    var data = dataOf(root), sliders = root.querySelectorAll("input");
    function update() {
      var number = 0;
      each(sliders, function (slider, k) {
        var text = data.values[k][slider.value];
        number = number * data.values[k].length + Number(slider.value);
        slider.setAttribute("aria-valuetext", text);
        slider.parentNode.querySelector("output").textContent = text;
      });
      show(root, data, number);
    }
    each(sliders, function (slider) { slider.addEventListener("input", update); });
  }

  /* Rows to sort and to filter. */
  function table(root) {
    var body = root.querySelector("tbody"), rows = Array.prototype.slice.call(body.rows);
    var heads = root.querySelectorAll("th[data-column]"), search = root.querySelector("input");
    var selects = root.querySelectorAll("select"), readout = root.querySelector(".kl-readout");
    function key(row, column) {
      var cell = row.cells[column], number = cell.dataset.key, text = cell.textContent.trim();
      if (number !== undefined) { return Number(number); }
      // A number with its error, or in per cent, counts as the number; "2 digits" stays a text.
      var written = /^[-−]?[\d.,]+(?:e[-+]?\d+)?(%?)(?: ± .*)?$/.exec(text);
      if (!written) { return text; }
      return parseFloat(text.replace("−", "-").replace(/,/g, "")) / (written[1] ? 100 : 1);
    }
    function compare(a, b) {
      if (typeof a === typeof b) {
        return typeof a === "number" ? a - b : a.localeCompare(b, undefined, { numeric: true });
      }
      return typeof a === "number" ? -1 : 1; // a missing number comes after all numbers
    }
    function sort(head) {
      var column = Number(head.dataset.column);
      var sign = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      each(heads, function (other) { other.setAttribute("aria-sort", "none"); });
      head.setAttribute("aria-sort", sign === 1 ? "ascending" : "descending");
      rows.map(function (row, place) { return { row: row, place: place }; })
        .sort(function (a, b) {
          return sign * compare(key(a.row, column), key(b.row, column)) || a.place - b.place;
        })
        .forEach(function (entry) { body.appendChild(entry.row); });
    }
    function filter() {
      var wanted = search.value.toLowerCase(), shown = 0;
      rows.forEach(function (row) {
        var keep = row.textContent.toLowerCase().indexOf(wanted) >= 0;
        each(selects, function (select) {
          keep = keep && (!select.value || row.cells[select.dataset.column].textContent === select.value);
        });
        row.hidden = !keep;
        shown += keep ? 1 : 0;
      });
      readout.textContent = shown + " of " + rows.length + " rows";
    }
    each(heads, function (head) {
      var button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.textContent = "";
      head.appendChild(button);
      head.setAttribute("aria-sort", "none");
      button.addEventListener("click", function () { sort(head); });
    });
    search.addEventListener("input", filter);
    each(selects, function (select) { select.addEventListener("change", filter); });
  }

  /* A matrix to walk through with the arrow keys; the cell in focus or below the pointer is read out. */
  function heat(root) {
    var readout = root.querySelector(".kl-readout"), map = root.querySelector("table");
    var names = map.tHead.rows[0].cells, rows = map.tBodies[0].rows;
    var current = rows[0].cells[1];
    readout.hidden = false;
    readout.textContent = "Point at a cell, or walk with the arrow keys.";
    function tell(cell) {
      if (cell.tagName === "TD" && cell.parentNode.parentNode === map.tBodies[0]) {
        readout.textContent = cell.parentNode.cells[0].textContent + ", " +
          names[cell.cellIndex].textContent + ": " + (cell.textContent || "no value");
      }
    }
    function focus(cell) {
      current.tabIndex = -1;
      current = cell;
      cell.tabIndex = 0;
      cell.focus();
    }
    map.setAttribute("role", "grid");
    each(rows, function (row) {
      each(row.cells, function (cell) { if (cell.tagName === "TD") { cell.tabIndex = -1; } });
    });
    current.tabIndex = 0;
    map.addEventListener("mouseover", function (event) { tell(event.target); });
    map.addEventListener("focusin", function (event) { tell(event.target); });
    map.addEventListener("click", function (event) {
      if (event.target.tabIndex === -1) { focus(event.target); }
    });
    map.addEventListener("keydown", function (event) {
      var step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
      if (!step) { return; }
      event.preventDefault();
      var row = rows[current.parentNode.sectionRowIndex + step[0]];
      var cell = row && row.cells[current.cellIndex + step[1]];
      if (cell && cell.tagName === "TD") { focus(cell); }
    });
  }

  var KINDS = { frames: frames, explorer: explorer, table: table, heat: heat };

  /* The comma or full stop after a formula stays on its line. */
  function together() {
    each(document.querySelectorAll(".bd-article span.math"), function (formula) {
      var next = formula.nextSibling;
      var mark = next && next.nodeType === Node.TEXT_NODE && /^[.,;:!?)]+/.exec(next.data);
      if (!mark) { return; }
      var box = document.createElement("span");
      box.className = "kl-together";
      formula.parentNode.insertBefore(box, formula);
      box.appendChild(formula);
      box.appendChild(document.createTextNode(mark[0]));
      next.data = next.data.slice(mark[0].length);
    });
  }

  /* A formula a little too long is set smaller; one that is much too long scrolls. */
  var SMALLEST = 0.8;
  function fit() {
    each(document.querySelectorAll(".bd-article mjx-container"), function (formula) {
      var svg = formula.querySelector("svg");
      // MathJax may have set a size of its own, to match the letters around the formula.
      if (formula.dataset.klSize === undefined) { formula.dataset.klSize = formula.style.fontSize || "100%"; }
      var size = parseFloat(formula.dataset.klSize);
      formula.style.fontSize = size + "%";
      formula.classList.remove("kl-long");
      // A table scrolls as a whole, and its columns would change with their formulas.
      if (!svg || !svg.getClientRects().length || formula.closest("table")) { return; }
      var block = formula.parentNode;
      while (/^inline/.test(getComputedStyle(block).display) || block.tagName === "SPAN") {
        block = block.parentNode;
      }
      var style = getComputedStyle(block), tag = block.querySelector(".eqno");
      var room = block.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) -
        (tag && formula.hasAttribute("display") ? tag.offsetWidth + 8 : 0);
      // Step by step: the browser rounds the height of an x, so that widths jump.
      for (var share = 1; svg.getBoundingClientRect().width > room + 1 && share > SMALLEST; share -= 0.04) {
        formula.style.fontSize = size * (share - 0.04) + "%";
      }
      if (svg.getBoundingClientRect().width > room + 1) { formula.classList.add("kl-long"); }
    });
  }

  /* What scrolls inside itself must be reachable by keys. */
  var BOXES = "pre, div.math, .pst-scrollable-table-container, .output, .kl-scroll, mjx-container";
  function reachable() {
    fit();
    each((document.querySelector(".bd-article") || document.body).querySelectorAll(BOXES), function (box) {
      var scrolls = box.scrollWidth > box.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(box).overflowX);
      if (scrolls && box.tabIndex !== 0) {
        box.tabIndex = 0;
        box.classList.add("kl-scrolls");
      } else if (!scrolls && box.classList.contains("kl-scrolls")) {
        box.tabIndex = -1;
        box.classList.remove("kl-scrolls");
      }
    });
  }

  function main() {
    together();
    each(document.querySelectorAll("[data-kernlib]"), function (root) {
      KINDS[root.dataset.kernlib](root);
      start(root);
    });
    reachable();
    window.addEventListener("resize", reachable);
    // What was folded away had no width until it was opened.
    document.addEventListener("click", function () { setTimeout(reachable, 300); });
    if (window.MathJax && window.MathJax.startup && window.MathJax.startup.promise) {
      window.MathJax.startup.promise.then(reachable);
    }
  }

  if (document.readyState === "complete") { main(); } else { window.addEventListener("load", main); }
})();
