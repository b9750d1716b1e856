// Draws the demonstrations and lets a reader move through them. Python computes each scene (scene.py); this script computes only
// positions on the screen. The same file is used for a separate page, a page of the book, and a widget in a notebook.

const NEAR = 16; // maximum distance in pixels at which the pointer selects a point
const PATIENCE = 150; // milliseconds without a reply after which the progress bar is shown
const LATE = 20000; // milliseconds without progress after which the page reports it
const LINK_AFTER = 300; // milliseconds without a change after which the address is updated, because browsers limit the rate of updates
const BYTES = 45e6; // approximate number of bytes to load before Python runs in a page
const SPEEDS = [["slow", 2], ["normal", 1], ["fast", 0.35]];

const pick = (value, frame) => (value?.frames ? value.frames[value.index[Math.min(frame, value.index.length - 1)]] : value);

function make(tag, { text, on = {}, ...attributes } = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  for (const [event, listener] of Object.entries(on)) element.addEventListener(event, listener);
  if (text !== undefined) element.textContent = text;
  element.append(...children);
  return element;
}

// ---- axes -----------------------------------------------------------------------------------------------------------------

function written(value) {
  const size = Math.abs(value);
  if (!size || (size < 1e5 && size >= 1e-3)) return String(Number(value.toPrecision(4))).replace("-", "−");
  return `10${[...String(Math.round(Math.log10(size)))].map((sign) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[sign] ?? "⁻").join("")}`;
}

function shapeOf(axis) {
  const linear = axis.linear_below;
  if (axis.scale === "log") return (value) => Math.log10(Math.max(value, 1e-300));
  if (axis.scale === "symlog") return (value) => (value <= linear ? (0.5 * value) / linear : 0.5 + Math.log10(value / linear));
  return (value) => value;
}

function ticksOf(axis, low, high, most) {
  if (axis.ticks) return axis.ticks.filter(([value]) => low <= value && value <= high);
  if (axis.scale !== "linear") {
    const least = axis.scale === "log" ? low : axis.linear_below;
    const first = Math.ceil(Math.log10(least) - 1e-9);
    const last = Math.floor(Math.log10(high) + 1e-9);
    const by = Math.max(1, Math.ceil((last - first + 1) / most));
    const values = axis.scale === "symlog" ? [0] : [];
    for (let power = first; power <= last; power += by) values.push(10 ** power);
    return values.map((value) => [value, written(value)]);
  }
  const rough = (high - low) / most;
  const ten = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((digit) => digit * ten).find((size) => size >= rough * 0.999);
  const values = [];
  for (let n = Math.ceil(low / step - 1e-9); n * step <= high + 1e-9 * step; n += 1) values.push(Number((n * step).toPrecision(12)));
  return values.map((value) => [value, written(value)]);
}

// ---- marks ----------------------------------------------------------------------------------------------------------------------

const CORNERS = { "^": [3, -Math.PI / 2], v: [3, Math.PI / 2], D: [4, -Math.PI / 2] };

function outline(g, shape, x, y, r) {
  if (shape === "o") g.arc(x, y, r, 0, 2 * Math.PI);
  else if (shape === "s") g.rect(x - 0.85 * r, y - 0.85 * r, 1.7 * r, 1.7 * r);
  else if (shape in CORNERS) {
    const [n, turn] = CORNERS[shape];
    for (let i = 0; i < n; i += 1) {
      const angle = turn + (2 * Math.PI * i) / n;
      g[i ? "lineTo" : "moveTo"](x + r * Math.cos(angle), y + r * Math.sin(angle));
    }
    g.closePath();
  } else {
    g.rect(x - r, y - r / 3, 2 * r, (2 * r) / 3);
    g.rect(x - r / 3, y - r, (2 * r) / 3, 2 * r);
  }
}

// Draws marks. `atX` and `atY` convert coordinates to positions on the canvas; `unit` is the scale of letters and lines.
class Pen {
  constructor(demo) {
    this.demo = demo;
  }

  drawMark(g, mark, frame) {
    const dark = this.demo.dark ? 1 : 0;
    g.strokeStyle = g.fillStyle = Array.isArray(mark.colour[0]) ? "" : mark.colour[dark];
    g.lineWidth = 2.4 * this.unit * (mark.width ?? 1);
    g.setLineDash((mark.dash ?? []).map((length) => length * g.lineWidth));
    g.lineJoin = "round";
    this[`draw${mark.kind[0].toUpperCase()}${mark.kind.slice(1)}`](g, mark, frame, dark);
    g.setLineDash([]);
  }

  drawPoints(g, mark, frame) {
    const r = 5.2 * this.unit * mark.size;
    g.lineWidth = (mark.size > 1.5 ? 2.6 : 1.8) * this.unit;
    g.beginPath();
    for (const [x, y] of pick(mark.at, frame)) {
      g.moveTo(this.atX(x) + r, this.atY(y));
      outline(g, mark.shape, this.atX(x), this.atY(y), r);
    }
    if (mark.hollow) g.stroke();
    else g.fill();
  }

  drawLine(g, mark, frame) {
    const path = pick(mark.path, frame);
    const count = mark.count == null ? path.length : pick(mark.count, frame);
    let down = false;
    g.beginPath();
    for (const [x, y] of path.slice(0, count)) {
      if (x === null || y === null) down = false;
      else {
        g[down ? "lineTo" : "moveTo"](this.atX(x), this.atY(y));
        down = true;
      }
    }
    g.stroke();
  }

  drawRegion(g, mark, frame) {
    g.globalAlpha = mark.opacity;
    g.beginPath();
    for (const ring of pick(mark.rings, frame)) {
      ring.forEach(([x, y], i) => g[i ? "lineTo" : "moveTo"](this.atX(x), this.atY(y)));
      g.closePath();
    }
    g.fill("evenodd");
    g.globalAlpha = 1;
  }

  drawEllipse(g, mark, frame) {
    const [x, y] = pick(mark.at, frame);
    const [a, b] = pick(mark.half_axes, frame);
    g.beginPath();
    g.ellipse(this.atX(x), this.atY(y), Math.abs(this.atX(x + a) - this.atX(x)), Math.abs(this.atY(y + b) - this.atY(y)), 0, 0, 2 * Math.PI);
    g.stroke();
  }

