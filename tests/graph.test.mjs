// Graphs as pictures: groups, stubs, search, comparison, keys, files, damage.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { browserForTests, fixture, input } from "./harness.mjs";
import { chooseFiles, dropAndRead, finished, mark, openCompilation } from "./page.mjs";
import { head, record } from "./trace.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const browser = browserForTests();
before(browser.start);
after(browser.stop);

/** A graph of blocks, each a call of one function of four lines; one value is used at both ends. */
function blocks(count) {
  const lines = ["class GraphModule(torch.nn.Module):", '    def forward(self, v0: "f32[4]"):'];
  let last = 0;
  for (let block = 0; block < count; block += 1) {
    for (let line = 10; line < 14; line += 1) {
      lines.push(`         # File: /srv/model.py:${line} in block, code: x = step${line}(x)`);
      const ops = ["sin", "cos", "exp", "relu", "tanh", "abs"];
      for (const op of [...ops.slice(line - 10), ...ops.slice(0, line - 10)]) {
        lines.push(`        v${last + 1}: "f32[4]" = torch.ops.aten.${op}.default(v${last})`);
        last += 1;
      }
    }
  }
  lines.push(`        far: "f32[4]" = torch.ops.aten.add.Tensor(v${last}, v1)`, "        return (far,)");
  return lines.join("\n");
}

const small = (body) => ["class GraphModule(torch.nn.Module):", '    def forward(self, x: "f32[4, 8]"):', ...body.map((line) => `        ${line}`)].join("\n");

/** A log of a compilation of one frame for each graph; the graphs are records 1, 2 … */
const log = (graphs, name = "graphs.log") => input(name, head() + graphs.map((text, number) =>
  record({ dynamo_output_graph: {}, frame_id: 0, frame_compile_id: number, attempt: 0 }, text)).join(""));

async function go(page, more = "", which = 1) {
  await page.evaluate((hash) => { location.hash = hash; }, `#v=1&log=0&view=graph&record=${which}${more}`);
  await mark(page, "graph").waitFor();
}

/** Opens a log with these graphs, and shows the one that `which` names. */
async function shown(graphs, { more = "", which = 1, ...options } = {}) {
  const session = await browser.open(options);
  await chooseFiles(session.page, [log(graphs)]);
  await finished(session.page);
  await go(session.page, more, which);
  await mark(session.page, "graph-row").first().waitFor();
  return session;
}

const picture = (page) => mark(page, "picture");
const said = (page) => picture(page).getAttribute("aria-label");
const saysSoon = async (page, pattern) => page.waitForFunction(
  ([source]) => new RegExp(source).test(document.querySelector('[data-testid="picture"]')?.getAttribute("aria-label")), [pattern.source],
).catch(async () => assert.match(await said(page), pattern));
const inAddress = (page, part) => page.waitForFunction((part_) => location.hash.includes(part_), part)
  .catch(() => assert.ok(page.url().includes(part), `${page.url()} has ${part}`));
/** Goes to the first box, until that is none of these any longer. */
async function beginsWithout(page, pattern) {
  const until = Date.now() + 20_000;
  do {
    await press(page, "Home");
    await page.waitForTimeout(50);
  } while (pattern.test(await said(page)) && Date.now() < until);
  assert.doesNotMatch(await said(page), pattern);
}
const notInAddress = (page, part) => page.waitForFunction((part_) => !location.hash.includes(part_), part)
  .catch(() => assert.ok(!page.url().includes(part), `${page.url()} has no ${part}`));
const camera = (page) => picture(page).evaluate(({ dataset: { x, y, scale } }) => [x, y, scale].map(Number));
/** Presses a key in the picture. */
async function press(page, key, times = 1) {
  for (let time = 0; time < times; time += 1) await picture(page).press(key);
}

