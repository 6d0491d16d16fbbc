// The views behind the table: a compilation, a text, a record; and that each is a link.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { browserForTests, input } from "./harness.mjs";
import {
  chooseFiles, dropAndRead, finished, firstRowIs, mark, openArtifact, openCompilation, textRows, views,
} from "./page.mjs";
import { compilation, graph, head, record, trace } from "./trace.mjs";

const path = input("views.log", trace(30));
const browser = browserForTests();
before(browser.start);
after(browser.stop);

async function opened(file = path) {
  const session = await browser.open();
  await dropAndRead(session.page, file);
  await firstRowIs(session.page, "function", "forward_000000");
  return session;
}

test("a compilation's page lists its artifacts in the order of the log", async () => {
  const { page, finish } = await opened();
  await openCompilation(page, "[1/0]");
  await mark(page, "artifact-row").nth(3).waitFor();
  const names = await mark(page, "artifact-row").locator('[data-column="name"] a:not([data-testid="graph-link"])').allInnerTexts();
  assert.deepEqual(names, ["dynamo_output_graph", "fx_graph_cache_miss", "inductor_output_code", "compilation_metrics"]);
  assert.equal(await mark(page, "status").getAttribute("data-status"), "ok");
  await finish();
});

test("a failed compilation says why, as text, never as markup", async () => {
  const { page, finish } = await opened();
  await openCompilation(page, "[3/0]");
  const why = await mark(page, "failure").innerText();
  assert.match(why, /torch\._dynamo\.exc\.Unsupported/);
  assert.ok(why.includes("call to a function <script>alert(1)</script>"), why);
  assert.equal(await page.locator("main script").count(), 0);
  await finish();
});

test("an artifact is shown with line numbers, exactly as PyTorch wrote it", async () => {
  const { page, finish } = await opened();
  await openCompilation(page, "[1/0]");
  await openArtifact(page, "dynamo_output_graph");
  const wanted = graph(12).split("\n");
  const shown = await textRows(page);
  assert.deepEqual(shown.map(([, text]) => text), wanted);
  const numbers = await mark(page, "text-row").locator(".code-line").allInnerTexts();
  assert.deepEqual(numbers.map((text) => text.trim()), wanted.map((_, at) => String(at + 1)));
  await finish();
});

test("a text of a million lines is scrolled to its end, with few rows in the document", async () => {
  const lines = 1_000_000;
  const at = { frame_id: 0, frame_compile_id: 0, attempt: 0 };
  const text = Array.from({ length: lines }, (_, number) => `line ${number + 1}`).join("\n");
  const { page, finish } = await opened(input("long.log",
    head() + compilation(0) + record({ artifact: { name: "long_text", encoding: "string" }, ...at }, text)));
  await openCompilation(page, "[0/0]");
  await openArtifact(page, "long_text");
  const pane = page.getByRole("region", { name: "Text" });
  assert.ok((await textRows(page)).length < 200);
  await pane.evaluate((element) => { element.scrollTop = element.scrollHeight; });
  await page.getByText(`line ${lines}`, { exact: true }).waitFor();
  assert.ok((await textRows(page)).length < 200);
  await pane.focus();
  await page.keyboard.press("Home");
  await page.getByText("line 1", { exact: true }).waitFor();
  await page.keyboard.press("End");
  await page.getByText(`line ${lines}`, { exact: true }).waitFor();
  await finish();
});

test("a line of a million characters can be read whole", async () => {
  const at = { frame_id: 0, frame_compile_id: 0, attempt: 0 };
  const long = Array.from({ length: 125_000 }, (_, number) => String(number).padStart(7, "0")).join(",");
  const { page, finish } = await opened(input("wide.log",
    head() + compilation(0) + record({ artifact: { name: "wide_text", encoding: "string" }, ...at }, `${long}\nend of text`)));
  await openCompilation(page, "[0/0]");
  await openArtifact(page, "wide_text");
  assert.ok((await textRows(page))[0][1].startsWith("0000000,0000001,"));
  await page.getByRole("region", { name: "Text" }).focus();
  await page.keyboard.press("End");
  await page.getByText("end of text", { exact: true }).waitFor();
  const last = (await textRows(page)).at(-2)[1];
  assert.ok(last.endsWith("0124999"), last.slice(-40));
  await finish();
});

test("markup and hidden characters in a log are shown as they are", async () => {
  const at = { frame_id: 0, frame_compile_id: 0, attempt: 0 };
  const nasty = '<img src=x onerror="globalThis.hit = 1">\n</span><script>globalThis.hit = 1</script>\nab\u202Edc\u001b[31m\n&lt;&amp;';
  const { page, finish } = await opened(input("nasty.log", head() + compilation(0)
    + record({ artifact: { name: "<b>bold</b>", encoding: "string" }, ...at }, nasty)));
  await openCompilation(page, "[0/0]");
  await openArtifact(page, "<b>bold</b>");
  const texts = (await textRows(page)).map(([, text]) => text);
  assert.equal(texts[0], '<img src=x onerror="globalThis.hit = 1">');
  assert.equal(texts[1], "</span><script>globalThis.hit = 1</script>");
  assert.ok(!texts[2].includes("\u202E") && !texts[2].includes("\u001b"), JSON.stringify(texts[2]));
  assert.equal(texts[3], "&lt;&amp;");
  assert.equal(await page.locator("main img, main script, main b").count(), 0);
  assert.equal(await page.evaluate(() => globalThis.hit), undefined);
  await finish();
});