  drawArrow(g, mark, frame) {
    const [start, end] = [pick(mark.from, frame), pick(mark.to, frame)].map(([x, y]) => [this.atX(x), this.atY(y)]);
    const [dx, dy] = [end[0] - start[0], end[1] - start[1]];
    const length = Math.hypot(dx, dy);
    if (length < 2) return;
    const head = Math.min(14 * this.unit, length);
    const [u, v] = [(dx / length) * head, (dy / length) * head];
    g.beginPath();
    g.moveTo(...start);
    g.lineTo(end[0] - 0.8 * u, end[1] - 0.8 * v);
    g.stroke();
    g.beginPath();
    g.moveTo(...end);
    g.lineTo(end[0] - u - 0.45 * v, end[1] - v + 0.45 * u);
    g.lineTo(end[0] - u + 0.45 * v, end[1] - v - 0.45 * u);
    g.fill();
  }

  drawBars(g, mark, frame, dark) {
    const half = mark.thickness / 2;
    g.lineWidth = 1.6 * this.unit;
    pick(mark.extents, frame).forEach(([place, from, to], number) => {
      if (Array.isArray(mark.colour[0])) g.fillStyle = g.strokeStyle = mark.colour[number][dark];
      const [x0, x1] = mark.horizontal ? [this.atX(from), this.atX(to)] : [this.atX(place - half), this.atX(place + half)];
      const [y0, y1] = mark.horizontal ? [this.atY(place - half), this.atY(place + half)] : [this.atY(from), this.atY(to)];
      const [x, y, w, h] = [Math.min(x0, x1), Math.min(y0, y1), Math.abs(x1 - x0), Math.abs(y1 - y0)];
      g.globalAlpha = { outline: 0, light: 0.4 }[mark.pattern] ?? 1;
      g.fillRect(x, y, w, h);
      g.globalAlpha = 1;
      if (mark.pattern === "outline") g.setLineDash([4 * this.unit, 3 * this.unit]);
      if (mark.pattern) g.strokeRect(x, y, w, h);
    });
  }

  drawText(g, mark, frame) {
    const [x, y] = pick(mark.at, frame);
    g.save();
    g.font = `600 ${mark.size * this.letters}px system-ui, sans-serif`;
    g.textAlign = mark.anchor;
    g.textBaseline = "middle";
    const { x: left, w } = this.box; // a text aside of a point is condensed rather than cut
    g.fillText(pick(mark.text, frame), this.atX(x), this.atY(y), { left: left + w - this.atX(x), right: this.atX(x) - left }[mark.anchor] ?? w);
    g.restore();
  }
}

// Draws the sample of a mark in the legend: a short line, or a point.
function sample(demo, mark) {
  const canvas = make("canvas", { width: 80, height: 32, "aria-hidden": "true" });
  const pen = Object.assign(new Pen(demo), { atX: (x) => 2 * x, atY: (y) => 2 * y, unit: 2 });
  const places = { at: mark.kind === "ellipse" ? [20, 8] : [[20, 8]], half_axes: [17, 6], path: [[1, 8], [39, 8]], count: null, from: [1, 8], to: [39, 8],
    rings: [[[4, 2], [36, 2], [36, 14], [4, 14]]], extents: [[20, 2, 14]], thickness: 28, horizontal: false };
  const colour = Array.isArray(mark.colour[0]) ? mark.colour[0] : mark.colour;
  pen.drawMark(canvas.getContext("2d"), { ...mark, ...places, colour, size: 1 }, 0);
  return canvas;
}

// ---- one pair of axes ---------------------------------------------------------------------------------------------------------

class PanelView extends Pen {
  constructor(demo) {
    super(demo);
    this.canvas = make("canvas");
    this.title = make("figcaption");
    this.legend = make("ul", { class: "demo-legend" });
    this.root = make("figure", { class: "demo-panel" }, this.title, make("div", { class: "demo-canvas" }, this.canvas), this.legend);
  }

  show(panel, handles) {
    this.panel = panel;
    this.root.classList.toggle("demo-plane", panel.equal);
    this.root.style.setProperty("--demo-bars", panel.y.ticks?.length ?? 0); // a phone has room for the name of every bar
    this.moves = JSON.stringify(panel).includes('"frames":');
    this.explain();
    if (this.handles === handles) return;
    this.handles = handles;
    if (!handles || !this.demo.live) return;
    this.cursor = [0, 0];
    this.canvas.tabIndex = 0;
    this.canvas.style.touchAction = "none";
    this.canvas.onpointerdown = (event) => this.press(event);
    this.canvas.onpointermove = (event) => this.drag(event);
    this.canvas.onpointerup = (event) => this.release(event);
    this.canvas.onkeydown = (event) => this.key(event);
  }

  explain() {
    const named = this.panel.marks.filter((mark) => mark.label);
    const hidden = (mark) => this.fits && mark.kind === "line" && "demo-spoken"; // a screen reader cannot read the canvas
    this.legend.replaceChildren(...named.map((mark) => make("li", { class: hidden(mark) }, sample(this.demo, mark), mark.label)));
    this.canvas.setAttribute("role", this.handles && this.demo.live ? "application" : "img");
  }