/** The colours of the picture's pixels that are drawn, with their number, most frequent first. */
const colours = (page) => picture(page).evaluate((canvas) => {
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
  const counts = new Map();
  for (let at = 0; at < data.length; at += 4) {
    if (data[at + 3] === 0) continue;
    const key = `${data[at]},${data[at + 1]},${data[at + 2]},${data[at + 3]}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].sort(([, left], [, right]) => right - left);
});
/** Where what is chosen begins, by its colour. */
const chosenAt = (page) => picture(page).evaluate((canvas) => {
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
  let [left, top] = [Infinity, Infinity];
  for (let at = 0; at < data.length; at += 4) {
    if (data[at] !== 31 || data[at + 1] !== 85 || data[at + 2] !== 204 || data[at + 3] !== 255) continue;
    left = Math.min(left, (at / 4) % canvas.width);
    top = Math.min(top, Math.floor(at / 4 / canvas.width));
  }
  return [left, top];
});
const drawn = async (page) => (await colours(page)).reduce((sum, [, count]) => sum + count, 0);

/** The groups that an address says are open: numbers and stretches of numbers. */
const openGroups = (url) => url.match(/open=([\d.-]+)/)[1].split(".").flatMap((part) => {
  const [first, last = first] = part.split("-").map(Number);
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
});

test("from a compilation to its graph, to a node, its line and the text", async () => {
  const { page, finish } = await browser.open();
  await dropAndRead(page, fixture("torch-2.15.0", "rc_shape.log.gz"));
  await openCompilation(page, "[0/1]");
  await mark(page, "graph-link").first().click();
  await mark(page, "graph-row").first().waitFor();
  assert.match(await page.locator("main h1").innerText(), /dynamo_output_graph of \[0\/1\]/);
  assert.equal(await mark(page, "graph-operations").innerText(), "3 operations");
  await page.waitForFunction(() => document.querySelector('[data-testid="picture"]').width > 300);
  assert.ok(await drawn(page) > 2000, "the picture is drawn");
  await mark(page, "graph-row").filter({ hasText: "relu" }).first().click();
  await inAddress(page, "node=");
  await mark(page, "node-code").waitFor();
  assert.equal(await mark(page, "node-code").innerText(), "return (x * 2 + y).relu()");
  await saysSoon(page, /^relu, pointwise, f32\[s17, 3\], takes 1, is taken by 1$/);
  await mark(page, "node-inputs").getByRole("link", { name: "add" }).click();
  await saysSoon(page, /^add, /);
  // What is chosen is no step of its own; it is still there when one comes back.
  await page.goBack();
  await mark(page, "graph-link").first().waitFor();
  await page.goForward();
  await mark(page, "graph-row").first().waitFor();
  await saysSoon(page, /^add, /);
  await mark(page, "node-users").getByRole("link", { name: "relu" }).click();
  await saysSoon(page, /^relu, /);
  await mark(page, "node-line").click();
  await page.locator(".code-row.chosen", { hasText: "add.relu()" }).waitFor();
  await finish();
});

test("a large graph begins as a sketch; groups open and close where they are, and the address keeps which", async () => {
  const { page, finish } = await shown([blocks(12)]);
  await page.getByText("so it begins as a sketch").waitFor();
  await press(page, "Home");
  await saysSoon(page, /^block · model\.py:10–13 × 11, pointwise, 264 operations/);
  const place = () => mark(page, "graph-node").locator("h2").innerText();
  assert.match(await place(), /^block/);
  const [before, closed] = [await camera(page), await chosenAt(page)];
  await press(page, "Enter");
  await inAddress(page, "open=");
  await mark(page, "toggle-group").getByText("Close").waitFor();
  const opened = openGroups(page.url()).length;
  const after = await camera(page);
  assert.equal(after[2], before[2], "the scale stays");
  await press(page, "Enter");
  await mark(page, "toggle-group").getByText("Open").waitFor();
  assert.equal(openGroups(page.url()).length, opened - 1);
  const there = await chosenAt(page);
  assert.ok(Math.abs(there[0] - closed[0]) < 3 && Math.abs(there[1] - closed[1]) < 3, `${closed} ${there}`);
  await mark(page, "open-all").click();
  // Until the opened graph is there, the keys go along the one that is shown.
  await beginsWithout(page, /^block/);
  await press(page, "ArrowDown", 5);
  await saysSoon(page, /^tanh, /);
  await mark(page, "close-all").click();
  await inAddress(page, "open=");
  await mark(page, "sketch").click();
  await notInAddress(page, "open=");
  await finish();
});

test("an address shows the same again: node, groups, filter, comparison", async () => {
  const { page, finish } = await shown([blocks(12), blocks(12)], { which: 2, more: "&against=1&node=900&filter=exp" });
  await page.getByText("This graph has no such node.").waitFor();
  await go(page, "&against=1&node=30&filter=exp", 2);
  await mark(page, "graph-node").getByText("v30", { exact: true }).first().waitFor();
  // What hides the node is opened.
  await saysSoon(page, /^tanh|^abs|^sin|^cos|^exp|^relu/);
  await inAddress(page, "open=");
  assert.equal(await mark(page, "graph-filter").inputValue(), "exp");
  assert.equal(await mark(page, "graph-matching").innerText(), "48 of 291 nodes");
  assert.equal(await mark(page, "against").inputValue(), "1");
  const address = page.url();
  const text = await said(page);
  await page.evaluate((hash) => { location.hash = "#v=1&log=0&view=overview"; setTimeout(() => { location.hash = hash; }, 200); }, new URL(address).hash);
  await saysSoon(page, new RegExp(`^${text.split(",")[0]}`));
  await finish();
});

test("a search lights what it finds, counts it, and Enter goes to the first", async () => {
  const { page, finish } = await shown([blocks(3)]);
  const dim = await drawn(page);
  assert.ok(dim > 0);
  const box = mark(page, "graph-filter");
  await box.fill("tanh step12");
  await page.waitForFunction(() => document.querySelector('[data-testid="graph-matching"]').textContent.startsWith("3 of "));
  await box.press("Enter");
  await inAddress(page, "node=");
  await saysSoon(page, /^tanh, /);
  await mark(page, "node-code").getByText("x = step12(x)").waitFor();
  await box.fill("nowhere");
  await page.getByText("No node holds all of these words.").waitFor();
  await box.fill("");
  await page.waitForFunction(() => document.querySelector('[data-testid="graph-matching"]').textContent === "75 nodes");
  // A colour of the legend is a search too.
  await mark(page, "graph-legend").getByRole("button", { name: /^input/ }).click();
  await page.waitForFunction(() => document.querySelector('[data-testid="graph-matching"]').textContent.startsWith("1 of "));
  await mark(page, "graph-legend").getByRole("button", { name: /^input/ }).click();
  await notInAddress(page, "filter=");
  await finish();
});

test("the end of an edge that is cut leads to its other end", async () => {
  const chain = Array.from({ length: 80 }, (_, at) => `v${at + 1}: "f32[4]" = torch.sin(${at === 0 ? "x" : `v${at}`})`);
  const { page, finish } = await shown([small([...chain, 'far: "f32[4]" = v80 + v1', "return (far,)"])]);
  await press(page, "Home");
  await press(page, "ArrowDown");
  await saysSoon(page, /^sin, .* is taken by 2$/);
  // The pointer looks for the mark below the box.
  const { x, y, width, height } = await picture(page).boundingBox();
  let found = false;
  const look = async () => {
    for (let down = 3; down < height && !found; down += 7) {
      for (let across = width * 0.2; across < width * 0.8 && !found; across += 9) {
        await page.mouse.move(x + across, y + down);
        // It is no box, and yet a press would do something.
        found = await page.evaluate(() => document.querySelector(".canvas-picture").matches(".over")
          && /operations|^$/.test(document.querySelector('[data-testid="hovered"]').textContent));
      }
    }
  };
  await look();
  assert.ok(found, "a stub is under the pointer");
  await page.mouse.down();
  await page.mouse.up();
  await saysSoon(page, /^add, /);
  await finish();
});

test("wheel, drag, keys, buttons and the map move and zoom the picture", async () => {
  const { page, finish } = await shown([blocks(12)]);
  await mark(page, "open-all").click();
  await page.waitForFunction(() => document.querySelector(".canvas-map:not(.gone)"));
  const box = await picture(page).boundingBox();
  const [middleX, middleY] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(middleX, middleY);
  let [x, y, scale] = await camera(page);
  await page.mouse.wheel(0, 300);
  await page.waitForFunction((y_) => Number(document.querySelector('[data-testid="picture"]').dataset.y) < y_ - 200, y);
  [x, y, scale] = await camera(page);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -150);
  await page.keyboard.up("Control");
  await page.waitForFunction((scale_) => Number(document.querySelector('[data-testid="picture"]').dataset.scale) > scale_, scale);
  const [zoomedX, zoomedY, zoomed] = await camera(page);
  // The point below the cursor stays.
  const point = (at, offset, size) => (at - offset) / size;
  assert.ok(Math.abs(point(box.width / 2, x, scale) - point(box.width / 2, zoomedX, zoomed)) < 1);
  assert.ok(Math.abs(point(box.height / 2, y, scale) - point(box.height / 2, zoomedY, zoomed)) < 1);
  await page.mouse.down();
  await page.mouse.move(middleX + 40, middleY + 60, { steps: 4 });
  await page.mouse.up();
  const dragged = await camera(page);
  assert.ok(Math.abs(dragged[1] - zoomedY - 60) < 1.5, `${dragged} ${zoomedY}`);
  assert.ok(!page.url().includes("node="), "a drag chooses nothing");
  await mark(page, "fit").click();
  const all = await camera(page);
  assert.ok(all[2] < zoomed);
  await mark(page, "zoom-in").click();
  await press(page, "+", 8);
  assert.ok((await camera(page))[2] > all[2] * 2);
  const map = await mark(page, "map").boundingBox();
  await page.mouse.click(map.x + map.width / 2, map.y + map.height - 4);
  const bottom = await camera(page);
  await page.mouse.click(map.x + map.width / 2, map.y + 4);
  assert.ok((await camera(page))[1] > bottom[1] + 200);
  await picture(page).focus();
  await press(page, "Shift+ArrowDown");
  await press(page, "0");
  assert.deepEqual(await camera(page), all);
  assert.equal(await page.evaluate(() => scrollY), 0, "the page itself stays");
  await finish();
});

test("what is before and behind a node is lit, and what lies between two", async () => {
  const { page, finish } = await shown([small([
    'a: "f32[4, 8]" = torch.sin(x)', 'b: "f32[4, 8]" = torch.cos(a)', 'c: "f32[4, 8]" = torch.exp(a)',
    'd: "f32[4, 8]" = b + c', "return (d,)"])]);
  await mark(page, "graph-row").filter({ hasText: "cos" }).first().click();
  await saysSoon(page, /^cos/);
  await mark(page, "ancestors").click();
  assert.equal(await mark(page, "ancestors").getAttribute("aria-pressed"), "true");
  await mark(page, "descendants").click();
  assert.equal(await mark(page, "ancestors").getAttribute("aria-pressed"), "false");
  await mark(page, "between").click();
  await mark(page, "between").getByText("Now select the other end (from cos)").waitFor();
  await mark(page, "graph-row").filter({ hasText: "output" }).first().click();
  await mark(page, "between").getByText("Between this and cos").waitFor();
  await finish();
});

test("another graph of the payload, from the list and from the node that calls it", async () => {
  const text = `class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[4]"):
        true_graph_0 = self.true_graph_0
        cond = torch.ops.higher_order.cond(x, true_graph_0, true_graph_0, [x])
        return (cond,)
    class true_graph_0(torch.nn.Module):
        def forward(self, y: "f32[4]"):
            sin: "f32[4]" = torch.sin(y)
            return (sin,)
`;
  const { page, finish } = await shown([text]);
  await mark(page, "graph-row").filter({ hasText: "cond" }).first().click();
  await mark(page, "called-graph").first().waitFor();
  assert.equal(await mark(page, "called-graph").count(), 1);
  await mark(page, "called-graph").click();
  await inAddress(page, "module=1");
  await notInAddress(page, "node=");
  await mark(page, "graph-row").filter({ hasText: "sin" }).first().waitFor();
  await saysSoon(page, /^Picture of the graph$/);
  await mark(page, "module").selectOption("0");
  await mark(page, "graph-row").filter({ hasText: "cond" }).first().waitFor();
  await finish();
});

test("a comparison names what is new, gone and changed, and shows all of it", async () => {
  const old = small(['a: "f32[4, 8]" = torch.sin(x)', 'b: "f32[4, 8]" = torch.cos(a)', 'c: "f32[4, 8]" = torch.exp(b)', "return (c,)"]);
  const now = small(['a: "f32[4, 8]" = torch.sin(x)', 'c: "f32[s0, 8]" = torch.exp(a)', 'e: "f32[4, 8]" = torch.neg(c)', "return (e,)"]);
  const { page, finish } = await shown([old, now], { which: 2 });
  await mark(page, "against").selectOption({ label: "[0/0]" });
  await inAddress(page, "against=1");
  await page.locator(".graph-head", { hasText: "1 node new, 1 node gone" }).waitFor();
  assert.match(await page.locator(".graph-head").innerText(), /f32\[4, 8\] → f32\[s0, 8\]/);
  assert.match(await mark(page, "graph-legend").innerText(), /new[^]*gone[^]*changed/);
  await mark(page, "graph-row").filter({ hasText: "gone" }).click();
  await saysSoon(page, /^cos/);
  await mark(page, "node-line").click();
  await page.locator(".code-row.chosen", { hasText: "torch.cos(a)" }).waitFor();
  await finish();
});

test("on a small screen tools and colours are folded, and the picture begins in the upper half", async () => {
  const { page, finish } = await shown([blocks(30)], { viewport: { width: 400, height: 800 } });
  const box = await picture(page).boundingBox();
  assert.ok(box.y < 400, `the picture begins at ${box.y}`);
  assert.ok(!(await mark(page, "zoom-in").isVisible()));
  assert.ok(!(await mark(page, "graph-legend").isVisible()));
  for (const [fold, shows] of [["graph-fold-tools", "zoom-in"], ["graph-fold-colours", "graph-legend"]]) {
    assert.equal(await mark(page, fold).getAttribute("aria-expanded"), "false");
    await mark(page, fold).click();
    assert.equal(await mark(page, fold).getAttribute("aria-expanded"), "true");
    assert.ok(await mark(page, shows).isVisible());
    await mark(page, fold).click();
    assert.ok(!(await mark(page, shows).isVisible()));
  }
  await page.setViewportSize({ width: 1000, height: 800 });
  assert.ok(await mark(page, "zoom-in").isVisible());
  assert.ok(!(await mark(page, "graph-fold-tools").isVisible()));
  await finish();
});

test("many changes stand in a box of limited height, and do not push the picture away", async () => {
  const lines = (op) => [...Array.from({ length: 60 }, (_, at) => `v${at + 1}: "f32[4, 8]" = torch.${op}(${at ? `v${at}` : "x"})`), "return (v60,)"];
  const { page, finish } = await shown([small(lines("sin")), small(lines("cos"))], { which: 2, more: "&against=1" });
  await mark(page, "graph-changes").waitFor();
  const [box, changes] = [await picture(page).boundingBox(), mark(page, "graph-changes")];
  const [height, whole] = await changes.evaluate((list) => [list.clientHeight, list.scrollHeight]);
  assert.ok(whole > height && height < 200, `${height} of ${whole}`);
  assert.ok(box.y < 600, `the picture begins at ${box.y}`);
  await changes.focus();
  await page.keyboard.press("End");
  await page.waitForFunction(() => document.querySelector('[data-testid="graph-changes"]').scrollTop > 0);
  await finish();
});

test("a picture is saved as SVG, PNG and DOT, with names as text", async () => {
  const { page, finish } = await shown([small(['a: "<script>alert(1)</script>" = torch.ops.my_lib.f(x)', "return (a,)"])]);
  const save = async (kind) => {
    const [download] = await Promise.all([page.waitForEvent("download"), mark(page, `save-${kind}`).click()]);
    assert.match(download.suggestedFilename(), new RegExp(`dynamo_output_graph.*\\.${kind}$`));
    return readFileSync(await download.path());
  };
  const svg = (await save("svg")).toString();
  const read = await page.evaluate((text) => {
    const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
    return { errors: parsed.querySelectorAll("parsererror").length, boxes: parsed.querySelectorAll("rect").length, scripts: parsed.querySelectorAll("script").length, text: parsed.documentElement.textContent };
  }, svg);
  assert.equal(read.errors + read.scripts, 0, svg);
  assert.equal(read.boxes, 1 + 3);
  assert.match(read.text, /<script>alert\(1\)/);
  const png = await save("png");
  assert.deepEqual([...png.subarray(0, 8)], [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  assert.ok(png.length > 1000);
  const dot = (await save("dot")).toString();
  assert.match(dot, /^digraph "[^]*b0 -> b1;\n[^]*\}\n$/);
  await finish();
});

test("hostile names are text, wherever they stand", async () => {
  const long = "x".repeat(20_000);
  const evil = '<img src=x onerror=alert(1)>';
  const { page, finish } = await shown([[
    "class GraphModule(torch.nn.Module):", `    def forward(self, x: "${evil}", ${long}: "f32[4]"):`,
    `         # File: /srv/${evil}.py:3 in ${evil}, code: \u202egnp.exe ${evil}`,
    `        a: "${evil}" = torch.ops.evil.f(x, '${evil}', ${long})`, "        return (a,)"].join("\n")]);
  await mark(page, "graph-row").nth(2).click();
  await mark(page, "node-code").waitFor();
  assert.equal(await page.locator("main img, main script").count(), 0);
  assert.ok((await mark(page, "graph-node").innerText()).includes(evil));
  const width = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(width <= 0, `the page is ${width} px wider than the window`);
  await finish();
});

