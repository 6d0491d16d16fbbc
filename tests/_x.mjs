import { browserForTests, input, drop, SCRATCH } from './harness.mjs'; import {mark,tabs} from './page.mjs'; import {trace,gzipped} from './trace.mjs'; import {rmSync} from 'node:fs';
const b = browserForTests(); await b.start();
const {page,said,context,later}=await b.open(); 
const whole = gzipped(trace(400));
await drop(page,[input('cut.log.gz', whole.subarray(0, Math.floor(whole.length / 2)))]); 
for (let i=0;i<6;i++) { await page.waitForTimeout(100); console.log(await tabs(page), await page.locator('.trouble').allInnerTexts()); }
const p = input('v.log', trace(3,40000)); await drop(page,[p]); await page.waitForTimeout(1500); rmSync(p); await mark(page,'row').nth(2).click(); await page.waitForTimeout(1000);
console.log((await page.locator('body').innerText()).slice(0,1500), said);
process.exit();
