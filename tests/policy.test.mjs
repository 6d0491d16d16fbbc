// Nothing leaves: neither the page nor its engine can reach another origin.
//
// Each attempt also runs on a copy of the page without the policy, where it must succeed, so that an
// attempt which is written wrongly is noticed. What no policy can stop stands in the README.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { copyOfDist, DIST, engineOf, fileOf, openPage, site, startBrowser, stranger } from "./harness.mjs";

/** Attempts that run in the page and in the engine's worker. Only who is reached counts. */
const scripted = {
  fetch: (url) => fetch(url, { mode: "no-cors" }),
  "fetch with a body": (url) => fetch(url, { method: "POST", mode: "no-cors", body: "secret" }),
  XMLHttpRequest: (url) => new Promise((done) => {
    const request = new XMLHttpRequest();
    request.onloadend = done;
    request.open("POST", url);
    request.send("secret");
  }),
  WebSocket: (url) => new Promise((done) => { new WebSocket(url.replace("http:", "ws:")).onerror = done; }),
  EventSource: (url) => new Promise((done) => {
    const source = new EventSource(url);
    source.onerror = () => { source.close(); done(); };
  }),
  "import()": (url) => import(url),
};
const inWorker = { ...scripted, importScripts: (url) => importScripts(url) };
const inPage = {
  ...scripted,
  sendBeacon: (url) => navigator.sendBeacon(url, "secret"),
  "a form": (url) => {
    const form = document.createElement("form");
    Object.assign(form, { method: "post", action: url, target: "_blank" });
    document.body.append(form);
    form.submit();
  },
  "a link's ping": (url) => {
    const link = document.createElement("a");
    Object.assign(link, { href: "#", ping: url });
    document.body.append(link);
    link.click();
  },
};
/** Elements that load what an attribute names. */
const elements = {
  "an image": ["img", "src"],
  "an image set": ["img", "srcset"],
  "a script": ["script", "src"],
  "a module": ["script", "src", { type: "module" }],
  "a style sheet": ["link", "href", { rel: "stylesheet" }],
  "a preload": ["link", "href", { rel: "preload", as: "fetch", crossOrigin: "anonymous" }],
  "a frame": ["iframe", "src"],
  "an object": ["object", "data", { type: "text/html" }],
  "a video": ["video", "src"],
  "a sound": ["audio", "src"],
};
const addElement = ([[tag, attribute, more], url]) => new Promise((done) => {
  const element = document.createElement(tag);
  Object.assign(element, more);
  element.onload = element.onerror = done;
  element.setAttribute(attribute, url);
  document.body.append(element);
});

const pause = (milliseconds) => new Promise((over) => setTimeout(over, milliseconds));

const visits = (mark) => other.hits.filter((line) => line.includes(mark));

/** Runs an attempt and gives who came, as soon as somebody does, or when the patience is over (milliseconds). */
async function attempt(target, code, argument, mark, patience) {
  target.evaluate(code, argument).catch(() => {});
  for (let waited = 0; waited < patience && visits(mark).length === 0; waited += 20) await pause(20);
  return visits(mark);
}

let browser, other, here, open;
const opened = {};
before(async () => {
  browser = await startBrowser();
  other = await stranger();
  here = await site();
  const bare = copyOfDist("without-policy");
  const html = readFileSync(join(bare, "index.html"), "utf8");
  const without = html.replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, "");
  assert.notEqual(without, html);
  writeFileSync(join(bare, "index.html"), without);
  open = await site(bare);
  opened.held = (await openPage(browser, here.address)).page;
  opened.free = (await openPage(browser, open.address)).page;
});
after(async () => {
  await browser.close();
  await Promise.all([other.close(), here.close(), open.close()]);
});

function check(name, targetOf, code, argument = (url) => url) {
  test(name, async () => {
    const path = encodeURIComponent(name);
    const free = await attempt(targetOf(opened.free), code, argument(`${other.address}free/${path}`), `/free/${path}`, 5000);
    assert.notDeepEqual(free, [], "without the policy the attempt gets through");
    const held = await attempt(targetOf(opened.held), code, argument(`${other.address}held/${path}`), `/held/${path}`, 500);
    assert.deepEqual(held, [], "with the policy nobody is reached");
  });
}

describe("the page cannot reach another origin by", () => {
  for (const [name, code] of Object.entries(inPage)) check(name, (page) => page, code);
  for (const [name, element] of Object.entries(elements)) check(name, (page) => page, addElement, (url) => [element, url]);
});

describe("the engine cannot reach another origin by", () => {
  for (const [name, code] of Object.entries(inWorker)) check(name, engineOf, code);
});

test("nor was anybody reached later than an attempt was watched", () => {
  assert.notDeepEqual(visits("/free/"), []);
  assert.deepEqual(visits("/held/"), []);
});

test("a worker from a network address, which the policy would not reach, is refused", async () => {
  const script = fileOf(DIST, /^engine-.*\.js$/).slice(DIST.length + 1);
  const make = async (address) => {
    let worker;
    const end = await new Promise((done) => {
      document.addEventListener("securitypolicyviolation", (event) => done(event.effectiveDirective), { once: true });
      worker = new Worker(address);
      worker.onerror = () => setTimeout(done, 100, "it failed");
      setTimeout(done, 1000, "it runs");
    });
    worker.terminate();
    return end;
  };
  assert.equal(await opened.free.evaluate(make, `${open.address}${script}?by=worker`), "it runs");
  assert.equal(await opened.held.evaluate(make, `${here.address}${script}?by=worker`), "worker-src");
  assert.ok(open.requests.some((line) => line.endsWith("?by=worker")));
  assert.ok(!here.requests.some((line) => line.endsWith("?by=worker")), "it was not even loaded");
});

for (const [who, targetOf] of [["page", (page) => page], ["engine", engineOf]]) {
  test(`text is never run as code in the ${who}`, async () => {
    // Through a timer, because what a debugger evaluates may use eval whatever the policy says.
    const code = () => new Promise((done) => setTimeout(() => {
      try { done(`ran: ${new Function("return 1")()}`); } catch (error) { done(error.name); }
    }));
    assert.equal(await targetOf(opened.free).evaluate(code), "ran: 1");
    assert.equal(await targetOf(opened.held).evaluate(code), "EvalError");
  });
}

test("a style string in markup has no effect, and no script in markup runs", async () => {
  const code = () => new Promise((done) => setTimeout(() => {
    const box = document.createElement("div");
    document.body.append(box);
    globalThis.ran = false;
    box.innerHTML = '<p style="color: rgb(1, 2, 3)" onclick="globalThis.ran = true">text</p>';
    box.firstChild.click();
    const result = [getComputedStyle(box.firstChild).color === "rgb(1, 2, 3)", globalThis.ran];
    box.remove();
    done(result);
  }));
  assert.deepEqual(await opened.free.evaluate(code), [true, true]);
  assert.deepEqual(await opened.held.evaluate(code), [false, false]);
});
