// The page starts from any folder, and refuses to run a file that is not its own.
import assert from "node:assert/strict";
import { cpSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { copyOfDist, DIST, engineOf, fileOf, flipByte, openPage, refusal, SCRATCH, site, startBrowser } from "./harness.mjs";

let browser;
before(async () => { browser = await startBrowser(); });
after(() => browser.close());

test("the page and its engine start, and the console keeps silent", async () => {
  const here = await site();
  const { page, finish } = await openPage(browser, here.address);
  assert.notEqual((await page.locator("body").innerText()).trim(), "");
  assert.equal(await page.locator("#boot").count(), 0);
  engineOf(page);
  await finish();
  await here.close();
});

test("the page works from a sub-path of a host", async () => {
  const root = join(SCRATCH, "host");
  cpSync(DIST, join(root, "some", "folder"), { recursive: true });
  const here = await site(root);
  const { finish } = await openPage(browser, `${here.address}some/folder/`);
  assert.deepEqual(here.requests.filter((line) => !line.startsWith("GET /some/folder/")), []);
  await finish();
  await here.close();
});

for (const [what, pattern] of [
  ["the page's WebAssembly", /^dynascope_bg-.*\.wasm$/],
  ["the page's script", /^dynascope-.*\.js$/],
  ["the engine's WebAssembly", /^engine_bg-.*\.wasm$/],
  ["the engine's script", /^engine-.*\.js$/],
]) {
  test(`${what} with one byte changed is refused, with a sentence`, async () => {
    const folder = copyOfDist(what.replaceAll(/\W/g, "-"));
    const file = fileOf(folder, pattern);
    flipByte(file);
    const here = await site(folder);
    const { page, context } = await openPage(browser, here.address, { ready: false });
    const text = await refusal(page);
    assert.match(text, /is not the one that this page was built with, so it was not run/);
    assert.ok(text.includes(file.slice(folder.length + 1)), `the sentence names the file: ${text}`);
    if (what.startsWith("the engine")) assert.equal(page.workers().length, 0, "no worker was made");
    await context.close();
    await here.close();
  });
}

test("a start script with one byte changed does not run", async () => {
  const folder = copyOfDist("init");
  flipByte(fileOf(folder, /^init-.*\.js$/));
  const here = await site(folder);
  const { page, said, context } = await openPage(browser, here.address, { ready: false });
  await page.waitForLoadState("load");
  await page.waitForTimeout(200);
  assert.ok(said.some((line) => line.includes("digest")), `the browser refused it: ${said}`);
  assert.equal(await page.evaluate(() => typeof globalThis.dynascopeEngine), "undefined");
  await context.close();
  await here.close();
});

test("a missing file is named, with the server's status", async () => {
  const folder = copyOfDist("missing");
  rmSync(fileOf(folder, /^engine_bg-.*\.wasm$/));
  const here = await site(folder);
  const { page, context } = await openPage(browser, here.address, { ready: false });
  assert.match(await refusal(page), /engine_bg-\w+\.wasm could not be loaded \(status 404\)/);
  await context.close();
  await here.close();
});

test("without WebAssembly the page says what it needs", async () => {
  const here = await site();
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(() => { delete globalThis.WebAssembly; });
  await page.goto(here.address);
  assert.match(await refusal(page), /needs WebAssembly/);
  await context.close();
  await here.close();
});

test("without SIMD the page says that the browser is too old", async () => {
  const here = await site();
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(() => { WebAssembly.validate = () => false; });
  await page.goto(here.address);
  assert.match(await refusal(page), /SIMD/);
  await context.close();
  await here.close();
});

test("without scripts the page says that it needs them", async () => {
  const here = await site();
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(here.address);
  assert.match(await page.locator("noscript").innerText(), /allow this page to run scripts/);
  await context.close();
  await here.close();
});

test("the policy is the first element of the head, and no script or style stands inside the page", () => {
  const html = readFileSync(join(DIST, "index.html"), "utf8");
  assert.match(html, /<head>\s*<meta http-equiv="Content-Security-Policy" content="default-src 'none';/);
  assert.doesNotMatch(html, /<script(?![^>]*\bsrc=)[^>]*>|<style|\sstyle=|\son\w+=/i);
});

test("every script and style sheet that the page names carries its digest", () => {
  const html = readFileSync(join(DIST, "index.html"), "utf8");
  const named = [...html.matchAll(/(?:src|href)="[^"]+\.(?:js|css)"[^>]*/g)];
  assert.ok(named.length >= 2);
  for (const [tag] of named) assert.match(tag, /integrity="sha384-/);
});