test("a text that is no graph says where reading stopped, with a link there", async () => {
  const { page, finish } = await browser.open();
  await chooseFiles(page, [log(["import torch\n\nprint('nothing')\n"])]);
  await finished(page);
  await go(page);
  assert.match(await mark(page, "graph-trouble").innerText(), /No graph begins in this text\. Reading stopped at line \d+/);
  assert.ok(!await picture(page).isVisible());
  await mark(page, "graph-stopped").click();
  await mark(page, "text-row").first().waitFor();
  await page.locator(".code-row.chosen").waitFor();
  await finish();
});

test("a line that is not understood stands in the graph, and is named", async () => {
  const { page, finish } = await shown([small(["??? what is this", "return (x,)"])]);
  await mark(page, "graph-wrong").locator("summary").click();
  assert.match(await mark(page, "graph-wrong").innerText(), /line 3[^]*\?\?\? what is this/);
  await mark(page, "graph-row").filter({ hasText: "???" }).first().waitFor();
  await finish();
});

test("another graph begins at its beginning, with nothing chosen", async () => {
  const { page, finish } = await shown([blocks(12), small(['a: "f32[4, 8]" = torch.sin(x)', "return (a,)"])]);
  await mark(page, "open-all").click();
  await mark(page, "graph-row").filter({ hasText: "v3" }).first().click();
  await saysSoon(page, /^exp/);
  await page.mouse.move(400, 500);
  await press(page, "PageDown", 6);
  await go(page, "", 2);
  await mark(page, "graph-row").filter({ hasText: "sin" }).first().waitFor();
  await saysSoon(page, /^Picture of the graph$/);
  assert.ok(await drawn(page) > 2000, "something is seen");
  assert.ok(!page.url().includes("node="));
  await finish();
});

