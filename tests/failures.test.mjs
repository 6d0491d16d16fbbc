// What failed and what was warned: plain output and console logs, chosen, dropped or pasted; which component,
// the program's line, what to do next, and the lines of the log.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { browserForTests, drop, fixture, input, ROOT } from "./harness.mjs";
import { chooseFiles, dropAndRead, finished, mark, sentence, tabs } from "./page.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const browser = browserForTests();
before(browser.start);
after(browser.stop);

/** Output without TORCH_LOGS, as a version printed it. */
function printed(...parts) {
  const path = join(ROOT, "core", "tests", "plain", ...parts);
  assert.ok(existsSync(path), path);
  return path;
}

/** Waits for the view and gives the reports of a kind. */
async function reports(page, kind = "failure-report") {
  await mark(page, "findings").waitFor();
  await mark(page, kind).first().waitFor();
  return mark(page, kind);
}

async function toFindings(page) {
  await mark(page, "findings-link").click();
  return reports(page);
}

const SHORT = `Traceback (most recent call last):
  File "/srv/demo/train.py", line 3, in <module>
    step(x)
ZeroDivisionError: division by zero
`;

for (const [path, headline, certainty, own, run] of [
  ["torch-2.15.0/err_fullgraph.stderr.txt", /^Dynamo cannot trace a line/, "certain", /err_fullgraph\.py:6 in helper\s+if x\.sum\(\) > 0:/, 'torch.compile(f, fullgraph=False)'],
  ["torch-2.5.1/err_backend.stderr.txt", /^The backend raised an exception/, "certain", /err_backend\.py:5 in my_backend/, 'torch.compile(f, backend="eager")'],
  ["torch-2.5.1/after_aot.stderr.txt", /^Inductor: the C\+\+ compiler refused/, "certain", /err_repro\.py/, 'torch.compile(f, backend="aot_eager_decomp_partition")'],
  ["torch-2.5.1/err_cxx.stderr.txt", /^Inductor: a compiler or its headers were not found/, "certain", /err_cxx\.py/, undefined],
  ["torch-2.15.0/gb_wrongargs.stderr.txt", /^Most likely: Dynamo: an operation failed/i, "likely", undefined, 'torch.compile(f, backend="eager")'],
]) {
  test(`a plain failure opens and names the component: ${path}`, async () => {
    const { page, finish } = await browser.open();
    await chooseFiles(page, [printed(path)]);
    await finished(page);
    const line = mark(page, "findings-line");
    await line.filter({ hasText: headline }).waitFor();
    const title = await page.locator("main h1").innerText();
    // Where nothing tells of a compilation, the failure is the headline.
    if (!title.includes("compiled")) assert.match(title, headline);
    else assert.match(title, /1 failure/);
    const report = (await toFindings(page)).first();
    assert.match(await mark(report, "failure-sentence").innerText(), headline);
    assert.equal(await report.getAttribute("data-certainty"), certainty);
    if (own) assert.match(await mark(report, "own-line").innerText(), own);
    assert.ok((await mark(report, "next-step").innerText()).length > 80);
    const runs = await mark(report, "run").locator("code").allInnerTexts();
    if (run) assert.ok(runs.includes(run), runs.join("; "));
    else assert.deepEqual(runs, []);
    // The frames are folded: the program's own stand open within.
    await mark(report, "traceback").locator("> summary").click();
    assert.ok(await mark(report, "traceback").locator(".framework details").count() > 0 || /gb_wrongargs/.test(path));
    // The evidence is the lines themselves.
    const place = mark(report, "evidence-line").first();
    const number = Number((await place.innerText()).replace(/\D/g, ""));
    const text = readFileSync(printed(path), "utf8").split("\n")[number - 1];
    await place.click();
    await mark(page, "text-row").first().waitFor();
    assert.match(text, /Traceback/);
    assert.ok((await page.locator('[data-testid="text-row"]').allInnerTexts()).some((row) => row.includes("Traceback")));
    await finish();
  });
}

