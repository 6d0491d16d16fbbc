// What differs between two compilations: why first, then inputs, guards, numbers and texts.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { browserForTests, fixture, input } from "./harness.mjs";
import { dropAndRead, mark, openCompilation } from "./page.mjs";
import { head, record } from "./trace.mjs";

const browser = browserForTests();
before(browser.start);
after(browser.stop);

async function opened(file, label = "[0/1]") {
  const session = await browser.open();
  await dropAndRead(session.page, file);
  await openCompilation(session.page, label);
  await mark(session.page, "diff-link").click();
  await mark(session.page, "diff").waitFor();
  await mark(session.page, "diff-numbers").locator("td").first().waitFor();
  return session;
}

const rows = (page, section) => mark(page, section).getByTestId("differing")
  .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent.trim())));

test("a size that changed is said first, with the symbol that stands for it", async () => {
  const { page, finish } = await opened(fixture("torch-2.15.0", "rc_shape.log.gz"));
  assert.equal(await mark(page, "cause").first().innerText(),
    "x.size()[0] was 4 and became 5; the new code takes any size there (s77).");
  const inputs = await rows(page, "diff-inputs");
  assert.ok(inputs.some(([name, what, old, now]) => name === "x" && what === "size" && old === "[4, 3]" && now === "[5, 3]"), JSON.stringify(inputs));
  assert.ok(inputs.some(([name]) => name.startsWith("s77 = x.size()[0]")), JSON.stringify(inputs));
  const guards = await rows(page, "diff-guards");
  assert.ok(guards.some(([name, , what, old, now]) => name.startsWith("x") && what === "size at dim 0" && old === "4" && now === "any"), JSON.stringify(guards));
  await finish();
});

test("texts stand side by side with the words that differ, and the address keeps which", async () => {
  const { page, finish } = await opened(fixture("torch-2.15.0", "rc_shape.log.gz"));
  await mark(page, "diff-text").filter({ hasText: "dynamo_output_graph" }).click();
  await page.waitForFunction(() => location.hash.includes("text=dynamo_output_graph"));
  await page.locator('[data-testid="diff-row"][data-side="new"] mark', { hasText: "s77" }).first().waitFor();
  const removed = await page.locator('[data-testid="diff-row"][data-side="old"]').count();
  assert.ok(removed > 0);
  assert.match(await mark(page, "diff-counts").innerText(), /^\d+ lines? removed, \d+ lines? added$/);
  await mark(page, "diff-text").filter({ hasText: "inductor_output_code" }).click();
  await page.locator(".diff-skipped").first().waitFor();
  await mark(page, "diff-whole").check();
  await page.locator(".diff-skipped").first().waitFor({ state: "detached" });
  await mark(page, "diff-row").nth(20).waitFor();
  assert.match(page.url(), /view=diff&id=0\/1&from=0\/0.*&whole=yes/);
  await finish();
});

test("another compilation of the frame can be chosen", async () => {
  const { page, finish } = await opened(fixture("torch-2.5.1", "rc_limit.log"), "[0/3]");
  assert.equal(await mark(page, "diff-from").inputValue(), "0/2");
  await mark(page, "diff-from").selectOption("0/0");
  await page.waitForFunction(() => location.hash.includes("from=0/0"));
  await page.getByRole("heading", { level: 1, name: /From \[0\/0\] to \[0\/3\]/ }).waitFor();
  assert.match(await mark(page, "cause").first().innerText(), /size\(\)\[0\] was \d+ and became \d+/);
  await finish();
});

test("a log without guards and reasons says so, and hostile names do no harm", async () => {
  const at = (compile) => ({ frame_id: 0, frame_compile_id: compile, attempt: 0 });
  const one = (compile, graph) => record({ dynamo_start: { stack: [] }, ...at(compile) })
    + record({ artifact: { name: "<script>alert(1)</script>", encoding: "string" }, ...at(compile) }, graph);
  const reasons = record({ artifact: { name: "recompile_reasons", encoding: "json" }, ...at(1) }, '["0/0: <img src=x onerror=alert(1)> oops"]');
  const { page, finish } = await opened(input("hostile.log", head() + one(0, "a\nb") + reasons + one(1, "a\n<b>c")));
  assert.match(await mark(page, "cause").innerText(), /oops/);
  await page.getByText("The log holds no guards of").waitFor();
  await page.locator('[data-testid="diff-row"]', { hasText: "<b>c" }).waitFor();
  await finish();
});

test("a link to a compilation that is not there says so", async () => {
  const { page, finish } = await browser.open();
  await dropAndRead(page, fixture("torch-2.15.0", "rc_shape.log.gz"));
  await page.evaluate(() => { location.hash = "#v=1&log=0&view=diff&id=7/7&from=0/0"; });
  await page.getByText("holds no compilation [7/7]").waitFor();
  await finish();
});
