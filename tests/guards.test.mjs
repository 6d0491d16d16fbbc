// The tree of guards: sentences, filters, folds, the chosen guard, keys, damage, size.
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

const TREE = `
TREE_GUARD_MANAGER:
+- RootGuardManager
| +- GLOBAL_STATE: ___check_global_state()
| +- GuardManager: source=L['a'], accessed_by=DictGetItemGuardAccessor(a), type=<class 'dict'>, tag_safe=(False, False)
| | +- EQUALS_MATCH: L['a'] == '<script>alert(1)</script>'  # return a + b  # <img src=x>.py:3 in f
| | +- GuardManager: source=L['a'].inner, accessed_by=GetAttrGuardAccessor(inner)
| | | +- TYPE_MATCH: ___check_type_id(L['a'].inner, 94), type=<class 'int'>
| | | +- EQUALS_MATCH: L['a'].inner == 5  # return a.inner  # my.py:9 in f
| +- GuardManager: source=L['b'], accessed_by=DictGetItemGuardAccessor(b)
| | +- EQUALS_MATCH: L['b'] == 7  # _dynamo/x.py:3 in g
+- LAMBDA_GUARD: 2 <= L['a'].size()[0]  # return a + b  # my.py:4 in f

Guard latency = 103.25 us`;

/** A log of one record with guards; its number is 1. */
const one = (payload, kind = "dynamo_cpp_guards_str") => input("guards.log",
  head() + record({ [kind]: {}, frame_id: 0, frame_compile_id: 0, attempt: 0 }, payload));

async function go(page, more = "") {
  await page.evaluate((hash) => { location.hash = hash; }, `#v=1&log=0&view=guards&record=1${more}`);
  await mark(page, "guards").waitFor();
}

/** Opens a log with these guards, and shows them. */
async function shown(payload, options = {}) {
  const session = await browser.open(options.browser);
  await chooseFiles(session.page, [one(payload, options.kind)]);
  await finished(session.page);
  await go(session.page, options.more);
  return session;
}

/** The rows that are in the document, from top to bottom. */
const lines = (page) => mark(page, "guard-row").evaluateAll((all) => all
  .sort((left, right) => Number(left.dataset.row) - Number(right.dataset.row))
  .map((row) => row.textContent.replace(/^[▾▸]/, "")));

/** Waits until so many rows show. */
async function rowsAre(page, count) {
  await page.waitForFunction((wanted) => document.querySelectorAll('[data-testid="guard-row"]').length === wanted, count)
    .catch(async () => assert.equal((await lines(page)).length, count, (await lines(page)).join("\n")));
  return lines(page);
}

const row = (page, text) => mark(page, "guard-row").filter({ hasText: text }).first();
const active = (page) => page.locator('[data-testid="guard-row"][aria-selected="true"]').innerText();
const inAddress = (page, part) => page.waitForFunction((part_) => location.hash.includes(part_), part);

test("from a compilation to its guards, in sentences, and to the line of code that caused one", async () => {
  const { page, finish } = await browser.open();
  await dropAndRead(page, fixture("torch-2.15.0", "rc_shape.log.gz"));
  await openCompilation(page, "[0/1]");
  assert.equal(await mark(page, "guards-link").count(), 1);
  await mark(page, "guards-count").click();
  await mark(page, "guard-row").first().waitFor();
  assert.match(await page.locator("main h1").innerText(), /Guards of \[0\/1\]/);
  assert.equal(await mark(page, "guards-headline").innerText(),
    "This compiled code may be reused while 20 guards hold; 13 of them come from your code.");
  assert.match(await mark(page, "latency").innerText(), /12 ms/);
  await row(page, "float32 tensor of shape [any, 3] on the CPU, contiguous, without gradient").click();
  assert.match(await mark(page, "guard-sentence").innerText(), /^x must be a float32 tensor/);
  assert.match(await mark(page, "tensor").innerText(), /Strides\s+\[3, 1\] \(contiguous\)/);
  assert.equal(await mark(page, "guard-source").innerText(), "return (x * 2 + y).relu()");
  await mark(page, "guard-line").click();
  await page.locator(".code-row.chosen", { hasText: "TENSOR_MATCH" }).waitFor();
  await finish();
});

