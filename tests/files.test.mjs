// Whatever way a log comes in, it is read; whatever else comes in, a sentence says what it is.
import assert from "node:assert/strict";
import { mkdirSync, rmSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { browserForTests, drop, input, SCRATCH } from "./harness.mjs";
import {
  allRead, chooseFiles, chooseFolder, dropAndRead, factIs, factIsNot, finished, firstRowIs, mark, openArtifact, openCompilation,
  openRepeated, openSample, rows, sentence, tabs,
} from "./page.mjs";
import { gzipped, trace } from "./trace.mjs";

const browser = browserForTests();
before(browser.start);
after(browser.stop);

const small = trace(3);
const plain = input("one/dedicated_log_torch_trace_a.log", small);
const packed = input("one/dedicated_log_torch_trace_b.log.gz", gzipped(trace(4)));

describe("a log is read", () => {
  for (const [way, open] of [
    ["chosen", (page, path) => chooseFiles(page, [path])],
    ["dropped", (page, path) => drop(page, [path])],
  ]) {
    for (const [kind, path, count] of [["a plain file", plain, 3], ["a gzip file", packed, 4]]) {
      test(`${kind}, ${way}`, async () => {
        const { page, finish } = await browser.open();
        await open(page, path);
        await finished(page);
        await factIs(page, "compilations", String(count));
        await factIs(page, "torch", "2.15.0+cpu");
        await firstRowIs(page, "function", "forward_000000");
        assert.equal((await rows(page)).length, count);
        await finish();
      });
    }
  }

  test("whatever its name is", async () => {
    const { page, finish } = await browser.open();
    await dropAndRead(page, input("picture.png", gzipped(small)));
    await factIs(page, "compilations", "3");
    await finish();
  });

  test("with line ends of Windows and without a last line end", async () => {
    const { page, finish } = await browser.open();
    await dropAndRead(page, input("crlf.log", small.trimEnd().replaceAll("\n", "\r\n")));
    await factIs(page, "compilations", "3");
    await finish();
  });

  const utf16 = (text, big) => (big ? Buffer.from(text, "utf16le").swap16() : Buffer.from(text, "utf16le"));
  for (const [encoding, name, content] of [
    ["UTF-16 as PowerShell writes it", "powershell.log", utf16(`\ufeff${small.replaceAll("\n", "\r\n")}`, false)],
    ["UTF-16 with the high byte first", "big.log", utf16(`\ufeff${small}`, true)],
    ["UTF-16 without a mark", "unmarked.log", utf16(small, false)],
    ["lines that end in carriage returns alone", "returns.log", Buffer.from(small.replaceAll("\n", "\r"))],
    ["a gzip file of UTF-16", "utf16.log.gz", gzipped(utf16(`\ufeff${small}`, false))],
    ["UTF-8 behind a mark", "mark.log", `\ufeff${small}`],
    ["a gzip file of UTF-8 behind a mark", "mark.log.gz", gzipped(`\ufeff${small}`)],
  ]) {
    test(`in ${encoding}, and its graphs too`, async () => {
      const { page, finish } = await browser.open();
      await dropAndRead(page, input(name, content));
      await factIs(page, "compilations", "3");
      await firstRowIs(page, "function", "forward_000000");
      await openCompilation(page, "[0/0]");
      await openArtifact(page, "dynamo_output_graph");
      assert.equal(await page.locator("[data-checksum]").first().getAttribute("data-checksum"), "good");
      await finish();
    });
  }

  test("that a program's other output stands in", async () => {
    const { page, finish } = await browser.open();
    const lines = small.split("\n");
    const first = lines.findIndex((line) => line.includes("dynamo_start"));
    lines.splice(first, 0, "epoch 1: loss 0.3", "epoch 2: loss 0.2");
    await dropAndRead(page, input("mixed.log", lines.join("\n")));
    await factIs(page, "compilations", "3");
    await finish();
  });
});

describe("several logs", () => {
  for (const [way, open] of [
    ["chosen at once", (page) => chooseFiles(page, [plain, packed])],
    ["dropped at once", (page) => drop(page, [plain, packed])],
    ["in a dropped folder", (page) => drop(page, [`${SCRATCH}/one`])],
    ["in a chosen folder", (page) => chooseFolder(page, `${SCRATCH}/one`)],
  ]) {
    test(`${way} are open side by side`, async () => {
      const { page, finish } = await browser.open();
      await open(page);
      await allRead(page, 2);
      const all = await tabs(page);
      assert.deepEqual(all.map(({ compilations }) => compilations).sort(), [3, 4]);
      assert.equal(all.filter(({ shown }) => shown).length, 1);
      if (way.includes("folder")) assert.ok(all.every(({ name }) => name.startsWith("one/")), `${all.map(({ name }) => name)}`);
      for (const [at, { compilations }] of all.entries()) {
        await mark(page, "log-tab").nth(at).getByRole("link").click();
        await factIs(page, "compilations", String(compilations));
        assert.deepEqual((await tabs(page)).map(({ shown }) => shown), all.map((_, other) => other === at));
      }
      await finish();
    });
  }

  test("in folders within folders are found, and what is no log is named", async () => {
    input("deep/a/b/c/rank_0.log", trace(2));
    input("deep/a/rank_1.log", trace(5));
    input("deep/a/notes.md", "# Notes\nNothing of a compiler.\n");
    const { page, finish } = await browser.open();
    await drop(page, [`${SCRATCH}/deep`]);
    await allRead(page, 2);
    assert.deepEqual((await tabs(page)).map(({ name }) => name).sort(), ["deep/a/b/c/rank_0.log", "deep/a/rank_1.log"]);
    assert.match(await sentence(page), /notes\.md/);
    await finish();
  });

  test("a folder of more entries than a browser gives at once is read whole", async () => {
    for (let number = 0; number < 130; number += 1) input(`many/rank_${number}.log`, trace(1));
    const { page, finish } = await browser.open();
    await drop(page, [`${SCRATCH}/many`]);
    await allRead(page, 130);
    await finish();
  });

  test("one can be closed, and the other stays", async () => {
    const { page, finish } = await browser.open();
    await drop(page, [plain, packed]);
    await allRead(page, 2);
    await mark(page, "log-tab").first().getByRole("button").click();
    await allRead(page, 1);
    await factIs(page, "compilations", "4");
    await finish();
  });

  test("another one can be opened beside it", async () => {
    const { page, finish } = await browser.open();
    await dropAndRead(page, plain);
    await chooseFiles(page, [packed]);
    await allRead(page, 2);
    await finish();
  });

  test("the same file can be opened twice", async () => {
    const { page, finish } = await browser.open();
    await dropAndRead(page, plain);
    await chooseFiles(page, [plain]);
    await allRead(page, 2);
    await chooseFiles(page, [plain]);
    await allRead(page, 3);
    await finish();
  });
});

test("the sample opens, and is asked for only then", async () => {
  const { page, later, finish } = await browser.open({ allow: [/^GET .*\/samples\/[\w.-]+$/] });
  assert.deepEqual(later(), []);
  await openSample(page);
  assert.equal(later().length, 1, `${later()}`);
  await factIsNot(page, "compilations", "0");
  await finish();
});

describe("what holds no log gets a sentence that names it, and the page goes on:", () => {
  const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
  const noise = Buffer.from(Array.from({ length: 5000 }, (_, at) => (at * 7919 + (at >> 3)) % 251));
  for (const [what, name, content, found] of [
    ["an image", "cat.png", png, /PNG/],
    ["an empty file", "empty.log", "", /empty/i],
    ["one byte", "one.log", "V", undefined],
    ["a text", "story.txt", "Once upon a time\nthere was no compiler.\n", undefined],
    ["noise", "noise.bin", noise, undefined],
    ["a gzip file of a text", "story.txt.gz", gzipped("Once upon a time\n"), undefined],
    ["an empty gzip file", "nothing.log.gz", gzipped(""), undefined],
    ["the first two bytes of a gzip file", "stub.gz", gzipped(small).subarray(0, 2), undefined],
    ["a name that is markup", "<img src=x onerror=alert(1)>.txt", "text\n", undefined],
  ]) {
    test(what, async () => {
      const path = input(name, content);
      const { page, finish } = await browser.open();
      await drop(page, [path]);
      const said = await sentence(page);
      assert.ok(said.includes(name), said);
      if (found) assert.match(said, found);
      assert.ok(said.length > name.length + 30, `a sentence, not a word: ${said}`);
      assert.deepEqual(await tabs(page), []);
      await drop(page, [plain]);
      await finished(page);
      await factIs(page, "compilations", "3");
      await finish();
    });
  }

  test("an empty folder", async () => {
    mkdirSync(`${SCRATCH}/hollow`, { recursive: true });
    const { page, finish } = await browser.open();
    await drop(page, [`${SCRATCH}/hollow`]);
    assert.match(await sentence(page), /hollow/);
    await dropAndRead(page, plain);
    await finish();
  });

  test("a folder without a log", async () => {
    input("docs/a.txt", "text\n");
    input("docs/b.png", png);
    const { page, finish } = await browser.open();
    await drop(page, [`${SCRATCH}/docs`]);
    await mark(page, "refused").nth(1).waitFor();
    const said = (await mark(page, "refused").allInnerTexts()).join(" ");
    assert.match(said, /a\.txt/);
    assert.match(said, /b\.png/);
    await dropAndRead(page, plain);
    await finish();
  });
});

describe("what is damaged is shown as far as it goes:", () => {
  test("a gzip file that is cut off", async () => {
    const whole = gzipped(trace(400));
    const path = input("cut.log.gz", whole.subarray(0, Math.floor(whole.length / 2)));
    const { page, finish } = await browser.open();
    await drop(page, [path]);
    await finished(page, "broke-off");
    const [{ compilations: count }] = await tabs(page);
    assert.ok(count > 50 && count < 400, `${count} compilations`);
    assert.match(await page.locator(".trouble").first().innerText(), /cut\.log\.gz|gzip|end/i);
    await firstRowIs(page, "function", "forward_000000");
    await finish();
  });

  test("a gzip file with a byte changed", async () => {
    const bytes = gzipped(trace(400));
    bytes[Math.floor(bytes.length / 2)] ^= 0x55;
    const { page, finish } = await browser.open();
    await drop(page, [input("flipped.log.gz", bytes)]);
    await finished(page, "broke-off");
    await firstRowIs(page, "function", "forward_000000");
    await finish();
  });

  test("a log that ends within a record", async () => {
    const text = trace(5);
    const { page, finish } = await browser.open();
    await dropAndRead(page, input("short.log", text.slice(0, text.lastIndexOf("compilation_metrics") + 30)));
    await factIs(page, "compilations", "5");
    await factIsNot(page, "health", "all read");
    await finish();
  });

  test("lines that are no JSON, and bytes that are no text", async () => {
    const lines = trace(5).split("\n");
    const at = lines.findIndex((line) => line.includes("dynamo_start"));
    lines[at - 1] = `${lines[at - 1].slice(0, -5)}\u0000`;
    const bytes = Buffer.concat([Buffer.from(lines.join("\n")), Buffer.from([0xff, 0xfe, 0xc3, 0x28, 10])]);
    const { page, finish } = await browser.open();
    await dropAndRead(page, input("damaged.log", bytes));
    await factIs(page, "compilations", "5");
    await mark(page, "value-health").getByRole("link").click();
    await mark(page, "problem").first().waitFor();
    await mark(page, "problem").first().getByRole("link").first().click();
    await mark(page, "record").waitFor();
    await finish();
  });
});

describe("a file that changes after it was opened is named, and the page goes on:", () => {
  for (const [what, change] of [
    ["it vanishes", (path) => rmSync(path)],
    ["it is cut", (path) => truncateSync(path, 10)],
    ["another stands in its place", (path) => { writeFileSync(path, "another\n"); utimesSync(path, 1, 1); }],
  ]) {
    test(what, async () => {
      const name = `${what.replaceAll(" ", "_")}.log`;
      const path = input(name, trace(3, 40_000));
      const { page, finish } = await browser.open({ allow: [/ERR_UPLOAD_FILE_CHANGED|ERR_FILE_NOT_FOUND/] });
      await dropAndRead(page, path);
      change(path);
      await mark(page, "row").nth(2).click();
      const artifact = mark(page, "artifact-row").getByRole("link", { name: "dynamo_output_graph" });
      await artifact.or(mark(page, "notice")).first().waitFor();
      // Who keeps the compilation in memory notices only at the text.
      if (await artifact.count() > 0) await artifact.first().click();
      const said = await sentence(page);
      assert.ok(said.includes(name), said);
      assert.match(said, /changed|moved|deleted|vanished/);
      await dropAndRead(page, plain);
      await openCompilation(page, "[0/0]");
      await openArtifact(page, "dynamo_output_graph");
      await finish();
    });
  }
});

test("reading can be cancelled; what was read stays", async () => {
  const { page, finish } = await browser.open();
  // Some 3 GB, which no machine reads before the button is pressed.
  const text = trace(200, 400);
  await openRepeated(page, "large.log", text, Math.ceil(3e9 / text.length));
  await page.waitForFunction(() => Number(document.querySelector('[data-testid="log-tab"]')?.dataset.compilations) > 100);
  await firstRowIs(page, "function", "forward_000000");
  await mark(page, "cancel").click();
  await finished(page, "stopped");
  const [{ read, total, compilations }] = await tabs(page);
  assert.ok(read > 0 && read < total, `${read} of ${total} bytes`);
  assert.ok(compilations > 100);
  await openCompilation(page, "[0/0]");
  await openArtifact(page, "dynamo_output_graph");
  await finish();
});

test("a log can be closed while it is read, and the engine lives on", async () => {
  const { page, finish } = await browser.open();
  const text = trace(200, 400);
  await openRepeated(page, "large.log", text, Math.ceil(3e9 / text.length));
  await page.waitForFunction(() => Number(document.querySelector('[data-testid="log-tab"]')?.dataset.compilations) > 100);
  await mark(page, "log-tab").getByRole("button").click();
  await mark(page, "landing").waitFor();
  await dropAndRead(page, plain);
  await factIs(page, "compilations", "3");
  await finish();
});

test("while one log is read, another can be looked at", async () => {
  const { page, finish } = await browser.open();
  await dropAndRead(page, plain);
  const text = trace(200, 400);
  await openRepeated(page, "large.log", text, Math.ceil(3e9 / text.length));
  await mark(page, "log-tab").nth(1).waitFor();
  await mark(page, "log-tab").first().getByRole("link").click();
  await openCompilation(page, "[1/0]");
  await openArtifact(page, "dynamo_output_graph");
  const [, large] = await tabs(page);
  assert.equal(large.state, "reading");
  await finish();
});