test("plain output says which setting would have recorded more; what holds nothing is refused", async () => {
  const { page, finish } = await browser.open();
  await dropAndRead(page, input("bug.txt", `some words\n\n${SHORT}`));
  await page.locator("main h1", { hasText: "The program raised an exception" }).waitFor();
  assert.ok(!(await mark(page, "value-compilations").isVisible()), "what plain output cannot tell is left out");
  assert.equal(await mark(page, "log-state").innerText(), "", "its tab counts nothing that it cannot hold");
  const section = (name) => page.getByRole("navigation", { name: "Sections of the log" }).getByRole("link", { name, exact: true }).click();
  await section("Records");
  await page.getByText(/This log holds no records, because it is plain output/).waitFor();
  await section("Stacks");
  await page.getByText(/The log does not say how the program reached any compilation. Console output never does/).waitFor();
  await section("Overview");
  await toFindings(page);
  assert.match(await mark(page, "only-plain").innerText(), /TORCH_TRACE=\/tmp\/trace.*TORCH_LOGS=/s);
  await drop(page, [input("words.txt", "only words\n")]);
  const said = await sentence(page);
  assert.match(said, /words\.txt.*no record, traceback or warning.*TORCH_LOGS/);
  assert.equal((await tabs(page)).length, 1);
  await finish();
});

test("warnings, limits and explain are told apart and explained", async () => {
  const { page, finish } = await browser.open();
  await chooseFiles(page, [printed("torch-2.15.0/rc_limit.stderr.txt")]);
  await finished(page);
  await mark(page, "findings-link").click();
  const limit = (await reports(page, "limit-report")).first();
  assert.match(await limit.innerText(), /f reached recompile_limit = 8[\s\S]*rc_limit\.py:5[\s\S]*expected 9, actual 10/);
  await chooseFiles(page, [printed("torch-2.15.0/gb_mixed.stderr.txt")]);
  await finished(page);
  await mark(page, "findings-link").click();
  const group = (await reports(page, "warning-group")).first();
  assert.match(await group.innerText(), /A tensor became a number of Python\s+1 time[\s\S]*capture_scalar_outputs[\s\S]*gb_mixed\.py:19 in forward/);
  await chooseFiles(page, [printed("torch-2.8.0/explain.stdout.txt")]);
  await finished(page);
  await mark(page, "findings-line").filter({ hasText: "result of explain" }).waitFor();
  await mark(page, "findings-link").click();
  const explain = (await reports(page, "explain-report")).first();
  assert.match(await explain.innerText(), /\d+ graphs?, \d+ graph breaks?, \d+ operations?/);
  await explain.locator("summary", { hasText: "Compile times" }).click();
  const seconds = await explain.locator("tbody tr td:nth-child(2)").allInnerTexts();
  assert.ok(seconds.length > 3, seconds.join());
  await finish();
});

test("a trace's failures are found, and identical ones of ranks are counted once", async () => {
  const { page, finish } = await browser.open();
  await chooseFiles(page, [fixture("torch-2.15.0", "err_fullgraph.log")]);
  await finished(page);
  const report = (await toFindings(page)).first();
  assert.match(await report.innerText(), /Dynamo cannot trace a line[\s\S]*\[0\/0\]/);
  const lines = readFileSync(printed("torch-2.15.0/err_fullgraph.stderr.txt"), "utf8").split("\n");
  const ranks = lines.flatMap((line) => [0, 1, 2].map((rank) => `[rank${rank}]: ${line}`)).join("\n");
  await dropAndRead(page, input("ranks.txt", ranks));
  await mark(page, "findings-link").click();
  await page.locator('[data-testid="times"]', { hasText: "3 times" }).waitFor();
  assert.equal(await mark(page, "failure-report").count(), 1);
  await finish();
});

/** Puts text into the clipboard and presses the keys that paste it. */
async function paste(page, text) {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.evaluate((words) => navigator.clipboard.writeText(words), text);
  await page.keyboard.press("Control+V");
}