test("a payload that was changed after PyTorch wrote it is marked", async () => {
  const text = trace(2).replace('torch.sin(v4)', 'torch.cos(v4)');
  const { page, finish } = await opened(input("changed.log", text));
  await openCompilation(page, "[0/0]");
  await openArtifact(page, "dynamo_output_graph");
  await page.locator("[data-checksum]").first().waitFor();
  const changed = await page.locator("[data-checksum]").first().getAttribute("data-checksum");
  await page.goBack();
  await page.goBack();
  await openCompilation(page, "[1/0]");
  await openArtifact(page, "dynamo_output_graph");
  await page.locator("[data-checksum]").first().waitFor();
  const whole = await page.locator("[data-checksum]").first().getAttribute("data-checksum");
  assert.notEqual(changed, whole);
  await finish();
});

test("only links to https are followed", async () => {
  const link = (url) => record({ link: { name: url, url } });
  const { page, finish } = await opened(input("links.log",
    `${trace(1)}${link("https://example.com/a")}${link("javascript:alert(1)")}${link("http://example.com/b")}`));
  await mark(page, "outside-link").click();
  await page.getByText("javascript:alert(1)").first().waitFor();
  const targets = await page.locator("main a").evaluateAll((all) => all.map((a) => a.getAttribute("href")));
  assert.ok(targets.includes("https://example.com/a"), `${targets}`);
  assert.ok(targets.every((target) => target.startsWith("#") || target.startsWith("https://")), `${targets}`);
  const rel = await page.locator('main a[href="https://example.com/a"]').getAttribute("rel");
  assert.match(rel, /noopener/);
  await finish();
});

describe("a reload comes back to", () => {
  for (const name of Object.keys(views)) {
    test(name, async () => {
      const { page, said, context } = await browser.open();
      for (const [step, show] of Object.entries(views)) {
        await show(page, async () => { await chooseFiles(page, [path]); await finished(page); });
        if (step === name) break;
      }
      const address = page.url();
      const title = await page.title();
      await page.reload();
      if (["landing", "search", "glossary"].includes(name)) {
        await mark(page, name).waitFor();
      } else {
        // A browser forgets files; the page says what the address shows and takes the log again.
        await mark(page, "closed").waitFor();
        assert.match(await mark(page, "closed").innerText(), /views\.log/);
        await chooseFiles(page, [path]);
        await mark(page, name).waitFor();
      }
      await page.waitForFunction((wanted) => document.title === wanted, title);
      assert.equal(page.url(), address);
      assert.deepEqual(said, []);
      await context.close();
    });
  }
});

test("back and forward go through the views", async () => {
  const { page, finish } = await opened();
  await openCompilation(page, "[1/0]");
  await openArtifact(page, "dynamo_output_graph");
  await page.goBack();
  await mark(page, "compilation").waitFor();
  await page.goBack();
  await mark(page, "overview").waitFor();
  await page.goForward();
  await mark(page, "compilation").waitFor();
  assert.match(await page.locator("main h1").innerText(), /\[1\/0\]/);
  await finish();
});

test("an address that means nothing gets a sentence", async () => {
  for (const at of ["#v=1&log=0&view=nonsense", "#v=99&view=flame", "#%%%", "#view=text&record=4294967296&log=0"]) {
    const { page, finish } = await browser.open({ at });
    assert.ok((await page.locator("main").innerText()).length > 30, at);
    await finish();
  }
});

test("what the overview leads to bears the name under which it stands there", async () => {
  const { page, finish } = await opened();
  const heading = () => page.locator("main h1").innerText();
  for (const [name, says] of [["Stacks", /^Stacks: /], ["Records", /^Records$/], ["Log health", /^Log health$/]]) {
    await page.getByRole("navigation", { name: "Sections of the log" }).getByRole("link", { name, exact: true }).click();
    await page.locator("main h1", { hasText: says }).waitFor();
    assert.ok((await page.title()).startsWith(name), await page.title());
    await page.goBack();
    await mark(page, "overview").waitFor();
  }
  await mark(page, "fact-health").getByText("Log health").waitFor();
  await mark(page, "outside-link").click();
  await page.locator("main h1", { hasText: "Artifacts outside any compilation" }).waitFor();
  await page.goBack();
  await mark(page, "fact-failures").getByText("Failures").waitFor();
  await mark(page, "value-failures").getByRole("link").click();
  await mark(page, "findings").waitFor();
  assert.match(await heading(), /failure/);
  await finish();
});
