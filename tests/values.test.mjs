// A name in the code of a graph says where it is defined, where it is used, and what it holds.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { browserForTests, input } from "./harness.mjs";
import { dropAndRead, mark } from "./page.mjs";
import { record, trace } from "./trace.mjs";

const browser = browserForTests();
before(browser.start);
after(browser.stop);

const GRAPH = 3;

async function opened(path = input("values.log", trace(2, 400)), more = "") {
  const session = await browser.open();
  await dropAndRead(session.page, path);
  await session.page.evaluate((hash) => { location.hash = hash; }, `#v=1&log=0&view=text&record=${GRAPH}${more}`);
  await mark(session.page, "text-row").first().waitFor();
  return session;
}

/** The middle of a word in a row of the text, on the screen. */
const middle = (page, row, word) => page.evaluate(([row_, word_]) => {
  const text = document.querySelector(`.code-row[data-row="${row_}"] .code-text`);
  const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const at = node.data.indexOf(word_);
    if (at < 0) continue;
    const range = document.createRange();
    range.setStart(node, at);
    range.setEnd(node, at + word_.length);
    const { x, y, width, height } = range.getBoundingClientRect();
    return { x: x + width / 2, y: y + height / 2 };
  }
  return undefined;
}, [row, word]);

async function press(page, row, word) {
  const at = await middle(page, row, word);
  assert.ok(at, `${word} stands in row ${row}`);
  await page.mouse.click(at.x, at.y);
}

test("a name that is pressed is marked where it is defined and used, and leads to the picture", async () => {
  const { page, finish } = await opened();
  await mark(page, "value-bar").getByText("Press a name").waitFor();
  // Row 5: v4 = torch.sin(v3); v3 = None
  await press(page, 5, "v3");
  await page.waitForFunction(() => document.querySelector('[data-testid="value-name"]')?.textContent === "v3");
  assert.equal(await mark(page, "definition").count(), 1);
  assert.equal(await mark(page, "definition").innerText(), "v3");
  assert.deepEqual(await mark(page, "use").allInnerTexts(), ["v3", "v3"]);
  assert.equal(await mark(page, "definition").locator("xpath=ancestor::*[@data-row]").getAttribute("data-row"), "4");
  assert.match(await mark(page, "value-bar").innerText(), /torch\.sin/);
  assert.match(await mark(page, "value-bar").innerText(), /1 user/);
  // What the pointer rests on shows meanwhile, and the one that was pressed comes back.
  const other = await middle(page, 8, "v7");
  await page.mouse.move(other.x, other.y);
  await page.waitForFunction(() => document.querySelector('[data-testid="value-name"]')?.textContent === "v7");
  await page.mouse.move(2, 2);
  await page.waitForFunction(() => document.querySelector('[data-testid="value-name"]')?.textContent === "v3");
  await mark(page, "value-picture").click();
  await mark(page, "graph-node").getByRole("heading", { name: "v3" }).waitFor();
  assert.match(await page.evaluate(() => location.hash), /view=graph&record=3&node=\d+/);
  // And from the picture back to the line.
  await mark(page, "node-line").click();
  await mark(page, "text").waitFor();
  assert.match(await page.evaluate(() => location.hash), /lines=5$/);
  await finish();
});

test("a line that the address points at explains the value that it defines, without a mouse", async () => {
  const { page, finish } = await opened(undefined, "&lines=200");
  await page.waitForFunction(() => document.querySelector('[data-testid="value-name"]')?.textContent === "v198");
  await mark(page, "go-use").focus();
  await page.keyboard.press("Enter");
  await mark(page, "use").first().waitFor();
  await mark(page, "go-definition").focus();
  await page.keyboard.press("Enter");
  await mark(page, "definition").waitFor();
  await finish();
});

test("names in wrapped lines are found, and text that is no graph has no bar", async () => {
  const long = `    s: "f32[8, 8]" = torch.ops.custom.op.default(${"v0, ".repeat(400)}v0)`;
  const text = `class GraphModule(torch.nn.Module):\n    def forward(self, v0: "f32[8, 8]"):\n    ${long}\n        return (s,)\n        `;
  const at = { frame_id: 0, frame_compile_id: 0, attempt: 0 };
  const log = [
    record({ str: ["/srv/demo/a.py", 0] }),
    record({ dynamo_start: { stack: [{ line: 1, name: "f", filename: 0 }] }, ...at }),
    record({ artifact: { name: "notes", encoding: "string" }, ...at }, "v0 is no name here"),
    record({ dynamo_output_graph: { sizes: {} }, ...at }, text),
  ].join("");
  const { page, finish } = await opened(input("values-long.log", log));
  await page.getByLabel("Wrap lines").check();
  await page.locator('.code-row[data-row="8"]').waitFor();
  await press(page, 6, "v0");
  await page.waitForFunction(() => document.querySelector('[data-testid="value-name"]')?.textContent === "v0");
  assert.ok(await mark(page, "use").count() > 50);
  await page.evaluate(() => { location.hash = "#v=1&log=0&view=text&record=2"; });
  await page.getByText("v0 is no name here").waitFor();
  assert.equal(await mark(page, "value-bar").count(), 0);
  await finish();
});
