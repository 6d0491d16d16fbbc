// Why a function was compiled again: its page, the overview's list, the compilation's section.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { browserForTests, CORPUS, fixture, input } from "./harness.mjs";
import { chooseFiles, filterBy, finished, mark, openCompilation } from "./page.mjs";
import { head, record } from "./trace.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const browser = browserForTests();
before(browser.start);
after(browser.stop);

const skip = CORPUS ? false : "DYNASCOPE_CORPUS is not set";
if (skip) console.log("why: the corpus's part is skipped, because DYNASCOPE_CORPUS is not set");

async function opened(path, options) {
  const session = await browser.open(options);
  await chooseFiles(session.page, [path]);
  await finished(session.page);
  return session;
}

/** Follows the overview's link to a function's history. */
async function history(page, name) {
  const link = mark(page, "recompiled-function");
  await (name ? link.filter({ hasText: new RegExp(`^${name}$`) }) : link).first().click();
  await mark(page, "because").waitFor();
}

/** The failed guards that are drawn: what is said of each. */
const failed = (page) => mark(page, "failed-guard").evaluateAll((all) => all.map((one) => ({
  says: one.querySelector("p").textContent,
  guard: one.querySelector("pre").textContent,
  link: one.querySelector('[data-testid="guard-link"]')?.getAttribute("href"),
  user: one.querySelector('[data-testid="user-line"]')?.textContent,
  ...Object.fromEntries([...one.querySelectorAll("dl > div")].map((fact) => [
    fact.querySelector("dt").textContent, fact.querySelector("dd").textContent])),
})));

test("the first thing on the overview is the worst function, with its cause, and it leads to the answer", async () => {
  const { page, finish } = await opened(fixture("torch-2.5.1/rc_limit.log"));
  await page.locator("main h1", { hasText: "7 recompiles of f" }).waitFor();
  const worst = await mark(page, "worst").innerText();
  assert.match(worst, /f was compiled 8 times: x\.size\(\)\[0\] changes: 2, 3, 4 …/);
  const row = await mark(page, "recompiled-row").first().innerText();
  assert.match(row, /x\.size\(\)\[0\] changes/);
  assert.match(row, /Mark dimension 0 of x as dynamic/);
  assert.match(row, /limit was reached/);
  const first = await mark(page, "recompiled").evaluate((section) => {
    const table = document.querySelector('[data-testid="compilations"]');
    return Boolean(section.compareDocumentPosition(table) & Node.DOCUMENT_POSITION_FOLLOWING);
  });
  assert.ok(first, "it stands above the table");
  await mark(page, "worst").getByRole("link").click();
  await mark(page, "frame-history").waitFor();
  assert.match(await page.locator("main h1").innerText(), /f was compiled 8 times/);
  await finish();
});

test("a function at the limit: the answer, the remedy, the strip and every version that was tried", async () => {
  const { page, finish } = await opened(fixture("torch-2.5.1/rc_limit.log"));
  await history(page);
  assert.match(await mark(page, "because").innerText(), /Because x\.size\(\)\[0\] changes: 2, 3, 4/);
  assert.match(await mark(page, "limit").innerText(), /At \[0\/8\].*cache_size_limit.*plain Python/s);
  const remedy = await mark(page, "remedy").innerText();
  assert.match(remedy, /Mark dimension 0 of x as dynamic/);
  assert.match(remedy, /certain/);
  assert.match(remedy, /torch\._dynamo\.mark_dynamic\(x, 0\)/);
  assert.match(remedy, /dynamic=True/);
  assert.match(await mark(page, "other-remedies").innerText(), /leave the function out/);
  const roles = await mark(page, "step").evaluateAll((all) => all.map((step) => step.dataset.role));
  assert.deepEqual(roles, ["first", "again", "again", "again", "again", "again", "again", "again", "limit", "eager"]);
  assert.match(await mark(page, "step").nth(2).innerText(), /x\.size\(\)\[0\] = 4/);
  // Counting the boxes gives what the headline says: those behind them are dashed, and said to be none.
  const outlines = await mark(page, "step").evaluateAll((all) => all.map((step) => getComputedStyle(step).borderLeftStyle));
  assert.deepEqual(outlines, [...Array(8).fill("solid"), "dashed", "dashed"]);
  assert.match(await mark(page, "step").nth(8).innerText(), /not compiled: recompile limit/);
  assert.ok(await page.getByRole("heading", { name: "Its 8 compilations, in order" }).isVisible());
  assert.ok(await page.getByText("The dashed boxes at the end are no compilations").isVisible());
  const guards = await failed(page);
  assert.equal(guards.length, 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8);
  assert.match(guards[1].says, /The version of \[0\/1\] did not fit/);
  assert.deepEqual([guards[1].Source, guards[1]["Compiled for"], guards[1]["What came"]], ["x", "3", "4"]);
  assert.ok(await mark(page, "only-first").isVisible(), "others may differ, too");
  const values = await mark(page, "series").first().locator("li .code-font").allInnerTexts();
  assert.deepEqual(values, ["2", "3", "4", "5", "6", "7", "8", "9", "10"]);
  await mark(page, "frame-evidence").getByRole("link").first().click();
  await mark(page, "record").waitFor();
  await finish();
});