  draw(frame) {
    const { panel, demo } = this;
    const title = pick(panel.title, frame);
    if (this.title.textContent !== title) this.title.textContent = title;
    this.title.hidden = !title;
    const purpose = this.handles && demo.live ? `${this.handles.label}: ${this.handles.tip}` : this.moves || !demo.scene.steps ? pick(demo.scene.says, frame) : demo.description.summary;
    this.canvas.setAttribute("aria-label", `${title || demo.description.title}. ${purpose}`);
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !height) return;
    const dots = Math.min(devicePixelRatio || 1, 3);
    const [across, down] = [Math.round(width * dots), Math.round(height * dots)];
    if (this.canvas.width !== across || this.canvas.height !== down) Object.assign(this.canvas, { width: across, height: down });
    const g = this.canvas.getContext("2d");
    g.setTransform(dots, 0, 0, dots, 0, 0);
    g.clearRect(0, 0, width, height);
    this.letters = parseFloat(getComputedStyle(this.canvas).fontSize);
    this.unit = this.letters / 16;
    this.chooseLabels(g, width);
    g.font = `${this.letters}px system-ui, sans-serif`;
    this.place(g, width, height, frame);
    this.drawAxes(g);
    g.save();
    g.beginPath();
    g.rect(this.box.x, this.box.y, this.box.w, this.box.h);
    g.clip();
    for (const mark of panel.marks) this.drawMark(g, mark, frame);
    if (this.handles) this.drawHandles(g);
    g.restore();
    this.drawLabels(g, frame);
  }

  // Decides whether the names of lines are written at the lines, or in the legend because a plane would shrink or a label be cut.
  chooseLabels(g, width) {
    const { x, y, equal, marks } = this.panel;
    const height = this.root.clientHeight; // that of the canvas depends on the legend
    g.font = `600 ${this.letters}px system-ui, sans-serif`;
    this.atLines = marks.filter((mark) => mark.kind === "line" && mark.label);
    const widest = Math.max(0, ...this.atLines.map(({ label }) => g.measureText(label).width)) + this.letters;
    const spare = equal ? width - 3 * this.letters - (height * (x.high - x.low)) / (y.high - y.low) : 0.42 * width;
    const fits = !this.demo.small && widest < spare && (this.atLines.length + 4) * 1.4 * this.letters < height;
    if (!fits) this.atLines = [];
    this.labelWidth = this.atLines.length ? widest : 0;
    if (fits === this.fits) return;
    this.fits = fits;
    this.explain();
    requestAnimationFrame(() => this.demo.drawSoon()); // the legend changes the height of the canvas
  }

  // Returns the place of a line's label: the end of its visible part; of a boundary, its rightmost point.
  endOf(mark, frame) {
    const { x, y, w, h } = this.box;
    const count = mark.count == null ? Infinity : pick(mark.count, frame);
    let end = null;
    for (const [px, py] of pick(mark.path, frame).slice(0, count)) {
      if (px === null || py === null) continue;
      const [ax, ay] = [this.atX(px), this.atY(py)];
      if (ax > x - 1 && ax < x + w + 1 && ay > y - 1 && ay < y + h + 1 && !(this.panel.equal && end?.x > ax)) end = { x: ax, y: ay };
    }
    if (end && mark.count == null && end.x > x + 0.7 * w) end.x = x + w;
    return end;
  }

  drawLabels(g, frame) {
    const height = 1.15 * this.letters;
    const dark = this.demo.dark ? 1 : 0;
    const { ink, paper } = this.demo.ground();
    Object.assign(g, { textAlign: "left", textBaseline: "middle", font: `600 ${this.letters}px system-ui, sans-serif`, strokeStyle: paper, lineWidth: 0.3 * this.letters });
    const ends = this.atLines.map((mark) => ({ mark, width: g.measureText(mark.label).width, ...this.endOf(mark, frame) })).filter(({ x }) => x !== undefined);
    ends.sort((one, other) => one.y - other.y);
    const bottom = this.box.y + this.box.h - 0.5 * height;
    const apart = (one, other) => one.x + one.width < other.x - this.letters || other.x + other.width < one.x - this.letters;
    const spread = (list, sign) => list.forEach((one, n) => {
      for (const other of list.slice(0, n)) if (!apart(one, other) && sign * (one.y - other.y) < height) one.y = other.y + sign * height;
    });
    spread(ends, 1);
    if (ends.some(({ y }) => y > bottom)) {
      for (const one of ends) one.y = Math.min(one.y, bottom);
      spread(ends.toReversed(), -1);
    }
    for (const { mark, x, y } of ends) {
      g.fillStyle = `color-mix(in srgb, ${mark.colour[dark]} 75%, ${ink})`;
      g.strokeText(mark.label, x + 0.5 * this.letters, y);
      g.fillText(mark.label, x + 0.5 * this.letters, y);
    }
  }

  // Computes the rectangle of the axes, between their labels.
  place(g, width, height, frame) {
    const { x, y, equal } = this.panel;
    const size = this.letters;
    const [left, right, low, high] = [x.low, x.high, y.low, y.high].map((value) => pick(value, frame));
    this.ticksY = ticksOf(y, low, high, Math.max(2, Math.floor(height / (3 * size))));
    this.ticksX = ticksOf(x, left, right, Math.max(2, Math.floor(width / (4.5 * size))));
    this.widest = Math.max(0, ...this.ticksY.map(([, text]) => g.measureText(text).width));
    const box = { x: this.widest + 0.5 * size + (y.label ? 1.3 * size : 0), y: 0.5 * size };
    const [, last] = this.ticksX.at(-1) ?? [0, ""];
    box.w = width - box.x - Math.max(0.9 * size, equal ? 0 : 0.5 * g.measureText(last).width, this.labelWidth);
    box.h = height - box.y - (this.ticksX.length ? 1.2 * size : 0.3 * size) - (x.label ? 1.2 * size : 0);
    if (equal) {
      const scale = Math.min(box.w / (right - left), box.h / (high - low));
      const [w, h] = [scale * (right - left), scale * (high - low)];
      Object.assign(box, { x: box.x + (box.w - w) / 2, y: box.y + (box.h - h) / 2, w, h });
    }
    const along = shapeOf(x);
    const up = shapeOf(y);
    const [x0, x1, y0, y1] = [along(left), along(right), up(low), up(high)];
    this.box = box;
    this.atX = (value) => box.x + (box.w * (along(value) - x0)) / (x1 - x0);
    this.atY = (value) => box.y + box.h - (box.h * (up(value) - y0)) / (y1 - y0);
    this.from = (px, py) => [left + ((px - box.x) / box.w) * (right - left), high - ((py - box.y) / box.h) * (high - low)]; // linear axes
  }

  drawAxes(g) {
    const { box, letters: size, demo } = this;
    const { ink, grid, muted } = demo.ground();
    Object.assign(g, { lineWidth: 1, strokeStyle: grid, fillStyle: ink });
    g.beginPath();
    for (const [value] of this.ticksX) {
      g.moveTo(this.atX(value), box.y);
      g.lineTo(this.atX(value), box.y + box.h);
    }
    for (const [value] of this.ticksY) {
      g.moveTo(box.x, this.atY(value));
      g.lineTo(box.x + box.w, this.atY(value));
    }
    g.stroke();
    g.strokeStyle = muted;
    g.strokeRect(box.x, box.y, box.w, box.h);
    Object.assign(g, { textBaseline: "top", textAlign: "center" });
    let end = -Infinity; // skips labels that would overlap the previous label
    for (const [value, text] of this.ticksX) {
      const half = g.measureText(text).width / 2;
      if (this.atX(value) - half < end + 0.3 * size) continue;
      g.fillText(text, this.atX(value), box.y + box.h + 0.35 * size);
      end = this.atX(value) + half;
    }
    const { x, y } = this.panel;
    const middle = box.x + box.w / 2;
    const room = 2 * Math.min(middle, this.canvas.clientWidth - middle);
    if (x.label) g.fillText(x.label, middle, box.y + box.h + (this.ticksX.length ? 1.45 : 0.4) * size, room);
    Object.assign(g, { textBaseline: "middle", textAlign: "right" });
    end = Infinity;
    for (const [value, text] of this.ticksY) {
      if (Math.abs(end - this.atY(value)) < 0.85 * size) continue;
      g.fillText(text, box.x - 0.4 * size, this.atY(value));
      end = this.atY(value);
    }
    if (y.label) {
      g.save();
      g.translate(box.x - this.widest - 1.1 * size, box.y + box.h / 2);
      g.rotate(-Math.PI / 2);
      g.textAlign = "center";
      g.fillText(y.label, 0, 0, box.h + 2 * size);
      g.restore();
    }
  }

  // ---- points that the reader adds ----

  get own() {
    return this.demo.settings[this.handles.name];
  }

  drawHandles(g) {
    const { ink } = this.demo.ground();
    const { colours, shapes } = this.demo.description.classes;
    const single = this.handles.most === 1;
    for (const [x, y, label] of this.own) {
      const k = single ? this.demo.settings[this.handles.class_from] : label;
      g.fillStyle = colours[k][this.demo.dark ? 1 : 0];
      this.drawPoints(g, { shape: shapes[k], at: [[x, y]], size: single ? 1.7 : 1.1 }, 0);
      g.strokeStyle = ink;
      g.beginPath();
      g.arc(this.atX(x), this.atY(y), (single ? 13 : 9) * this.unit, 0, 2 * Math.PI);
      g.stroke();
    }
    if (single || !this.canvas.matches(":focus-visible")) return;
    g.fillStyle = ink;
    this.drawPoints(g, { shape: "P", at: [this.cursor], size: 2 }, 0); // the position at which Enter adds or deletes a point
  }

  position(event) {
    const rectangle = this.canvas.getBoundingClientRect();
    return [event.clientX - rectangle.left, event.clientY - rectangle.top];
  }

  nearest(px, py) {
    const distances = this.own.map(([x, y]) => Math.hypot(this.atX(x) - px, this.atY(y) - py));
    const least = Math.min(...distances);
    return least <= NEAR ? distances.indexOf(least) : -1;
  }

  rounded(place) {
    return place.map((value) => Math.max(-this.handles.reach, Math.min(this.handles.reach, Math.round(10 * value) / 10)));
  }

  move(number, place) {
    const points = this.own.map((point, n) => (n === number ? [...this.rounded(place), point[2]] : point));
    this.demo.set(this.handles.name, points);
  }

  addOrDelete(number, place) {
    if (number >= 0) this.demo.set(this.handles.name, this.own.filter((_, n) => n !== number));
    else if (this.own.length < this.handles.most) {
      const label = this.demo.settings[this.handles.class_from];
      this.demo.set(this.handles.name, [...this.own, [...this.rounded(place), label]]);
    }
  }

  press(event) {
    if (event.button) return;
    const at = this.position(event);
    this.canvas.setPointerCapture(event.pointerId);
    this.grabbed = { number: this.handles.most === 1 ? 0 : this.nearest(...at), at, moved: this.handles.most === 1 };
    if (this.handles.most === 1) this.move(0, this.from(...at));
  }

  drag(event) {
    if (!this.grabbed) return;
    const [px, py] = this.position(event);
    this.grabbed.moved ||= Math.hypot(px - this.grabbed.at[0], py - this.grabbed.at[1]) > 4;
    if (this.grabbed.moved && this.grabbed.number >= 0) this.move(this.grabbed.number, this.from(px, py));
  }

  release(event) {
    if (this.grabbed && !this.grabbed.moved) this.addOrDelete(this.grabbed.number, this.from(...this.position(event)));
    this.grabbed = null;
  }

  key(event) {
    const directions = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const single = this.handles.most === 1;
    const by = 0.1 * (event.shiftKey ? 5 : 1) * (single ? 1 : 2);
    if (event.key in directions) {
      const [x, y] = single ? this.own[0] : this.cursor;
      const [dx, dy] = directions[event.key];
      this.cursor = this.rounded([x + by * dx, y + by * dy]);
      if (single) this.move(0, this.cursor);
      else this.demo.drawSoon();
    } else if (event.key === "Enter" && !single) {
      this.addOrDelete(this.nearest(this.atX(this.cursor[0]), this.atY(this.cursor[1])), this.cursor);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

// ---- controls -----------------------------------------------------------------------------------------------------------------

const joined = { points: (value) => value.map((point) => point.join(",")).join(";"), ticks: (value) => value.join("|") };
const linkedValue = (control, value) => (joined[control.kind] ?? String)(value);

function fromText(control, text) {
  if (control.kind === "slider") return control.values.find((value) => String(value) === text);
  if (control.kind === "choice") return control.options.map(([, value]) => value).find((value) => String(value) === text);
  if (control.kind === "ticks") return text.split("|").filter((option) => control.options.includes(option));
  if (control.kind === "text") return text;
  const points = text.split(";").filter(Boolean).map((point) => point.split(",").map(Number));
  const fits = ([x, y, k, ...more]) => !more.length && Math.max(Math.abs(x), Math.abs(y)) <= control.reach && [0, 1, 2, 3, 4, 5, 6, 7].includes(k);
  return points.every(fits) && control.least <= points.length && points.length <= control.most ? points : undefined;
}

// Each function returns the element of a control, and a function that shows another value in it.
const build = {
  slider(control, set) {
    const shown = make("output");
    const input = make("input", { type: "range", min: 0, max: control.values.length - 1, step: 1, title: control.tip });
    const show = (value) => {
      input.value = Math.max(0, control.values.indexOf(value));
      shown.textContent = written(value);
      input.setAttribute("aria-valuetext", shown.textContent);
    };
    input.addEventListener("input", () => set(control.values[input.value]));
    const root = make("label", { class: "demo-slider" }, make("span", { text: control.label }), input, shown);
    if (control.of_class !== null) root.dataset.class = control.of_class;
    return [root, show];
  },

  choice(control, set, id) {
    if (control.options.map(([text]) => `${text}  `).join("").length > 38) {
      const select = make("select", { title: control.tip, on: { change: () => set(control.options[select.selectedIndex][1]) } });
      select.append(...control.options.map(([text]) => make("option", { text })));
      const show = (value) => (select.selectedIndex = control.options.findIndex(([, option]) => option === value));
      return [make("label", { class: "demo-select" }, make("span", { text: control.label }), select), show];
    }
    const inputs = control.options.map(([, value]) => make("input", { type: "radio", name: id, on: { change: () => set(value) } }));
    const labels = control.options.map(([text], n) => make("label", {}, inputs[n], make("span", { text })));
    const root = make("fieldset", { class: "demo-choice", title: control.tip }, make("legend", { text: control.label }), make("div", {}, ...labels));
    return [root, (value) => inputs.forEach((input, n) => (input.checked = control.options[n][1] === value))];
  },

  ticks(control, set) {
    const inputs = control.options.map(() => make("input", { type: "checkbox" }));
    const chosen = () => control.options.filter((_, n) => inputs[n].checked);
    const labels = control.options.map((text, n) => make("label", {}, inputs[n], make("span", { text })));
    const root = make("fieldset", { class: "demo-ticks", title: control.tip }, make("legend", { text: control.label }), ...labels);
    root.addEventListener("change", () => set(chosen()));
    return [root, (value) => inputs.forEach((input, n) => (input.checked = value.includes(control.options[n])))];
  },

  text(control, set) {
    const many = control.lines > 1;
    const input = make(many ? "textarea" : "input", { rows: many ? control.lines : null, title: control.tip, spellcheck: "false", maxlength: 200000 });
    input.addEventListener("input", () => set(input.value));
    const root = make("label", { class: "demo-text" }, make("span", { text: control.label }), input);
    const show = (value) => {
      if (input.value !== value) input.value = value;
    };
    if (!control.suggestions.length) return [root, show];
    const select = make("select", { "aria-label": `examples: ${control.label}` }, make("option", { text: "examples …" }));
    select.append(...control.suggestions.map(([text]) => make("option", { text })));
    select.addEventListener("change", () => {
      if (select.selectedIndex) set(control.suggestions[select.selectedIndex - 1][1]);
      select.selectedIndex = 0;
    });
    return [make("div", { class: "demo-texts" }, root, select), show];
  },

  points(control, set) {
    const root = make("p", { class: "demo-own demo-muted", text: `${control.tip[0].toUpperCase()}${control.tip.slice(1)}. ` });
    const undo = make("button", { type: "button", text: "delete mine", on: { click: () => set([]) } });
    if (!control.least) root.append(undo);
    return [root, (value) => (undo.hidden = !value.length)];
  },
};

// ---- the whole demonstration -----------------------------------------------------------------------------------------------------

let built = 0;

class Demo {
  // `ask(settings, tell, signal)` returns a promise of a scene. Without it, only the scenes in the description are shown.
  constructor(root, description, ask, { page = false, small = false } = {}) {
    Object.assign(this, { root, description, page, small, live: Boolean(ask), ask: ask ?? askScenes(description) });
    this.controls = ask ? description.controls : this.held();
    this.settings = Object.fromEntries(description.controls.map(({ name, value }) => [name, value]));
    this.usual = { ...this.settings };
    this.frame = 0;
    this.panels = [];
    this.id = `demo-${(built += 1)}-`;
    root.classList.add("demo");
    root.classList.toggle("demo-page", page);
    root.classList.toggle("demo-small", small);
    this.build();
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    this.setDark(description.dark ?? scheme.matches);
    scheme.addEventListener("change", ({ matches }) => this.setDark(matches));
    addEventListener("beforeprint", () => (this.night = this.dark, this.setDark(false), this.draw())); // browsers do not print dark backgrounds
    addEventListener("afterprint", () => this.setDark(this.night));
    new ResizeObserver(() => this.drawSoon()).observe(this.stage);
    if (page) {
      this.restore();
      addEventListener("hashchange", () => this.restore());
      addEventListener("keydown", (event) => this.key(event));
    } else if (!small) root.addEventListener("keydown", (event) => this.key(event));
    this.refresh();
  }

  // The controls of a page without Python: those with scenes for more than one value.
  held() {
    const { controls, grid } = this.description;
    return controls.filter(({ name }) => grid?.[name]?.length > 1).map((control) => {
      const values = grid[control.name];
      if (control.kind === "slider") return { ...control, values };
      return { ...control, options: control.options.filter(([, value]) => values.includes(value)) };
    });
  }

  build() {
    const { title, to_try: toTry } = this.description;
    this.stage = make("div", { class: "demo-stage" });
    this.words = make("p", { class: "demo-words", hidden: true });
    this.says = make("p", { class: "demo-says", role: "status" });
    this.notes = make("ul", { class: "demo-notes" });
    this.table = make("table");
    this.bar = make("progress", { "aria-label": "computing", hidden: true });
    this.alert = make("p", { class: "demo-alert", role: "alert", hidden: true });
    if (this.small) {
      this.root.replaceChildren(this.stage);
      return;
    }
    this.shown = {};
    this.rows = {};
    const press = (text, tip, act) => make("button", { type: "button", text, title: tip, "aria-label": tip, on: { click: act } });
    const panel = make("form", { class: "demo-controls", on: { submit: (event) => event.preventDefault() } });
    const main = make("div", { class: "demo-main" }, this.words, this.stage);
    this.more = make("details", { open: this.more?.open, on: { toggle: () => this.linkSoon() } }, make("summary", { text: "More" }));
    for (const control of this.controls) {
      const [row, show] = build[control.kind](control, (value) => this.set(control.name, value), this.id + control.name);
      this.shown[control.name] = show;
      this.rows[control.name] = row;
      show(this.settings[control.name]);
      (control.kind === "points" ? main : control.more ? this.more : panel).append(row);
    }
    main.append(this.steps(press), this.says, this.alert, this.notes);
    panel.append(make("div", { class: "demo-numbers" }, this.table));
    if (this.more.children.length > 1) panel.append(this.more);
    if (!this.live && this.description.python && location.protocol !== "file:") {
      panel.append(make("button", { type: "button", text: "Start Python for every setting", on: { click: () => this.start() } }));
    } else if (!this.live && this.description.more) panel.append(make("p", { class: "demo-muted", text: this.description.more }));
    this.about = make("p", { class: "demo-about" });
    this.tries = toTry.map(({ text }, n) => make("button", { type: "button", text, title: "show this (n, p: the next, the previous one)", on: { click: ({ detail, target }) => (detail && (target.blur(), this.root.focus({ preventScroll: true })), this.try(n)) } })); // then space plays
    const tries = make("details", { class: "demo-try", open: true }, make("summary", { text: "Three things to try" }), make("ol", {}, ...this.tries.map((button) => make("li", {}, button))));
    this.dialog = make("dialog", { on: { click: ({ target }) => target === this.dialog && this.dialog.close() } });
    const header = make("header", {}, make(this.page ? "h1" : "h2", { text: title }), press("↺", "back to the opening", () => this.try(-1)), press("◐", "light or dark (d)", () => this.setDark(!this.dark, true)),
      press("?", "the keys (?)", () => this.help()), ...(this.page ? [press("▦", "a code that opens this on a phone (q)", () => this.code())] : []));
    this.root.replaceChildren(make("div", { class: "demo-sheet" }, header, this.about, tries, panel, main), this.bar, this.dialog);
    this.mark(this.tried ?? -1);
  }

  // Python starts in this page, so that every setting can be requested.
  start() {
    Object.assign(this, { live: true, ask: askWorker(this.description), controls: this.description.controls, panels: [] });
    this.build();
    this.refresh();
  }

  steps(press) {
    this.play = press("▶", "play or pause (space)", () => this.toggle());
    this.slider = make("input", { type: "range", min: 0, step: 1, on: { input: () => this.go(Number(this.slider.value)) } });
    this.stepName = make("span");
    this.stepValue = make("output");
    this.speed = make("select", { "aria-label": "speed" }, ...SPEEDS.map(([text]) => make("option", { text })));
    this.speed.selectedIndex = 1;
    this.speed.addEventListener("change", () => this.timer && (this.toggle(), this.toggle()));
    const label = make("label", { class: "demo-slider" }, this.stepName, this.slider, this.stepValue);
    this.player = make("div", { class: "demo-player", hidden: true }, press("|◀", "to the start (Home)", () => this.go(0)),
      press("◀", "one step back (←)", () => this.go(this.frame - 1)), this.play, press("▶|", "one step on (→)", () => this.go(this.frame + 1)), label, this.speed);
    return this.player;
  }

  // ---- colours ----

  setDark(dark, chosen = false) {
    this.dark = dark;
    this.root.classList.toggle("demo-dark", dark);
    this.description.classes.colours.forEach((pair, k) => this.root.style.setProperty(`--demo-class-${k}`, pair[dark ? 1 : 0]));
    this.colours = null;
    if (this.page) document.documentElement.classList.toggle("demo-dark", dark);
    for (const view of this.panels) view.explain();
    if (this.scene) this.showNumbers(true);
    this.drawSoon();
    if (chosen) this.linkSoon();
  }

  ground() {
    if (!this.colours) {
      const style = getComputedStyle(this.root);
      this.colours = Object.fromEntries(["ink", "paper", "muted", "grid"].map((name) => [name, style.getPropertyValue(`--demo-${name}`)]));
    }
    return this.colours;
  }

  // ---- settings ----

  set(name, value) {
    const held = this.controls.map((control) => [control.name, this.settings[control.name]]);
    this.settings = { ...this.usual, ...Object.fromEntries(held), [name]: value }; // a page without Python has no other scenes
    this.shown[name]?.(value);
    this.arrange();
    this.drawSoon();
    this.refresh();
    this.linkSoon();
  }

  // Brings the settings of a thing to try; −1 is the opening.
  try(number) {
    const asked = this.description.to_try[number];
    if (number < -1 || (number >= 0 && !asked)) return;
    if (this.timer) this.toggle();
    this.settings = { ...this.usual, ...asked?.settings };
    for (const [name, show] of Object.entries(this.shown)) show(this.settings[name]);
    this.mark(number);
    this.begin = asked?.play ? "play" : "start";
    this.refresh();
    this.linkSoon();
  }

  mark(number) {
    this.tried = number;
    this.tries.forEach((button, n) => button.setAttribute("aria-current", n === number ? "step" : "false"));
  }

  arrange() {
    if (this.small) return;
    for (const { name, when } of this.controls) this.rows[name].hidden = Boolean(when) && this.settings[when[0]] !== when[1];
  }

  // Request the scene of the settings. Only one request is active at a time. Of the requests that arrive in the meantime, only the
  // last is sent. A long computation that is no longer needed is cancelled.
  async refresh() {
    this.arrange();
    this.wanted = true;
    if (this.asking) {
      if (this.long) this.asking.abort();
      return;
    }
    while (this.wanted) {
      this.wanted = this.long = false;
      this.asking = new AbortController();
      const patience = setTimeout(() => (this.bar.hidden = false), PATIENCE);
      const late = setTimeout(() => this.long || (this.long = true, this.fail("Python is still computing; the first time takes longest. Should your lab have a loop without an end, mend it and reload this page.")), LATE);
      this.bar.removeAttribute("value");
      try {
        const tell = (share) => {
          this.long = true;
          this.bar.value = share;
        };
        this.receive(await this.ask(this.settings, tell, this.asking.signal));
        this.alert.hidden = true;
      } catch (error) {
        if (error.name !== "AbortError") this.fail(error.message);
      }
      [patience, late].forEach((timer) => clearTimeout(timer));
      this.bar.hidden = true;
    }
    this.asking = null;
  }

  fail(text) {
    Object.assign(this.alert, { textContent: text, hidden: false });
  }

  receive(scene) {
    const before = this.scene;
    Object.assign(this, { scene, anew: true });
    const last = scene.steps ? scene.steps.values.length - 1 : 0;
    if (!before || before.steps?.values.length !== scene.steps?.values.length) this.frame = this.linkedFrame ?? (scene.steps?.start || (this.small ? last : 0));
    this.linkedFrame = null;
    const begin = this.wanted ? "" : this.begin; // until the scene of the thing to try arrives
    if (begin) this.frame = begin === "play" ? 0 : (scene.steps?.start ?? 0);
    this.frame = Math.max(0, Math.min(this.frame, last));
    this.layOut();
    if (!this.small) {
      this.player.hidden = !scene.steps;
      if (scene.steps) {
        this.slider.max = last;
        this.stepName.textContent = scene.steps.label;
        this.slider.setAttribute("aria-label", scene.steps.label);
      }
      this.about.textContent = scene.observations || this.description.look_at;
      this.notes.replaceChildren(...scene.notes.map((text) => make("li", { text })));
    }
    this.tableOf = undefined; // a scene without a table also clears the last one
    this.draw();
    if (begin) this.begin = "";
    if (begin === "play" && !this.timer) this.toggle();
  }

  layOut() {
    const { panels, layout, columns } = this.scene;
    const names = panels.map(({ name }) => name);
    while (this.panels.length > panels.length) this.panels.pop().root.remove();
    while (this.panels.length < panels.length) {
      const view = new PanelView(this);
      this.panels.push(view);
      this.stage.append(view.root);
    }
    this.stage.style.setProperty("--demo-areas", layout.map((row) => `"${row.map((name) => `p${names.indexOf(name)}`).join(" ")}"`).join(" "));
    this.stage.style.setProperty("--demo-columns", columns.map((width) => `minmax(0, ${width}fr)`).join(" "));
    this.stage.style.setProperty("--demo-rows", `repeat(${layout.length}, minmax(${this.small ? 0 : 11}em, 1fr))`);
    panels.forEach((panel, n) => {
      this.panels[n].root.style.gridArea = `p${n}`;
      const handles = this.description.controls.find((control) => control.kind === "points" && control.panel === panel.name);
      this.panels[n].show(panel, handles || null);
    });
  }

  // ---- drawing ----

  // Draw at once, unless the last picture was drawn in the same frame of the screen. A step redraws only the panels that it changes.
  drawSoon(step = false) {
    this.anew ||= !step;
    if (this.drawing) return;
    this.drawing = true;
    if (performance.now() - this.drawn > 12) this.draw();
    else requestAnimationFrame(() => this.draw());
  }

  draw() {
    this.drawing = false;
    if (!this.scene) return;
    for (const view of this.panels) if (this.anew || view.moves) view.draw(this.frame);
    this.anew = false;
    if (!this.small) {
      this.showNumbers();
      this.showWords();
    }
    this.drawn = performance.now();
    this.root.dispatchEvent(new Event("drawn"));
  }

  showNumbers(anew = false) {
    const { steps, says, table } = this.scene;
    const sentence = pick(says, this.frame);
    if (this.says.textContent !== sentence) this.says.textContent = sentence;
    if (steps) {
      this.slider.value = this.frame;
      this.stepValue.textContent = steps.values[this.frame];
      this.slider.setAttribute("aria-valuetext", `${steps.label} ${steps.values[this.frame]}`);
    }
    const rows = table && pick(table.rows, this.frame);
    if (rows === this.tableOf && !anew) return;
    this.tableOf = rows;
    const cell = (value) => (value?.line ? make("td", {}, sample(this, { kind: "line", ...value.line })) : make("td", { text: String(value).replace(/^-/, "−") }));
    const head = make("tr", {}, ...(table?.heads ?? []).map((text) => make(text ? "th" : "td", { text, scope: text ? "col" : null })));
    this.table.replaceChildren(...(table ? [make("thead", {}, head), make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map(cell))))] : []));
  }

  showWords() {
    const words = pick(this.scene.words, this.frame);
    if (words === this.wordsShown) return;
    this.wordsShown = words;
    this.words.hidden = !words.length;
    this.words.replaceChildren(...words.flatMap(([text, weight, title]) => {
      const side = weight > 0 ? "for" : weight < 0 ? "against" : "none";
      const word = make("span", { text, title: title || null, class: `demo-word demo-word-${side}` });
      word.style.setProperty("--demo-weight", `${Math.round(55 * Math.min(1, Math.abs(weight)))}%`);
      return [word, " "];
    }));
  }

  // ---- steps ----

  go(frame) {
    const last = (this.scene?.steps?.values.length ?? 1) - 1;
    this.frame = Math.max(0, Math.min(frame, last));
    this.drawSoon(true);
    this.linkSoon();
  }

  toggle() {
    const { steps } = this.scene ?? {};
    if (!steps) return;
    const last = steps.values.length - 1;
    if (this.timer) {
      clearInterval(this.timer);
      this.timer = null;
    } else {
      if (this.frame === last) this.go(0);
      const each = steps.milliseconds * SPEEDS[this.speed.selectedIndex][1];
      this.timer = setInterval(() => (this.frame < (this.scene.steps?.values.length ?? 1) - 1 ? this.go(this.frame + 1) : this.toggle()), each);
    }
    this.play.textContent = this.timer ? "❚❚" : "▶";
    this.says.setAttribute("aria-live", this.timer ? "off" : "polite");
  }

  // The keys, what each does, and its description for the help. A remote control of slides sends PageDown and PageUp.
  keys() {
    const steps = [[" ", () => this.toggle(), "space: play or pause"], ["ArrowRight", () => this.go(this.frame + 1), "→ ←: a step on, a step back"],
      ["ArrowLeft", () => this.go(this.frame - 1)], ["Home", () => this.go(0), "Home, End: to the start, to the end"], ["End", () => this.go(Infinity)]];
    const remote = this.page && window === top && document.documentElement.scrollHeight <= innerHeight;
    return [...(this.scene?.steps ? steps : []), ["n", () => this.try(this.tried + 1), `n${remote ? ", PageDown" : ""}: the next thing to try`],
      ["p", () => this.try(this.tried - 1), `p${remote ? ", PageUp" : ""}: the previous one, and back to the opening`],
      ...(remote ? [["PageDown", () => this.try(this.tried + 1)], ["PageUp", () => this.try(this.tried - 1)]] : []),
      ...(this.more.isConnected ? [["m", () => (this.more.open = !this.more.open), "m: more controls"]] : []), ["d", () => this.setDark(!this.dark, true), "d: light or dark"],
      ...(this.page ? [["q", () => this.code(), "q: a code that opens this on a phone"]] : []), ["?", () => this.help(), "?: this list"]];
  }

  key(event) {
    const { target, key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || target.matches?.("textarea, select, input:not([type])")) return;
    if (key === " " && target.matches?.("button, summary, [type=checkbox]")) return;
    if (/^(Arrow|Home|End)/.test(key) && target.matches?.("input")) return;
    const act = this.keys().find(([name]) => name === key)?.[1];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    if (this.dialog.open) this.dialog.close();
    else act();
  }

  open(...contents) {
    const close = make("button", { type: "button", text: "Close", on: { click: () => this.dialog.close() } });
    this.dialog.replaceChildren(...contents, close);
    this.dialog.showModal();
  }

  help() {
    this.open(make("h2", { text: "Keys" }), make("ul", {}, ...this.keys().filter(([, , text]) => text).map(([, , text]) => make("li", { text }))));
  }

  // The address of this page with its settings as a QR code.
  code() {
    if (this.timer) this.toggle();
    if (this.begin) this.begin = "start";
    this.link();
    const canvas = make("canvas", { class: "demo-code", role: "img", "aria-label": "QR code of the address below" });
    const lines = [make("p", { text: location.href })];
    try {
      generate(location.href).toCanvas(canvas, { off: [255, 255, 255, 255] });
      lines.unshift(canvas);
    } catch {
      lines.unshift(make("p", { class: "demo-alert", text: "The address is too long for a code, because it holds your text. Shorten the text." }));
    }
    if (/^(localhost|127\..*|\[::1\]|)$/.test(location.hostname)) {
      const page = `${this.description.name}.html${location.hash}`;
      lines.unshift(make("p", { class: "demo-alert", text: `A phone cannot reach this address, only this machine can. Run “lxmls-day1 demo --only ${this.description.name} --export demos”, then “python -m http.server --directory demos”, and open http://(name of this machine):8000/${page} here: its code works on every phone in the same network.` }));
    }
    this.open(...lines);
  }

  // ---- links and files ----

  linkSoon() {
    clearTimeout(this.linking);
    this.linking = setTimeout(() => this.link(), LINK_AFTER);
  }

  link() {
    if (!this.page) return;
    const link = new URLSearchParams();
    for (const control of this.description.controls) {
      const value = linkedValue(control, this.settings[control.name]);
      if (value !== linkedValue(control, this.usual[control.name])) link.set(control.name, value);
    }
    if (this.scene?.steps && this.frame !== this.scene.steps.start) link.set("step", this.frame);
    if (this.dark !== (this.description.dark ?? matchMedia("(prefers-color-scheme: dark)").matches)) link.set("dark", this.dark ? 1 : 0);
    if (this.more.open) link.set("more", 1);
    if (this.tried >= 0) link.set("try", this.tried + 1);
    history.replaceState(null, "", link.size ? `#${link}` : location.pathname + location.search);
  }

  restore() {
    const link = new URLSearchParams(location.hash.slice(1));
    const settings = { ...this.usual };
    for (const control of this.description.controls) {
      const value = link.has(control.name) ? fromText(control, link.get(control.name)) : undefined;
      if (value !== undefined) settings[control.name] = value;
      this.shown[control.name]?.(settings[control.name]);
    }
    this.settings = settings;
    this.more.open = link.has("more");
    this.mark(Math.max(0, Math.min(Math.trunc(Number(link.get("try"))) || 0, this.tries.length)) - 1);
    if (link.has("dark")) this.setDark(link.get("dark") === "1");
    if (link.has("step")) {
      this.linkedFrame = Math.trunc(Number(link.get("step"))) || 0;
      if (this.scene) this.go(this.linkedFrame);
    }
    this.refresh();
  }
}

