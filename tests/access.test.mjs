// Everybody can use the page: axe finds nothing on any view, in light and dark, wide and narrow.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { browserForTests, fixture } from "./harness.mjs";
import { chooseFiles, finished, views } from "./page.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const browser = browserForTests();
before(browser.start);
after(browser.stop);

async function findings(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(" | ")}`);
}

test("axe finds what is wrong", async () => {
  const { page, finish } = await browser.open();
  await page.evaluate(() => document.querySelector("main").append(document.createElement("img"), document.createElement("button")));
  const found = (await findings(page)).join("\n");
  assert.match(found, /image-alt/);
  assert.match(found, /button-name/);
  await finish();
});

for (const colorScheme of ["light", "dark"]) {
  for (const [size, viewport] of [["wide", { width: 1280, height: 800 }], ["narrow", { width: 360, height: 740 }]]) {
    test(`every view, ${size} and ${colorScheme}`, async () => {
      const { page, finish } = await browser.open({ colorScheme, viewport });
      const openLog = async () => {
        await chooseFiles(page, [fixture("torch-2.15.0", "err_backend.log")]);
        await finished(page);
      };
      const all = [];
      for (const [name, show] of Object.entries(views)) {
        await show(page, openLog);
        all.push(...(await findings(page)).map((finding) => `${name}: ${finding}`));
        const width = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        if (width > 0) all.push(`${name}: the page is ${width} px wider than the window`);
      }
      assert.deepEqual(all, []);
      await finish();
    });
  }
}

for (const colorScheme of ["light", "dark"]) {
  test(`why, what differs and the guards, ${colorScheme}`, async () => {
    const { page, finish } = await browser.open({ colorScheme, viewport: { width: 1280, height: 800 } });
    await chooseFiles(page, [fixture("torch-2.15.0", "rc_shape.log.gz")]);
    await finished(page);
    const all = [];
    const look = async (name) => all.push(...(await findings(page)).map((finding) => `${name}: ${finding}`));
    await page.getByTestId("worst").first().getByRole("link").click();
    await page.getByTestId("frame-history").waitFor();
    await look("frame");
    await page.evaluate(() => { location.hash = "#v=1&log=0&view=diff&id=0/1&from=0/0"; });
    await page.getByTestId("diff-row").first().waitFor();
    await look("diff");
    await page.evaluate(() => { location.hash = "#v=1&log=0&view=compilation&id=0/1"; });
    await page.getByTestId("guards-count").click();
    await page.getByTestId("guards-headline").waitFor();
    await look("guards");
    assert.deepEqual(all, []);
    await finish();
  });
}