test("the theme and the window's size draw it anew", async () => {
  const { page, finish } = await shown([small(['a: "f32[4, 8]" = torch.sin(x)', "return (a,)"])]);
  const pixel = async () => (await colours(page))[0]?.[0];
  const light = await pixel();
  await mark(page, "theme").selectOption("dark");
  for (let wait = 0; wait < 40 && await pixel() === light; wait += 1) await page.waitForTimeout(50);
  assert.notEqual(await pixel(), light);
  const wide = await picture(page).evaluate((canvas) => canvas.width);
  await page.setViewportSize({ width: 700, height: 800 });
  await page.waitForFunction((wide_) => document.querySelector('[data-testid="picture"]').width !== wide_, wide);
  assert.ok(await drawn(page) > 1000);
  await finish();
});

for (const [width, height] of [[1280, 800], [360, 740]]) {
  for (const colorScheme of ["light", "dark"]) {
    test(`axe finds nothing, ${width} px and ${colorScheme}`, async () => {
      const { page, finish } = await shown([blocks(12), blocks(11)], { which: 2, more: "&against=1&node=30&filter=exp", viewport: { width, height }, colorScheme });
      await mark(page, "node-code").waitFor();
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
      assert.deepEqual(violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(" | ")}`), []);
      const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(over <= 0, `the page is ${over} px wider than the window`);
      await finish();
    });
  }
}