test("an example is one block: what goes and what comes is marked and said, and copying gives what comes", async () => {
  const { page, context, finish } = await opened(fixture("torch-2.5.1/rc_limit.log"));
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await history(page);
  const example = mark(page, "remedy").locator("[data-testid=example]");
  assert.equal(await example.count(), 1);
  const lines = await example.locator(".change-line").evaluateAll((all) => all.map((line) => [line.dataset.side ?? "", line.textContent]));
  assert.deepEqual(lines.slice(0, 4), [
    ["old", "−removed: f = torch.compile(f, dynamic=False)"], ["new", "+added: f = torch.compile(f)"],
    ["new", "+added: torch._dynamo.mark_dynamic(x, 0)"], ["", " f(x)"],
  ]);
  await example.getByRole("button", { name: "Copy the code with the change" }).click();
  await example.getByText("Copied").waitFor();
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^f = torch\.compile\(f\)\ntorch\._dynamo\.mark_dynamic\(x, 0\)\nf\(x\)\n/);
  await finish();
});

test("where times are known, the cause that cost most stands first; where none are, no column is empty", async () => {
  const log = (times) => head() + record({ str: ["/srv/demo/cost.py", 0] }) + record({ str: ["/srv/demo/train.py", 1] })
    + times.map((seconds, number) => {
      const at = { frame_id: 0, frame_compile_id: number, attempt: 0 };
      const why = ["", "x == 'a'", "x == 'a'", "tensor 'y' dtype mismatch. expected Float, actual Half"][number];
      const stack = [{ line: 41, name: "main", filename: 1, loc: "step(x, y)" }, { line: 3, name: "step", filename: 0 }];
      return (why && because(0, number, `0/${number - 1}: ${why}`)) + record({ dynamo_start: { stack }, ...at })
        + (seconds === null ? "" : record({ compilation_metrics: {
          compile_id: `0/${number}`, co_name: "step", co_filename: "/srv/demo/cost.py", co_firstlineno: 3, entire_frame_compile_time_s: seconds,
        }, ...at }));
    }).join("");
  const timed = await opened(input("timed.log", log([1, 1, 1, 9.5])));
  await history(timed.page);
  assert.match(await mark(timed.page, "remedy").innerText(), /^Pass y with one dtype.*cost 9\.50? s/);
  assert.match(await mark(timed.page, "because").innerText(), /y\.dtype changes/);
  assert.match(await mark(timed.page, "other-remedies").innerText(), /x.*cost 2\.00? s/);
  const caller = mark(timed.page, "caller");
  assert.match(await caller.innerText(), /Called from demo\/train\.py:41 in main step\(x, y\)/);
  await mark(timed.page, "caller-stack").click();
  await timed.page.locator("main h1", { hasText: "[0/0]" }).waitFor();
  await mark(timed.page, "stack").waitFor();
  await timed.finish();

  const untimed = await opened(input("untimed.log", log([null, null, null, null])));
  await mark(untimed.page, "recompiled-row").waitFor();
  assert.equal(await mark(untimed.page, "recompiled-by-seconds").count(), 0);
  assert.deepEqual([await untimed.page.locator(".recompiled th").count(), await mark(untimed.page, "recompiled-row").locator("td").count()], [3, 3]);
  await history(untimed.page);
  assert.match(await mark(untimed.page, "because").innerText(), /x changes/);
  assert.equal(await mark(untimed.page, "cost").count(), 0);
  await untimed.finish();
});

