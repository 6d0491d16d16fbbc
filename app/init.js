// Starts the page and its engine. It is the page's only script that is not made by wasm-bindgen.
//
// Every file is checked against the digest that scripts/seal.mjs wrote into index.html, so that a
// changed file is refused, not run. The engine runs in a worker made from a blob: address, because
// only such a worker inherits the page's policy; a worker loaded from the network could talk to
// anyone. It gets its code as text and its WebAssembly as a compiled module, and so asks for nothing.
"use strict";
(() => {
  const files = document.currentScript.dataset;
  const boot = document.getElementById("boot");

  /** Thrown with a sentence for the reader. */
  class BootError extends Error {}

  /** Says in the page what went wrong; several reasons stand below each other. */
  function refuse(error) {
    const sentence = error instanceof BootError ? error.message : `Dynascope could not start: ${error}`;
    if (boot.getAttribute("role") !== "alert") {
      boot.setAttribute("role", "alert");
      boot.replaceChildren();
    }
    const line = document.createElement("p");
    line.textContent = sentence;
    boot.append(line);
    document.body.prepend(boot);
  }

  const address = (name) => new URL(name, document.baseURI).href;

  /** Why a file could not be had, as a sentence: the browser tells only that it failed. */
  async function whyNot(name) {
    let answer;
    try {
      answer = await fetch(address(name), { method: "HEAD", cache: "no-store" });
    } catch {
      return new BootError(`The file ${name} could not be loaded, because the server did not answer. Check the connection and reload the page.`);
    }
    if (!answer.ok) {
      return new BootError(`The file ${name} could not be loaded (status ${answer.status}). If the site was updated just now, reload the page.`);
    }
    return new BootError(`The file ${name} is not the one that this page was built with, so it was not run. Reload the page. If this message stays, the server's copy is damaged or somebody changed it.`);
  }

  /** A file's response, only if the file is the one that the page was built with. */
  async function sealed(name, integrity) {
    let response;
    try {
      response = await fetch(address(name), { integrity });
    } catch {
      throw await whyNot(name);
    }
    if (!response.ok) throw await whyNot(name);
    return response;
  }

  /** A JavaScript module, only if it is the one that the page was built with. */
  async function sealedModule(name, integrity) {
    // import() takes no digest, but it uses the copy that a script element has checked and loaded.
    const script = document.createElement("script");
    script.type = "module";
    script.integrity = integrity;
    script.src = address(name);
    await new Promise((resolve, reject) => {
      script.onload = resolve;
      script.onerror = () => whyNot(name).then(reject);
      document.head.append(script);
    });
    return import(script.src);
  }

  /** Compiles WebAssembly, while it arrives where the server names its type. */
  async function compiled(response) {
    const type = response.headers.get("content-type") ?? "";
    return type.startsWith("application/wasm")
      ? WebAssembly.compileStreaming(response)
      : WebAssembly.compile(await response.arrayBuffer());
  }

  /** The smallest module that uses SIMD, to tell an old browser from a damaged file. */
  const simd = new Uint8Array([
    0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
  ]);

  function checkBrowser() {
    if (typeof WebAssembly !== "object") {
      throw new BootError("Dynascope needs WebAssembly, which this browser lacks or has turned off. Use a current Firefox, Chrome, Edge or Safari, or turn it on.");
    }
    if (!WebAssembly.validate(simd)) {
      throw new BootError("Dynascope needs WebAssembly with SIMD, which this browser is too old for. Use a current Firefox, Chrome, Edge or Safari.");
    }
  }

  async function startPage() {
    const [page, wasm] = await Promise.all([
      sealedModule(files.pageJs, files.pageJsIntegrity),
      sealed(files.pageWasm, files.pageWasmIntegrity).then(compiled),
    ]);
    await page.default({ module_or_path: wasm });
    boot.remove();
  }

  /** Makes the worker; it waits for the compiled module, which `feed` sends. */
  async function makeEngine() {
    const [code, wasm] = await Promise.all([
      sealed(files.engineJs, files.engineJsIntegrity).then((response) => response.text()),
      sealed(files.engineWasm, files.engineWasmIntegrity).then(compiled),
    ]);
    const start = "self.onmessage = (event) => { self.onmessage = null; wasm_bindgen.initSync({ module: event.data }); };";
    const source = URL.createObjectURL(new Blob([code, "\n", start], { type: "text/javascript" }));
    const worker = new Worker(source, { name: "dynascope-engine" });
    worker.addEventListener("message", () => URL.revokeObjectURL(source), { once: true });
    return { worker, feed: () => worker.postMessage(wasm) };
  }

  async function start() {
    checkBrowser();
    const engine = makeEngine();
    // The page awaits this to talk to its engine, and tells the reader where it fails.
    globalThis.dynascopeEngine = engine.then(({ worker }) => worker);
    globalThis.dynascopeEngine.catch(() => {});
    try {
      await startPage();
    } catch (error) {
      engine.catch(refuse);
      throw error;
    }
    // The engine starts when the page listens, so that its first word is not lost.
    engine.then(({ feed }) => setTimeout(feed), () => {});
  }

  start().catch(refuse);
})();