test("text pasted on the page is a log, while one is open too; in a field it stays pasting", async () => {
  const { page, finish } = await browser.open();
  await paste(page, SHORT);
  await finished(page);
  assert.deepEqual((await tabs(page)).map(({ name }) => name), ["pasted text"]);
  await page.locator("main h1", { hasText: "The program raised an exception" }).waitFor();
  const log = readFileSync(fixture("torch-2.15.0", "err_backend.log"), "utf8");
  await paste(page, log);
  await page.locator('[data-testid="log-tab"].shown[data-compilations="1"]').waitFor();
  assert.equal((await tabs(page)).length, 2);
  await mark(page, "search-link").click();
  await mark(page, "search-box").focus();
  await paste(page, "torch");
  assert.equal(await mark(page, "search-box").inputValue(), "torch");
  assert.equal((await tabs(page)).length, 2);
  await finish();
});

test("a log is pasted with the keyboard alone, through the box", async () => {
  const { page, finish } = await browser.open();
  await mark(page, "paste").focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement?.dataset.testid === "paste-text");
  await paste(page, SHORT);
  assert.equal(await mark(page, "paste-text").inputValue(), SHORT);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await finished(page);
  await toFindings(page);
  await finish();
});

test("text of a log is text: scripts in names and messages do nothing", async () => {
  const { page, finish } = await browser.open();
  const markup = '<img src=x onerror="document.title=1">';
  const text = `Traceback (most recent call last):
  File "/srv/${markup}.py", line 3, in ${markup}
    f('${markup}')
ValueError: ${markup}

/srv/a.py:3: UserWarning: ${markup} \u202e
  f()
`;
  await dropAndRead(page, input("markup.txt", text));
  await toFindings(page);
  assert.match(await mark(page, "findings").innerText(), /ValueError[\s\S]*<img src=x onerror/);
  assert.equal(await page.locator("main img").count(), 0);
  assert.doesNotMatch(await page.title(), /^1/);
  assert.match(await mark(page, "warning-group").innerText(), /U\+202E|202e/i);
  await finish();
});

test("a console log says which setting would have recorded what it lacks", async () => {
  const { page, finish } = await browser.open();
  await chooseFiles(page, [fixture("torch-2.15.0", "console", "graph_breaks.gb_mixed.txt.gz")]);
  await finished(page);
  assert.match(await mark(page, "fact-compile-time").innerText(), /not logged\s+The console does not show it: set TORCH_TRACE/);
  await mark(page, "row").first().click();
  await mark(page, "status").waitFor();
  const missing = (await mark(page, "missing").allInnerTexts()).join(" ");
  assert.match(missing, /never printed on the console: TORCH_TRACE=\/tmp\/trace/);
  assert.match(await mark(page, "status").innerText(), /Console output does not say how a compilation ended/);
  assert.match(await mark(page, "no-stack").innerText(), /Console output does not say how the program came here/);
  await finish();
});

for (const colorScheme of ["light", "dark"]) {
  for (const [size, viewport] of [["wide", { width: 1280, height: 800 }], ["narrow", { width: 360, height: 740 }]]) {
    test(`everybody can use it, ${size} and ${colorScheme}`, async () => {
      const { page, finish } = await browser.open({ colorScheme, viewport });
      const all = [];
      const look = async (name) => {
        await page.evaluate(axe);
        const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
        all.push(...violations.map(({ id, help, nodes }) => `${name}: ${id}: ${help}: ${nodes[0].html.slice(0, 160)}`));
        const width = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        if (width > 0) all.push(`${name}: the page is ${width} px wider than the window`);
      };
      await mark(page, "paste").click();
      await look("landing with the box");
      const text = ["torch-2.5.1/err_backend.stderr.txt", "torch-2.15.0/rc_limit.stderr.txt", "torch-2.15.0/gb_mixed.stderr.txt", "torch-2.8.0/explain.stdout.txt"]
        .map((path) => readFileSync(printed(path), "utf8")).join("\n\n");
      await chooseFiles(page, [input("all.txt", text)]);
      await finished(page);
      await mark(page, "findings-link").waitFor();
      await look("overview");
      await toFindings(page);
      for (const fold of await page.locator("main details > summary").all()) if (await fold.isVisible()) await fold.click();
      await look("findings");
      assert.deepEqual(all, []);
      await finish();
    });
  }
}