test("functions and values that PyTorch named are said in words, and their names stay", async () => {
  const name = "torch_dynamo_resume_in_f_at_16";
  const text = head() + record({ str: ["/srv/demo/f.py", 0] }) + [0, 1].map((number) => {
    const why = number ? because(0, 1, "0/0: ___stack1 == 0.5") : "";
    return why + record({ dynamo_start: { stack: [{ line: 16, name, filename: 0 }] }, frame_id: 0, frame_compile_id: number, attempt: 0 });
  }).join("");
  const { page, finish } = await opened(input("resumed.log", text));
  const words = "f, continued at line 16 behind a graph break";
  assert.match(await mark(page, "recompiled-row").innerText(), new RegExp(`${name}\\s+${words}`));
  assert.match(await mark(page, "worst").innerText(), /___stack1 \(a value kept over a graph break\) changes/);
  assert.equal(await mark(page, "row").first().locator('[data-column="function"]').getAttribute("title"), `${name}: ${words}`);
  await filterBy(page, "resume_in_f", "2 comp");
  await history(page, name);
  assert.match(await page.locator("main h1").innerText(), new RegExp(`${name} was compiled twice\\s+${words}`));
  assert.match(await mark(page, "kept-value").innerText(), /___stack1 is PyTorch's name for a value.*kept over a graph break/);
  const offset = await mark(page, "caller-stack").or(mark(page, "frame-evidence").getByRole("link")).first()
    .evaluate((link) => parseFloat(getComputedStyle(link).textUnderlineOffset) / parseFloat(getComputedStyle(link).fontSize));
  assert.ok(offset >= 0.25, `underscores show above the line: ${offset}`);
  await page.goBack();
  await openCompilation(page, "[0/1]");
  assert.equal(await page.locator("main h1").getByTestId("continued").innerText(), words);
  await finish();
});

test("a size that becomes a symbol, and the failed guard in its tree", async () => {
  const { page, finish } = await opened(fixture("torch-2.15.0/rc_shape.log.gz"));
  await history(page);
  const [guard] = await failed(page);
  assert.deepEqual([guard.Source, guard["Compiled for"], guard["What came"]], ["x", "4", "5"]);
  assert.match(guard.link, /view=guards&record=\d+&node=\d+$/);
  assert.match(await mark(page, "series").first().innerText(), /From \[0\/1\] on any value is accepted/);
  assert.match(await mark(page, "remedy").innerText(), /mark_dynamic\(x, 0\)/);
  assert.match(await mark(page, "by-itself").first().innerText(), /by itself at \[0\/1\]/);
  await finish();
});

test("a compilation's page says why it was compiled again, and leads to the whole history", async () => {
  const { page, finish } = await opened(fixture("torch-2.5.1/rc_limit.log"));
  await openCompilation(page, "[0/2]");
  await mark(page, "failed-guard").nth(1).waitFor();
  assert.equal(await mark(page, "failed-guard").count(), 2);
  await mark(page, "next").click();
  await page.locator("main h1", { hasText: "[0/3]" }).waitFor();
  await mark(page, "failed-guard").nth(2).waitFor();
  await mark(page, "frame-link").click();
  await mark(page, "because").waitFor();
  const address = page.url();
  assert.match(address, /view=frame&frame=0$/);
  await page.goBack();
  await page.goBack();
  await page.goBack();
  await openCompilation(page, "[0/0]");
  assert.equal(await mark(page, "why-again").count(), 0, "the first one has no reason");
  await finish();
});

test("the list is sorted by recompiles and by seconds, with the keyboard, and shows twenty first", async () => {
  const { page, finish } = await opened(input("many.log", many(260)));
  await mark(page, "recompiled-row").nth(19).waitFor();
  assert.equal(await mark(page, "recompiled-row").count(), 20);
  const names = () => mark(page, "recompiled-function").allInnerTexts();
  assert.equal((await names())[0], "f259");
  await mark(page, "recompiled-by-seconds").focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector('[data-testid="recompiled-function"]').textContent === "f0");
  assert.equal(await page.locator(".recompiled th[aria-sort=descending]").innerText().then((text) => text.replace(/\W+$/, "")), "Time lost");
  await mark(page, "recompiled-more").click();
  await mark(page, "recompiled-row").nth(219).waitFor();
  await mark(page, "recompiled-more").click();
  await mark(page, "recompiled-row").nth(259).waitFor();
  assert.equal(await mark(page, "recompiled-more").count(), 0);
  await finish();
});

test("a frame with a thousand compilations draws two hundred at once", async () => {
  const { page, finish } = await opened(input("long.log", head() + frame(0, 700, 0.01)));
  await history(page);
  assert.equal(await mark(page, "step").count(), 200);
  await mark(page, "show-more").first().click();
  await mark(page, "step").nth(399).waitFor();
  assert.equal(await mark(page, "why").count(), 20);
  await finish();
});

test("hostile reasons show as they stand, cut where they are long", async () => {
  for (const [name, reasons, wanted] of [
    ["markup", "0/0: <script>globalThis.hit = 1</script><img src=x onerror='globalThis.hit = 1'>", /^<script>/],
    ["large", `0/0: ${"é".repeat(1_000_000)}`, /^é+…$/],
    ["broken", '["0/0: tensor \'x\' size mismatch at index 0. expected 2, actual 3", "0/1: ', /size mismatch/],
    ["hidden", "0/0: a\u202Eb", /^aU\+202Eb/],
    ["braces", "0/0: {source} {dim}", /^\{source\} \{dim\}/],
  ]) {
    const text = head() + start(0, 0) + because(0, 1, reasons) + start(0, 1);
    const { page, finish } = await opened(input(`${name}.log`, text));
    await history(page);
    const [guard] = await failed(page);
    assert.match(guard.guard, wanted, name);
    assert.ok(guard.guard.length <= 2001, name);
    assert.equal(await page.locator("main img, main script").count(), 0);
    assert.equal(await page.evaluate(() => globalThis.hit), undefined);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(wide <= 0, `${name}: ${wide} px too wide`);
    await finish();
  }
});