test("older versions: a tree without causes, and a list", async () => {
  for (const [version, headline] of [["torch-2.5.1", /while 5 guards hold; none of them/], ["torch-2.3.1", /while 4 guards hold/]]) {
    const { page, finish } = await browser.open();
    await dropAndRead(page, fixture(version, "rc_limit.log"));
    await openCompilation(page, "[0/1]");
    await mark(page, "guards-count").click();
    await row(page, "float32 tensor of shape [3] on the CPU").waitFor();
    assert.match(await mark(page, "guards-headline").innerText(), headline);
    await finish();
  }
});

test("the switch, the class and the words leave what matches and what holds it", async () => {
  const { page, finish } = await shown(TREE);
  await rowsAre(page, 10);
  await mark(page, "guards-mine").check();
  const mine = await rowsAre(page, 6);
  assert.match(mine[0], /^All guards.*2 guards$/);
  assert.equal(await mark(page, "guards-matching").innerText(), "3 of 6 guards");
  await inAddress(page, "mine=yes");
  await mark(page, "guards-class").selectOption({ label: "EQUALS_MATCH (3)" });
  await rowsAre(page, 5);
  await inAddress(page, "class=EQUALS_MATCH");
  await mark(page, "guards-filter").fill("INNER 5");
  await rowsAre(page, 4);
  await inAddress(page, "text=INNER%205");
  await mark(page, "guards-filter").fill("nowhere");
  await page.locator(".guard-tree .nothing").waitFor();
  await finish();
});

test("an address shows the same again: filter, class, switch, node", async () => {
  const { page, finish } = await shown(TREE, { more: "&text=must&class=EQUALS_MATCH&mine=yes&node=6" });
  await rowsAre(page, 5);
  assert.equal(await mark(page, "guards-filter").inputValue(), "must");
  assert.equal(await mark(page, "guards-class").inputValue(), "=EQUALS_MATCH");
  assert.ok(await mark(page, "guards-mine").isChecked());
  assert.equal(await mark(page, "guard-sentence").innerText(), "a.inner must equal 5.");
  assert.match(await page.locator(".tree-row.chosen").innerText(), /must equal 5/);
  await finish();
});

test("nodes fold and open; a link to a node unfolds what holds it", async () => {
  const { page, finish } = await shown(TREE);
  await rowsAre(page, 10);
  await row(page, /^▾a\.inner/).locator(".tree-fold").click();
  await rowsAre(page, 8);
  assert.match(await row(page, "a.inner").innerText(), /2 guards/);
  assert.equal(await row(page, "a.inner").getAttribute("aria-expanded"), "false");
  await mark(page, "fold-all").click();
  await rowsAre(page, 5);
  await go(page, "&node=6");
  await rowsAre(page, 9);
  await page.locator(".tree-row.chosen", { hasText: "must equal 5" }).waitFor();
  // What the reader folds stays folded, the chosen guard's holder too.
  await row(page, /^▾a\.inner/).locator(".tree-fold").click();
  await rowsAre(page, 7);
  await page.waitForTimeout(200);
  await rowsAre(page, 7);
  await mark(page, "open-all").click();
  await rowsAre(page, 10);
  await mark(page, "largest").first().click();
  await inAddress(page, "node=2");
  assert.match(await mark(page, "guard").innerText(), /3 guards hang on this object/);
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("role")), "tree");
  await finish();
});

test("the keyboard alone is enough", async () => {
  const { page, finish } = await shown(TREE);
  await rowsAre(page, 10);
  await mark(page, "guard-tree").focus();
  const press = async (...keys) => { for (const key of keys) await page.keyboard.press(key); };
  await press("End");
  assert.match(await active(page), /2 <= a\.size/);
  await press("Home", "ArrowDown", "ArrowDown");
  assert.match(await active(page), /^▾\s*a/);
  const marks = await page.locator('.tree-row[aria-selected="true"]').evaluate((row_) => ["aria-level", "aria-posinset", "aria-setsize"].map((name) => row_.getAttribute(name)));
  assert.deepEqual(marks, ["2", "2", "3"]);
  await press("ArrowLeft");
  await rowsAre(page, 6);
  await press("ArrowRight");
  await rowsAre(page, 10);
  await press("ArrowRight", "ArrowDown", "ArrowDown", "ArrowDown");
  assert.match(await active(page), /must equal 5/);
  await press("Enter");
  await inAddress(page, "node=6");
  await mark(page, "guard-sentence").waitFor();
  await press("ArrowLeft");
  assert.match(await active(page), /a\.inner/);
  assert.equal(await page.evaluate(() => document.activeElement.dataset.testid), "guard-tree");
  await finish();
});

