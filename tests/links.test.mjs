// A link says which log it was made with: the same text opens it, plain or compressed; another is told apart.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { browserForTests, input } from "./harness.mjs";
import { chooseFiles, dropAndRead, finished, firstRowIs, mark, openCompilation } from "./page.mjs";
import { gzipped, trace } from "./trace.mjs";

const browser = browserForTests();
before(browser.start);
after(browser.stop);

const text = trace(30);
const plain = input("run.log", text);
const packed = input("elsewhere/run.log.gz", gzipped(text));
const other = input("other/run.log", trace(31));
const differs = "This link was made with another log";

const print = (page) => page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get("print"));

async function opened(path = plain) {
  const session = await browser.open();
  await dropAndRead(session.page, path);
  await firstRowIs(session.page, "function", "forward_000000");
  await session.page.waitForFunction(() => location.hash.includes("&print="));
  return session;
}

test("every view of a log carries its fingerprint, without a step in the history", async () => {
  const { page, finish } = await opened();
  const steps = await page.evaluate(() => history.length);
  const wanted = await print(page);
  assert.match(wanted, /^[0-9a-f]{16}$/);
  await openCompilation(page, "[2/0]");
  assert.equal(await print(page), wanted);
  await page.getByRole("link", { name: "Stacks", exact: true }).click();
  await mark(page, "stacks").waitFor();
  assert.equal(await print(page), wanted);
  assert.equal(await page.evaluate(() => history.length), steps + 2);
  await finish();
});

test("after a reload the same text opens what was shown, compressed too, and nothing is said", async () => {
  const { page, said, context } = await opened();
  await openCompilation(page, "[2/0]");
  const wanted = await print(page);
  await page.reload();
  await mark(page, "closed").waitFor();
  assert.ok((await mark(page, "closed").innerText()).includes(wanted));
  await chooseFiles(page, [packed]);
  await finished(page);
  await page.locator("main h1", { hasText: "[2/0]" }).waitFor();
  assert.equal(await print(page), wanted);
  assert.equal(await page.getByText(differs).count(), 0);
  assert.deepEqual(said, []);
  await context.close();
});

test("after a reload another log of the same name is shown, and told apart", async () => {
  const { page, said, context } = await opened();
  await openCompilation(page, "[2/0]");
  const wanted = await print(page);
  await page.reload();
  await mark(page, "closed").waitFor();
  await chooseFiles(page, [other]);
  await finished(page);
  await page.getByText(differs).waitFor();
  await page.locator("main h1", { hasText: "[2/0]" }).waitFor();
  await page.waitForFunction((old) => new URLSearchParams(location.hash.slice(1)).get("print") !== old, wanted);
  assert.deepEqual(said, []);
  await context.close();
});

test("a link that is opened while another log is open is told apart; where its log is open too, it leads there", async () => {
  const { page, finish } = await opened();
  const link = new URL(page.url()).hash.replace("view=overview", "view=compilation&id=3/0");
  assert.match(link, /id=3/);
  await mark(page, "log-tab").getByRole("button").click();
  await mark(page, "landing").waitFor();
  await chooseFiles(page, [other]);
  await finished(page);
  const go = (to) => page.evaluate((hash) => { location.hash = hash; }, to);
  await go(link.replace("log=0", "log=1"));
  await page.getByText(differs).waitFor();
  await page.locator("main h1", { hasText: "[3/0]" }).waitFor();
  await page.locator('[data-testid="notices"] button, .notices button').first().click();
  await page.getByText(differs).waitFor({ state: "detached" });
  await chooseFiles(page, [packed]);
  await finished(page);
  await go(link.replace("log=0", "log=1"));
  await page.locator("main h1", { hasText: "[3/0]" }).waitFor();
  await page.waitForFunction(() => new URLSearchParams(location.hash.slice(1)).get("log") === "2");
  assert.equal(await page.getByText(differs).count(), 0);
  await finish();
});