for (const [colorScheme, viewport] of [["light", { width: 400, height: 800 }], ["dark", { width: 2560, height: 1300 }]]) {
  test(`everybody can read it: ${colorScheme}, ${viewport.width} px`, async () => {
    const { page, finish } = await opened(fixture("torch-2.5.1/rc_limit.log"), { colorScheme, viewport });
    const check = async (where) => {
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
      assert.deepEqual(violations.map(({ id, nodes }) => `${where} ${id}: ${nodes[0].html.slice(0, 200)}`), []);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(wide <= 0, `${where}: ${wide} px too wide`);
    };
    await mark(page, "recompiled-row").first().waitFor();
    await check("overview");
    await history(page);
    for (const fold of await page.locator(".remedy-fold summary").all()) await fold.click();
    await check("history");
    await finish();
  });
}

for (const [folder, name, wanted] of [
  ["rc_adam_lr", "step2?", [/param_groups\[0\]\['lr'\]/, /0\.01/, /torch\.tensor\(0\.01\)/, /learning rate a tensor/]],
  ["rc_float", "f", [/alpha/, /0\.1/, /as a tensor/, /return x \* alpha/]],
  ["rc_float", "h", [/mode/, /'sin'/, /'cos'/, /one version for each value/]],
  ["rc_limit", "f", [/x\.size\(\)\[0\]/, /mark_dynamic\(x, 0\)/, /recompile_limit/, /limit of 8/, /plain Python/]],
  ["rc_mixed", "g", [/x\.size\(\)\[0\]/, /mark_dynamic\(x, 0\)/, /limit/]],
  ["rc_module_attr", "forward", [/self\.count/, /allow_unspec_int_on_nn_module = True/, /register_buffer\("count"/]],
  ["rc_global", "f", [/SCALE/, /Pass SCALE as an argument/, /return x \* SCALE/]],
  ["rc_gradmode", "f", [/grad mode/, /always inside, or always outside, autocast/, /GLOBAL_STATE changed/]],
]) {
  test(`${folder}, ${name}: the source, what was expected, what came, and the remedy`, { skip }, async () => {
    const at = join(CORPUS, "torch-2.15.0", "trace", folder);
    const { page, finish } = await opened(join(at, readdirSync(at).find((file) => file.endsWith(".log"))));
    await history(page, name);
    const text = await mark(page, "frame-history").innerText();
    for (const pattern of wanted) assert.match(text, pattern);
    const guards = await failed(page);
    assert.ok(guards.every((guard) => guard.guard.length > 0));
    assert.ok(guards.some((guard) => guard.link), "a guard is found in its tree");
    await finish();
  });
}

/** A compilation's start. */
function start(frameId, number, attempt = 0) {
  const stack = [{ line: 3, name: `f${frameId}`, filename: 0 }];
  return record({ dynamo_start: { stack }, frame_id: frameId, frame_compile_id: number, attempt });
}

/** Reasons, as PyTorch writes them. */
function because(frameId, number, payload) {
  return record({
    artifact: { name: "recompile_reasons", encoding: "json" }, frame_id: frameId, frame_compile_id: number, attempt: 0,
  }, payload);
}

/** A function that was compiled so many times, because a number changed. */
function frame(frameId, times, seconds) {
  return record({ str: ["/srv/demo/many.py", 0] }) + Array.from({ length: times }, (_, number) => {
    const at = { frame_id: frameId, frame_compile_id: number, attempt: 0 };
    const why = number === 0 ? "" : because(frameId, number, `${frameId}/${number - 1}: x == ${number - 1}`);
    return why + start(frameId, number) + record({ compilation_metrics: {
      compile_id: `${frameId}/${number}`, co_name: `f${frameId}`, co_filename: "/srv/demo/many.py", co_firstlineno: 3,
      guard_count: 1, graph_op_count: 1, entire_frame_compile_time_s: seconds,
    }, ...at });
  }).join("");
}

/** So many functions; the later ones were compiled more often, the earlier ones took longer. */
function many(functions) {
  return head() + Array.from({ length: functions }, (_, number) => {
    return frame(number, 2 + Math.floor(number / 200) + (number === functions - 1 ? 1 : 0), 1000 - number * 3);
  }).join("");
}
