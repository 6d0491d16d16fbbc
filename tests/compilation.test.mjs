// A compilation's page: which call caused it, the compilations of the same function, sources of generated code.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { browserForTests, input } from "./harness.mjs";
import { dropAndRead, mark, openCompilation } from "./page.mjs";
import { head, record } from "./trace.mjs";

const browser = browserForTests();
before(browser.start);
after(browser.stop);

const FILES = ["/srv/demo/train.py", "/x/lib/python3.12/site-packages/torch/nn/modules/module.py",
  "/build/bin/train#link-tree/contextlib.py", "/srv/demo/model.py", "<eval_with_key>.8"];
const [TRAIN, TORCH, CONTEXT, MODEL, GENERATED] = FILES.keys();
const strings = FILES.map((file, number) => record({ str: [file, number] })).join("");
const own = { line: 5, name: "forward", filename: MODEL };
const stack = [
  { line: 90, name: "main", filename: TRAIN, loc: "train_step(net, batch)" },
  { line: 41, name: "train_step", filename: TRAIN, loc: "loss = net(batch)" },
  { line: 7, name: "inner", filename: CONTEXT, loc: "return func(*args)" },
  { line: 70, name: "_call_impl", filename: TORCH, loc: "return forward_call(*args)" },
];

/** A compilation that began and was measured. */
function one(frame, number, { frames = [...stack, own], restart = [] } = {}) {
  const at = { frame_id: frame, frame_compile_id: number, attempt: 0 };
  return record({ dynamo_start: { stack: frames }, ...at })
    + record({ compilation_metrics: {
      co_name: "forward", co_filename: FILES[MODEL], co_firstlineno: 5, graph_op_count: 3, guard_count: 4,
      entire_frame_compile_time_s: 0.5, restart_reasons: restart,
    }, ...at });
}

async function opened(name, text, label) {
  const session = await browser.open();
  await dropAndRead(session.page, input(name, head() + strings + text));
  await openCompilation(session.page, label);
  return session;
}

test("the call that caused a compilation is named with its source: the reader's own, not a framework's", async () => {
  const { page, finish } = await opened("called.log", one(0, 0), "[0/0]");
  const said = (await mark(page, "caller").innerText()).replace(/\s+/g, " ");
  assert.equal(said, "Called from demo/train.py:41 in train_step loss = net(batch)");
  assert.equal(await mark(page, "caller").locator("[title]").getAttribute("title"), "/srv/demo/train.py:41");
  await finish();
});

test("the compilations of the same function stand side by side; the keys { and } go through them", async () => {
  const text = one(0, 0) + one(1, 0) + one(0, 1, { restart: ["a break"] }) + one(1, 1) + one(0, 2);
  const { page, finish } = await opened("frames.log", text, "[0/1]");
  const strip = await mark(page, "of-frame").evaluateAll((all) => all.map((link) => [
    link.innerText.split(/\s/)[0], link.dataset.status, link.getAttribute("aria-current")]));
  assert.deepEqual(strip, [["[0/0]", "ok", null], ["[0/1]", "break", "page"], ["[0/2]", "ok", null]]);
  assert.match(await mark(page, "frame-strip").innerText(), /3 compilations of this function/);
  const isAt = (label) => page.locator("main h1", { hasText: label }).waitFor();
  await page.keyboard.press("}");
  await isAt("[0/2]");
  assert.equal(await mark(page, "frame-next").count(), 0);
  await page.keyboard.press("{");
  await isAt("[0/1]");
  await page.keyboard.press("[");
  await isAt("[1/0]");
  await page.keyboard.press("}");
  await isAt("[1/1]");
  await mark(page, "frame-previous").click();
  await isAt("[1/0]");
  await mark(page, "of-frame").last().click();
  await isAt("[1/1]");
  await finish();
});

test("of 500 compilations of a function the 200 around this one are named", async () => {
  const text = Array.from({ length: 500 }, (_, number) => one(0, number)).join("");
  const { page, finish } = await opened("many.log", text, "[0/2]");
  assert.equal(await mark(page, "of-frame").count(), 200);
  assert.match(await mark(page, "frame-strip").innerText(), /500 compilations of this function, the 200 around this one/);
  await finish();
});

test("a frame in code that torch.fx generated leads to that code, in the stack and in the tree", async () => {
  const at = { frame_id: 0, frame_compile_id: 0, attempt: 0 };
  const generated = { line: 5, name: "forward", filename: GENERATED, loc: "mm = torch.mm(x, y)" };
  const source = ["", "", "", "def forward(self, inputs):", "    mm = torch.mm(inputs[0], inputs[1])", "    return mm"].join("\n");
  const { page, finish } = await opened("generated.log", one(0, 0, { frames: [stack[1], generated] })
    + record({ dump_file: { name: FILES[GENERATED] }, ...at }, source), "[0/0]");
  assert.equal(await mark(page, "dumped").count(), 1);
  await mark(page, "dumped").click();
  await mark(page, "text").waitFor();
  await page.locator('[data-testid="text-row"].chosen', { hasText: "mm = torch.mm(inputs[0]" }).waitFor();
  await page.getByRole("link", { name: "Stacks", exact: true }).click();
  await mark(page, "stack-row").first().waitFor();
  await mark(page, "dumped").click();
  await page.locator('[data-testid="text-row"].chosen', { hasText: "mm = torch.mm(inputs[0]" }).waitFor();
  await finish();
});

test("what the log does not tell is said, with what would have recorded it", async () => {
  const at = { frame_id: 4, frame_compile_id: 0, attempt: 0 };
  const { page, finish } = await opened("lacking.log", record({ dynamo_start: { stack: [] }, ...at }), "[4/0]");
  const said = (await mark(page, "missing").allInnerTexts()).join(" ");
  assert.match(said, /function's name is not logged: torch 2\.5 and later/);
  assert.match(said, /Operations, guards and compile time are not logged: torch 2\.4 and later/);
  assert.match(await mark(page, "no-stack").innerText(), /names no frame\. Set TORCH_TRACE/);
  assert.match(await mark(page, "no-artifacts").innerText(), /Nothing to read was written/);
  await page.getByRole("link", { name: "Overview", exact: true }).click();
  assert.match(await mark(page, "fact-compile-time").innerText(), /not logged\s+no compilation ended well/);
  assert.match(await mark(page, "fact-cache").innerText(), /not logged\s+no cache was asked/);
  await page.getByRole("link", { name: "Stacks", exact: true }).click();
  assert.match(await mark(page, "unknown-stacks").innerText(), /dynamo_start, or that record names no frame/);
  assert.doesNotMatch(await mark(page, "unknown-stacks").innerText(), /older PyTorch/);
  await finish();
});