test("what a log names stays text", async () => {
  const { page, finish } = await shown(TREE);
  await row(page, "<script>").click();
  await mark(page, "guard-sentence").waitFor();
  assert.match(await mark(page, "guard-sentence").innerText(), /'<script>alert\(1\)<\/script>'/);
  assert.match(await mark(page, "guard").innerText(), /<img src=x>\.py:3/);
  assert.equal(await page.locator("main script, main img").count(), 0);
  await finish();
});

test("damage is shown and counted with its lines; no guards at all say so", async () => {
  const { page, finish } = await shown("\nTREE_GUARD_MANAGER:\n+- RootGuardManager\n| | | | +- EQUALS_MATCH: L['a'] == 1\n| +- ???\n| +- GuardManager: sour");
  await mark(page, "guards-wrong").waitFor();
  assert.match(await mark(page, "guards-wrong").innerText(), /could not be read/);
  assert.match(await mark(page, "guards-wrong").innerText(), /line 5/);
  await mark(page, "guard-row").first().waitFor();
  await finish();
  const none = await shown("nothing of the kind");
  await none.page.locator(".trouble", { hasText: "No guards could be read" }).waitFor();
  assert.equal(await mark(none.page, "guard-row").count(), 0);
  await mark(none.page, "guards-text").click();
  await mark(none.page, "text-row").first().waitFor();
  await none.finish();
  const far = await shown(TREE, { more: "&node=4000000000" });
  await mark(far.page, "guard").filter({ hasText: "no such line" }).waitFor();
  await far.finish();
});

test("10,000 guards scroll, filter and fold without a stutter", async () => {
  const managers = Array.from({ length: 1000 }, (_, at) => [
    `| +- GuardManager: source=L['self'].layer${at}, accessed_by=GetAttrGuardAccessor(layer${at})`,
    ...Array.from({ length: 10 }, (__, of) => `| | +- EQUALS_MATCH: L['self'].layer${at}.p${of} == ${at * 10 + of}  # return x  # ${of ? "_dynamo/a" : "my"}.py:${of} in f`),
  ].join("\n"));
  const { page, finish } = await shown(`\nTREE_GUARD_MANAGER:\n+- RootGuardManager\n${managers.join("\n")}`);
  await mark(page, "guards-matching").filter({ hasText: "10,000 guards" }).waitFor();
  const longest = await page.evaluate(async () => {
    const tree = document.querySelector('[data-testid="guard-tree"]');
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    let most = 0;
    let before = performance.now();
    for (let step = 0; step < 120; step += 1) {
      tree.scrollTop += 2400;
      await frame();
      most = Math.max(most, performance.now() - before);
      before = performance.now();
    }
    return most;
  });
  assert.ok(longest < 250, `the longest frame took ${longest} ms`);
  await mark(page, "guard-tree").focus();
  await page.keyboard.press("End");
  await row(page, "self.layer999.p9 must equal 9999").waitFor();
  assert.ok(await mark(page, "guard-row").count() < 100);
  const began = Date.now();
  await mark(page, "guards-filter").fill("layer777.p");
  await mark(page, "guards-matching").filter({ hasText: "10 of 10,000" }).waitFor();
  assert.ok(Date.now() - began < 3000, `${Date.now() - began} ms`);
  await rowsAre(page, 12);
  await mark(page, "guards-filter").fill("");
  await mark(page, "guards-mine").check();
  await mark(page, "guards-matching").filter({ hasText: "1,000 of 10,000" }).waitFor();
  await mark(page, "fold-all").click();
  await page.waitForFunction(() => {
    const all = [...document.querySelectorAll('[data-testid="guard-row"]')];
    return all.length > 10 && all.every((one_) => !one_.textContent.includes("must equal"));
  });
  await go(page, "&node=5500");
  await page.locator(".tree-row.chosen", { hasText: "must equal" }).waitFor();
  await finish();
});

for (const colorScheme of ["light", "dark"]) {
  for (const width of [400, 1280, 2560]) {
    test(`axe finds nothing, ${width} px and ${colorScheme}`, async () => {
      const { page, finish } = await shown(TREE.replace("| +- GLOBAL", "| +- ???\n| +- GLOBAL"),
        { browser: { colorScheme, viewport: { width, height: 800 } }, more: "&node=4" });
      await mark(page, "guard-sentence").waitFor();
      await mark(page, "guard-row").first().waitFor();
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
      assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(" | ")}`), []);
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(wider <= 0, `the page is ${wider} px wider than the window`);
      if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/guards-${width}-${colorScheme}.png` });
      await finish();
    });
  }
}
