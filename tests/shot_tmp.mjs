import { startBrowser, site, openPage, input, ROOT } from "./harness.mjs";
import { chooseFiles, finished, mark } from "./page.mjs";
import { readFileSync } from "node:fs";
const b = await startBrowser(); const s = await site();
for (const [n, viewport, colorScheme] of [["wide", {width:1280,height:900}, "light"], ["narrow", {width:400,height:900}, "dark"]]) {
  const { page, context } = await openPage(b, s.address, { viewport, colorScheme });
  await mark(page, "paste").click();
  await page.screenshot({ path: `/tmp/fv-landing-${n}.png`, fullPage: true });
  const text = ["torch-2.5.1/err_backend.stderr.txt", "torch-2.15.0/err_fullgraph.stderr.txt","torch-2.15.0/rc_limit.stderr.txt", "torch-2.15.0/gb_mixed.stderr.txt", "torch-2.8.0/explain.stdout.txt"].map((p) => readFileSync(`${ROOT}/core/tests/plain/${p}`, "utf8")).join("\n\n");
  await chooseFiles(page, [input("all.txt", text)]);
  await finished(page);
  await mark(page, "findings-link").waitFor();
  await page.screenshot({ path: `/tmp/fv-overview-${n}.png` });
  await mark(page, "findings-link").click();
  await mark(page, "failure-report").first().waitFor();
  await page.locator('[data-testid="traceback"] > summary').first().click();
  await page.screenshot({ path: `/tmp/fv-findings-${n}.png`, fullPage: true });
  for (const f of ["torch-2.5.1/after_aot.stderr.txt", "torch-2.15.0/gb_wrongargs.stderr.txt"]) { await chooseFiles(page, [`${ROOT}/core/tests/plain/${f}`]); await finished(page); await page.waitForTimeout(500); console.log(f, await page.locator("main h1").innerText(), await mark(page,"findings-line").allInnerTexts()); }
  await context.close();
}
await b.close(); s.close();
