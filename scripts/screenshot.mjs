// Takes pictures of the page.
//
//   node scripts/screenshot.mjs          docs/page.png, the README's picture
//   node scripts/screenshot.mjs all      every view, wide and narrow, light and dark, into tests/out/
//
// FILE=some.log shows another log than the sample.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openPage, ROOT, site, startBrowser } from "../tests/harness.mjs";
import { chooseFiles, openSample, views } from "../tests/page.mjs";

const sizes = { wide: { width: 1280, height: 800 }, narrow: { width: 390, height: 780 } };

async function openLog(page) {
  if (process.env.FILE) await chooseFiles(page, [process.env.FILE]);
  else await openSample(page);
}

const browser = await startBrowser();
const here = await site();
try {
  if (process.argv[2] === "all") {
    const out = join(ROOT, "tests", "out");
    mkdirSync(out, { recursive: true });
    for (const [size, viewport] of Object.entries(sizes)) {
      for (const colorScheme of ["light", "dark"]) {
        const { page, context } = await openPage(browser, here.address, { viewport, colorScheme });
        for (const [name, show] of Object.entries(views)) {
          await show(page, () => openLog(page));
          const path = join(out, `${name}-${size}-${colorScheme}.png`);
          await page.screenshot({ path });
          console.log(path);
        }
        await context.close();
      }
    }
  } else {
    const path = join(ROOT, "docs", "page.png");
    mkdirSync(join(ROOT, "docs"), { recursive: true });
    const { page, context } = await openPage(browser, here.address, { viewport: sizes.wide, colorScheme: "light" });
    await openLog(page);
    await page.screenshot({ path });
    console.log(path);
    await context.close();
  }
} finally {
  await browser.close();
  await here.close();
}
