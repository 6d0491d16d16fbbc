// Wide real inputs, where somebody has them: the page opens each, says something of it, and goes on.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { browserForTests, CORPUS, drop } from "./harness.mjs";
import { allRead, dropAndRead, factIs, finished, firstRowIs, mark, rows, tabs } from "./page.mjs";

const skip = CORPUS ? false : "DYNASCOPE_CORPUS is not set";
if (skip) console.log("corpus: skipped, because DYNASCOPE_CORPUS is not set");
const traces = () => join(CORPUS, "torch-2.15.0", "trace");
const logIn = (folder) => join(folder, readdirSync(folder).find((name) => /\.log(\.gz)?$/.test(name)));

const browser = browserForTests();
before(browser.start);
after(browser.stop);

test("rc_limit: one function, eight recompiles, the ninth of which fails with the limit", { skip }, async () => {
  const { page, finish } = await browser.open();
  await dropAndRead(page, logIn(join(traces(), "rc_limit")));
  await factIs(page, "frames", "1");
  await factIs(page, "compilations", "9");
  await factIs(page, "failures", "1");
  await firstRowIs(page, "function", "f");
  assert.equal((await rows(page)).length, 9);
  await finish();
});

test("big_suite: 108 MB of text in a gzip file", { skip }, async () => {
  const { page, finish } = await browser.open();
  await dropAndRead(page, logIn(join(traces(), "big_suite")));
  assert.ok((await tabs(page))[0].compilations > 100);
  await mark(page, "row").nth(5).click();
  await mark(page, "artifact-row").first().locator('[data-column="name"] a').click();
  await mark(page, "text-row").first().waitFor();
  await finish();
});

test("the ranks of a distributed run, dropped as a folder", { skip }, async () => {
  const dist = join(CORPUS, "torch-2.15.0", "dist");
  const folder = readdirSync(dist).map((name) => join(dist, name))
    .find((path) => readdirSync(path).filter((name) => name.endsWith(".log")).length > 1);
  assert.ok(folder, "a run with several ranks");
  // What the ranks wrote to stderr lies beside their traces, and is a log of its own.
  const names = readdirSync(folder).filter((name) => name.endsWith(".log") || name === "stderr.txt");
  const { page, finish } = await browser.open();
  await drop(page, [folder]);
  await allRead(page, names.length);
  assert.ok((await tabs(page)).filter(({ name }) => name.endsWith(".log")).every(({ compilations }) => compilations > 0));
  await finish();
});

test("every trace of torch 2.15 opens, one after the other", { skip }, async () => {
  const { page, finish } = await browser.open();
  const folders = readdirSync(traces()).map((name) => join(traces(), name))
    .filter((folder) => existsSync(folder) && !folder.endsWith("big_suite") && readdirSync(folder).some((name) => name.endsWith(".log")));
  assert.ok(folders.length > 20);
  for (const folder of folders) {
    await drop(page, [logIn(folder)]);
    await finished(page);
    assert.equal((await tabs(page))[0].records > 0, true, folder);
    await mark(page, "log-tab").first().getByRole("button").click();
    await mark(page, "landing").waitFor();
  }
  await finish();
});

/** Whether PyTorch wrote something: a program that only prints leaves a file without. */
const holdsMessages = (path) => /torch[./]_/.test(readFileSync(path, "utf8"));

test("every console log of every version opens, and those with messages show records", { skip }, async () => {
  const { page, finish } = await browser.open();
  const versions = readdirSync(CORPUS).filter((name) => existsSync(join(CORPUS, name, "text")));
  assert.ok(versions.length >= 4);
  let opened = 0;
  for (const version of versions) {
    for (const setting of readdirSync(join(CORPUS, version, "text"))) {
      const folder = join(CORPUS, version, "text", setting);
      // One of each setting: the smallest, so that the versions are many and the time is short.
      const [name] = readdirSync(folder).filter((file) => /(?<!stdout)\.txt$/.test(file) && holdsMessages(join(folder, file)))
        .sort((left, right) => statSync(join(folder, left)).size - statSync(join(folder, right)).size);
      if (!name) continue;
      await drop(page, [join(folder, name)]);
      await finished(page);
      const [tab] = await tabs(page);
      assert.equal(tab.state, "done", `${version} ${setting} ${name}`);
      assert.ok(tab.records > 0, `${version} ${setting} ${name}: records`);
      opened += 1;
      await mark(page, "log-tab").first().getByRole("button").click();
      await mark(page, "landing").waitFor();
    }
  }
  assert.ok(opened > 50, `${opened} logs`);
  await finish();
});
