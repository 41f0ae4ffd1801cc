/* What the tests look at in a page; each function returns plain data. */
window.look = (function () {
  "use strict";
  const name = (node) => {
    const classes = typeof node.className === "string" ? node.className.trim().split(/\s+/).join(".") : "";
    return node.tagName.toLowerCase() + (node.id ? "#" + node.id : "") + (classes ? "." + classes : "") +
      " “" + (node.textContent || "").trim().slice(0, 40) + "”";
  };
  const article = () => document.querySelector(".bd-article") || document.body;
  const visible = (node) => node.getClientRects().length > 0 && getComputedStyle(node).visibility !== "hidden";

  /* Open what is folded: solutions, hidden code. */
  function unfold() {
    document.querySelectorAll(".toggle-hidden .toggle-button, .toggle-button.toggle-button-hidden").forEach((b) => {
      const box = b.closest(".toggle-hidden") || b;
      if (box.classList.contains("toggle-hidden") || b.classList.contains("toggle-button-hidden")) { b.click(); }
    });
    document.querySelectorAll("details:not([open]) > summary").forEach((s) => s.click());
    return document.querySelectorAll(".admonition.toggle-hidden, details:not([open])").length;
  }
  const luminance = (colour) => {
    const [r, g, b] = colour.match(/[\d.]+/g).map(Number).map((c) => c / 255)
      .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };

  /* The text a reader sees as prose: without code and without the formulas themselves. */
  const prose = () => {
    const copy = article().cloneNode(true);
    copy.querySelectorAll("pre, code, script, style, mjx-container").forEach((n) => n.remove());
    return copy.textContent;
  };

  function content() {
    const images = [...document.images];
    return {
      title: document.title,
      headings: document.querySelectorAll("h1").length,
      raw: (prose().match(/\\[()[\]]|\$\$|\\begin\{|\{(?:glue|numref|cite|table|figure|math)[^}]*\}/g) || []),
      unset: [...document.querySelectorAll(".math")].filter((n) => !n.querySelector("mjx-container")).map(name),
      wrong: [...document.querySelectorAll("mjx-merror, [data-mjx-error]")].map((n) => n.getAttribute("data-mjx-error")),
      formulas: document.querySelectorAll("mjx-container").length,
      images: images.length,
      unnamed: images.filter((i) => !i.alt.trim()).map((i) => i.src.slice(-60)),
      broken: images.filter((i) => !i.complete || i.naturalWidth === 0).map((i) => i.src.slice(-60)),
      blurred: images.filter((i) => visible(i) && i.width > 40 && article().contains(i) && !/svg/.test(i.src.slice(-8)) &&
        i.naturalWidth < 1.45 * i.width).map((i) => i.naturalWidth + " px shown on " + i.width + ": " + i.alt),
      parts: [...document.querySelectorAll("[data-kernlib]")].map((n) =>
        ({ id: n.id, kind: n.dataset.kernlib, live: n.classList.contains("kl-live") })),
      positive: [...document.querySelectorAll("[tabindex]")].filter((n) => n.tabIndex > 0).map(name),
      outside: [...document.querySelectorAll("script[src], link[href], img[src], iframe[src], source[src], object[data]")]
        .map((n) => n.src || n.href || n.data).filter((url) => !/^(file|data):/.test(url)),
    };
  }

  /* The nearest box that may hide what is too wide for it, and whether it can be scrolled. */
  function clipping(node) {
    for (let box = node; box && box !== document.documentElement; box = box.parentElement) {
      const how = getComputedStyle(box).overflowX;
      if (how !== "visible" && getComputedStyle(box).display !== "inline") {
        return { box: box, scrolls: /auto|scroll/.test(how) };
      }
    }
    return null;
  }

  function layout() {
    const room = document.documentElement.clientWidth;
    const wide = document.documentElement.scrollWidth - room;
    const culprits = wide <= 0 ? [] : [...article().querySelectorAll("*")].filter((n) => {
      const clip = clipping(n);
      return visible(n) && n.getBoundingClientRect().right > room + 0.5 && !(clip && clip.box !== document.body);
    }).map(name).slice(0, 8);
    const cut = [];
    article().querySelectorAll("mjx-container > svg").forEach((svg) => {
      if (!visible(svg)) { return; }
      const clip = clipping(svg.parentElement);
      const edge = clip ? clip.box.getBoundingClientRect() : { left: 0, right: room };
      const at = svg.getBoundingClientRect();
      if ((at.right > edge.right + 1 || at.left < edge.left - 1) && !(clip && clip.scrolls)) {
        cut.push(name(svg.closest(".math") || svg.parentElement));
      }
    });
    return { wide: wide, culprits: culprits, cut: cut };
  }

  function dark() {
    const style = (n) => getComputedStyle(n);
    const pictures = [...article().querySelectorAll("figure img, .cell_output img, img.kl-picture")].filter(visible);
    return {
      theme: document.documentElement.dataset.theme,
      page: luminance(style(document.body).backgroundColor),
      text: luminance(style(article()).color),
      dim: pictures.filter((i) => /rgba\(.*, 0\)|transparent/.test(style(i).backgroundColor) ||
        luminance(style(i).backgroundColor) < 0.8 || style(i).filter !== "none").map((i) => i.alt),
      glaring: [...article().querySelectorAll(".cell_output .text_html, .kl-widget, table")].filter((n) => {
        const ground = style(n).backgroundColor;
        return visible(n) && !/rgba\(.*, 0\)|transparent/.test(ground) && luminance(ground) > 0.3;
      }).map(name),
      sunk: [...document.querySelectorAll("mjx-container")].filter((m) => visible(m) && luminance(style(m).color) < 0.3).map(name),
    };
  }

  return { unfold: unfold, content: content, layout: layout, dark: dark, name: name };
})();
