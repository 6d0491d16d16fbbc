// What PyTorch really wrote, from 2.3 to 2.15: tests/fixtures says which script made which log.
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { browserForTests, drop, FIXTURES, fixture } from "./harness.mjs";
import {
  allRead, dropAndRead, factIs, finished, firstRowIs, mark, openArtifact, openCompilation, rows, tabs, textRows,
} from "./page.mjs";

const browser = browserForTests();
before(browser.start);
after(browser.stop);

const statuses = (...list) => list;
const eight = (status) => Array.from({ length: 8 }, () => status);
for (const [path, facts, wanted] of [
  ["torch-2.3.1/rc_limit.log", { compilations: "8", recompiles: "7", frames: "1", failures: "0" }, eight("no metrics")],
  ["torch-2.5.1/rc_limit.log", { compilations: "9", frames: "1", health: "all read" }, [...eight("ok"), "no metrics"]],
  ["torch-2.5.1/gb_open.log", { compilations: "2", frames: "2", failures: "1" }, statuses("graph break", "error")],
  ["torch-2.15.0/err_backend.log", { torch: "2.15.0+cu132", compilations: "1", failures: "1" }, statuses("error")],
  ["torch-2.15.0/rc_shape.log.gz", { compilations: "2", recompiles: "1", frames: "1", failures: "0" }, statuses("ok", "ok")],
]) {
  test(`${path} shows how each compilation ended`, async () => {
    const { page, finish } = await browser.open();
    await dropAndRead(page, fixture(path));
    for (const [key, value] of Object.entries(facts)) await factIs(page, key, value);
    await firstRowIs(page, "id", "[0/0]");
    assert.deepEqual((await rows(page)).map(({ status }) => status), wanted);
    await finish();
  });
}

test("a backend that raised: the compilation says what it said", async () => {
  const { page, finish } = await browser.open();
  await dropAndRead(page, fixture("torch-2.15.0/err_backend.log"));
  await openCompilation(page, "[0/0]");
  assert.match(await mark(page, "failure").innerText(), /my_backend cannot handle 5 nodes/);
  await finish();
});

test("a graph and the code that was generated for it can be read, and their checksums match", async () => {
  const { page, finish } = await browser.open();
  await dropAndRead(page, fixture("torch-2.15.0/rc_shape.log.gz"));
  await openCompilation(page, "[0/1]");
  await openArtifact(page, "dynamo_output_graph");
  assert.match((await textRows(page)).map(([, text]) => text).join("\n"), /class GraphModule\(torch\.nn\.Module\)/);
  assert.equal(await page.locator("[data-checksum]").first().getAttribute("data-checksum"), "good");
  await finish();
});

test("ranks of one run are open side by side", async () => {
  const { page, finish } = await browser.open();
  const folder = fixture("torch-2.15.0");
  const ranks = readdirSync(folder).filter((name) => name.includes("_rank_")).map((name) => `${folder}/${name}`);
  assert.equal(ranks.length, 2);
  await drop(page, ranks);
  await allRead(page, 2);
  assert.ok((await tabs(page)).every(({ compilations }) => compilations > 0));
  await finish();
});

test("all fixtures at once, dropped as one folder; what is no log is named", async () => {
  const { page, finish } = await browser.open();
  const files = readdirSync(FIXTURES, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const logs = files.filter(({ name }) => /\.(log|txt)(\.gz)?$/.test(name));
  assert.ok(logs.length >= 10 && files.length > logs.length);
  await drop(page, [FIXTURES]);
  await allRead(page, logs.length);
  assert.ok((await tabs(page)).every(({ state }) => state === "done"));
  await page.getByText(`Of ${files.length} files only the ${logs.length} whose names look like logs`).waitFor();
  // Where they are fewer, each is tried, and each that is none is named.
  const scripts = files.filter(({ name }) => name.endsWith(".py"));
  await drop(page, [join(FIXTURES, "scripts")]);
  await page.waitForFunction((count) => document.querySelectorAll('[data-testid="refused"]').length === count, scripts.length);
  await finish();
});

const versions = readdirSync(FIXTURES).filter((name) => existsSync(join(FIXTURES, name, "console")));
for (const version of versions) {
  test(`what the console showed with ${version} answers why a function was compiled again`, async () => {
    const folder = join(FIXTURES, version, "console");
    const name = readdirSync(folder).find((file) => /^(recompiles|recompiles_verbose)\.rc_/.test(file));
    assert.ok(name, version);
    const { page, finish } = await browser.open();
    await drop(page, [join(folder, name)]);
    await finished(page);
    await mark(page, "worst").getByText("was compiled").waitFor();
    await mark(page, "worst").getByRole("link").click();
    await mark(page, "frame-history").waitFor();
    assert.match(await mark(page, "frame-history").innerText(), /x\.size\(\)\[0\]|stack0|\bx\b/);
    await finish();
  });
}