// ---- environments -------------------------------------------------------------------------------------------------------------

// A page without Python contains some scenes.
function askScenes({ controls, grid, scenes }) {
  const usual = Object.fromEntries(controls.map(({ name, value }) => [name, value]));
  const find = (settings, names) => scenes.find((held) => names.every((name) => String(settings[name]) === String({ ...usual, ...held.settings }[name])));
  return async (settings) => (find(settings, Object.keys(usual)) ?? find({ ...usual, ...settings }, Object.keys(grid ?? {})) ?? scenes[0]).scene;
}

// A local Python process replies with a line of JSON for each report of progress, and one for the scene.
function askServer(address) {
  return async (settings, tell, signal) => {
    let response;
    try {
      response = await fetch(address, { method: "POST", body: JSON.stringify(settings), signal });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Error("Python does not answer: was lxmls-day1 demo ended? Start it again and reload this page.");
    }
    if (!response.ok) throw new Error(`Python refused to answer: ${response.statusText}.`);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value = "", done } = await reader.read();
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      for (const line of lines) {
        const answer = JSON.parse(line);
        if (answer.error) throw new Error(answer.error);
        if (answer.scene) return answer.scene;
        tell(answer.progress);
      }
      if (done) throw new Error("The answer of Python broke off. Change a setting to ask again.");
    }
  };
}

