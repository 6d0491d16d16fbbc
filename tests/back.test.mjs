// 'Back' shows what the reader left: the same rows of a list, the same hits.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { browserForTests, input } from "./harness.mjs";
import { dropAndRead, firstRowIs, mark } from "./page.mjs";
import { trace } from "./trace.mjs";

const path = input("back.log", trace(600, 5));
const browser = browserForTests();
before(browser.start);
after(browser.stop);

async function opened() {
  const session = await browser.open();
  await dropAndRead(session.page, path);
  await firstRowIs(session.page, "function", "forward_000000");
  return session;
}

const top = (page, list) => list.evaluate((element) => element.scrollTop);

/** Scrolls a list, follows the first whole row, comes back, and asserts that the list is where it was. */
async function thereAndBack(page, list, row, wanted, followed) {
  await list.evaluate((element, to) => { element.scrollTop = to; }, wanted);
  await mark(page, row).and(page.locator(`[data-row="${Math.ceil(wanted / 32) + 2}"]`)).locator("[data-column], .hit-text").first().waitFor();
  const before_ = await top(page, list);
  assert.equal(before_, wanted);
  await mark(page, row).and(page.locator(`[data-row="${Math.ceil(wanted / 32) + 2}"]`)).locator('[data-column="kind"], .hit-text').first().click();
  await mark(page, followed).waitFor();
  await page.goBack();
  await list.waitFor();
  await page.waitForFunction(([mark_, to]) => Math.abs(document.querySelector(`[data-testid="${mark_}"]`).scrollTop - to) <= 1,
    [await list.getAttribute("data-testid"), wanted]);
}

test("the table of records is where it was", async () => {
  const { page, finish } = await opened();
  await page.getByRole("link", { name: "Records", exact: true }).click();
  await mark(page, "record-row").locator("[data-column]").first().waitFor();
  await thereAndBack(page, mark(page, "records"), "record-row", 32_000, "record");
  // A link to the same view begins at its first row.
  await page.getByRole("link", { name: "Overview", exact: true }).click();
  await mark(page, "overview").waitFor();
  await page.getByRole("link", { name: "Records", exact: true }).click();
  await mark(page, "record-row").and(page.locator('[data-row="0"]')).waitFor();
  assert.equal(await top(page, mark(page, "records")), 0);
  await finish();
});

test("the hits of a search are there at once, where they were", async () => {
  const { page, finish } = await opened();
  await mark(page, "search-link").click();
  await mark(page, "search-box").fill("torch.sin");
  await mark(page, "search-state").and(page.locator(':not([data-state="searching"])')).waitFor();
  await mark(page, "search-hit").first().waitFor();
  const said = await mark(page, "search-state").innerText();
  await page.evaluate(() => {
    globalThis.states = new Set();
    new MutationObserver(() => {
      const state = document.querySelector('[data-testid="search-state"]')?.dataset.state;
      if (state) globalThis.states.add(state);
    }).observe(document.body, { subtree: true, childList: true, attributes: true });
  });
  await mark(page, "hits").evaluate((element) => { element.scrollTop = 16_000; });
  await page.waitForFunction(() => [...document.querySelectorAll('[data-testid="search-row"]')].some((row) => Number(row.dataset.row) > 505));
  await mark(page, "search-row").and(page.locator('[data-row="503"]')).click();
  // A row is a hit, which leads to its text, or the record in which hits lie.
  await mark(page, "text").or(mark(page, "record")).first().waitFor();
  await page.goBack();
  await mark(page, "search").waitFor();
  await page.waitForFunction(() => Math.abs(document.querySelector('[data-testid="hits"]').scrollTop - 16_000) <= 1_000);
  assert.equal(await mark(page, "search-state").innerText(), said);
  assert.deepEqual(await page.evaluate(() => [...globalThis.states].filter((state) => state === "searching")), []);
  await finish();
});

test("a filter changes the address within its step of the history", async () => {
  const { page, finish } = await opened();
  await page.getByRole("link", { name: "Records", exact: true }).click();
  await mark(page, "record-row").locator("[data-column]").first().waitFor();
  const state = await page.evaluate(() => history.state);
  assert.equal(typeof state, "number");
  const steps = await page.evaluate(() => history.length);
  await mark(page, "records-text").fill("dynamo_start");
  await page.getByText(/^600 of/).waitFor();
  assert.equal(await page.evaluate(() => history.length), steps);
  assert.equal(await page.evaluate(() => history.state), state);
  await finish();
});

test("a text is where it was, though its address points elsewhere", async () => {
  const { page, finish } = await browser.open();
  await dropAndRead(page, input("back-text.log", trace(2, 2_000)));
  // The address points at lines, and at what is to be found; the reader has scrolled on from both.
  for (const more of ["&lines=2", "&find=sin"]) {
    await page.evaluate((more_) => { location.hash = `#v=1&log=0&view=text&record=3${more_}`; }, more);
    await mark(page, "text-row").first().waitFor();
    const pane = page.locator(".code");
    await pane.evaluate((element) => { element.scrollTop = 4_000; });
    await page.waitForFunction(() => document.querySelector(".code").scrollTop === 4_000);
    await mark(page, "raw").click();
    await mark(page, "record").waitFor();
    await page.goBack();
    await mark(page, "text").waitFor();
    await page.waitForFunction(() => document.querySelector(".code")?.scrollTop === 4_000);
    if (more.includes("find")) await mark(page, "match").first().waitFor();
    assert.equal(await top(page, page.locator(".code")), 4_000);
  }
  await finish();
});