// Sends one request at a time as a message; `hear` is called with each reply.
function askBy(send) {
  let waiting = null;
  const hear = (answer) => {
    if (answer.progress !== undefined) waiting?.tell(answer.progress);
    else if (answer.error) waiting?.reject(new Error(answer.error));
    else waiting?.resolve(answer.scene);
  };
  const ask = (settings, tell) => new Promise((resolve, reject) => {
    waiting = { tell, resolve, reject };
    send(settings);
  });
  return [ask, hear];
}

// A widget in a notebook: the kernel replies.
function askKernel(model) {
  const [ask, hear] = askBy((settings) => model.send({ settings }));
  model.on("msg:custom", hear);
  return ask;
}

// A page of the book: Python runs in the worker of the exercises.
function askWorker({ name, python }) {
  const programs = new URL("programs.zip", location).href;
  let worker = null;
  const [ask, hear] = askBy((settings) => {
    worker ??= start();
    worker.postMessage({ kind: "demo", name, settings, programs });
  });
  // The next setting starts Python again.
  function fail(text) {
    worker?.terminate();
    worker = null;
    hear({ error: `Python could not be started in this page: ${text}` });
  }
  function start() {
    const started = new Worker(new URL("exercise_worker.js", new URL(python, location)));
    started.onerror = ({ message }) => fail(message ?? "the site does not answer, or lacks a file.");
    started.onmessage = ({ data }) => {
      if (data.kind === "loading") hear({ progress: Math.min(0.99, data.loaded / BYTES) });
      else if (data.kind === "demo") hear(data.answer);
      else if (data.text) fail(data.text);
    };
    return started;
  }
  return ask;
}

export default {
  render({ model, el }) {
    const root = el.appendChild(make("div", { tabindex: "-1" }));
    root.addEventListener("focusin", ({ target }) => target.setAttribute("data-lm-suppress-shortcuts", "true")); // JupyterLab's shortcuts
    new Demo(root, model.get("description"), askKernel(model));
  },
};

for (const element of document.querySelectorAll("[data-demo]")) {
  const description = JSON.parse(element.querySelector("script").textContent);
  const { ask, small } = element.dataset;
  element.demo = new Demo(element, description, ask ? askServer(ask) : null, { page: small === undefined, small: small !== undefined });
}
