// What a person does on the page and sees there, by name. The marks (`data-testid`, `data-state` …) are
// those of app/src/view.
import assert from "node:assert/strict";
import { drop } from "./harness.mjs";

export const mark = (page, name) => page.getByTestId(name);

async function choose(page, button, paths) {
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), mark(page, button).click()]);
  await chooser.setFiles(paths);
}

/** Opens files with the browser's dialog: from the landing page, or from the bar where a log is open. */
export async function chooseFiles(page, paths) {
  await choose(page, (await mark(page, "choose-files").count()) > 0 ? "choose-files" : "add", paths);
}

/** Opens a folder with the browser's dialog. */
export const chooseFolder = (page, folder) => choose(page, "choose-folder", folder);

/** Opens the sample. */
export async function openSample(page) {
  await mark(page, "sample").click();
  await finished(page);
}

/**
 * Opens a file that is made inside the page: a text again and again. It may be larger than the memory,
 * because the browser keeps the text once.
 */
export async function openRepeated(page, name, text, times) {
  await page.evaluate(([name_, text_, times_]) => {
    const part = new Blob([text_]);
    const transfer = new DataTransfer();
    transfer.items.add(new File(Array.from({ length: times_ }, () => part), name_));
    const input = document.querySelector('[data-testid="choose-files-input"]');
    input.files = transfer.files;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  }, [name, text, times]);
}

/** Waits until the log that is shown was read, and gives how that ended. */
export async function finished(page, state = "done") {
  const strip = mark(page, "progress");
  await strip.and(page.locator(':not([data-state="reading"])')).waitFor({ timeout: 60_000 });
  const end = await strip.getAttribute("data-state");
  if (state) assert.equal(end, state, "how reading ended");
  // The overview's last answer comes a moment later.
  await page.waitForFunction(() => {
    const tab = document.querySelector('[data-testid="log-tab"].shown');
    const shown = document.querySelector('[data-testid="value-compilations"]');
    return !tab || !shown || shown.textContent.replaceAll(",", "").trim() === tab.dataset.compilations;
  });
  return end;
}

/** Opens one file by dropping it, and waits until it was read. */
export async function dropAndRead(page, path) {
  await drop(page, [path]);
  return finished(page);
}

/** The tabs of open logs: name and state. */
export async function tabs(page) {
  return mark(page, "log-tab").evaluateAll((all) => all.map((tab) => ({
    name: tab.querySelector("a").title, state: tab.dataset.state, shown: tab.classList.contains("shown"),
    compilations: Number(tab.dataset.compilations), records: Number(tab.dataset.records),
    read: Number(tab.dataset.bytes), total: Number(tab.dataset.total),
  })));
}

/** Waits until so many logs are open and read. */
export async function allRead(page, count) {
  await page.waitForFunction((wanted) => {
    const all = [...document.querySelectorAll('[data-testid="log-tab"]')];
    return all.length === wanted && all.every((tab) => tab.dataset.state !== "reading");
  }, count, { timeout: 60_000 });
}

/** A fact of the overview, as it is shown. */
export const fact = async (page, key) => (await mark(page, `value-${key}`).innerText()).trim();

/** Asserts a fact of the overview. The last answer may come a moment after the end of reading. */
export async function factIs(page, key, value) {
  await page.waitForFunction(
    ([mark_, wanted]) => document.querySelector(`[data-testid="${mark_}"]`)?.textContent.trim() === wanted,
    [`value-${key}`, value], { timeout: 5000 },
  ).catch(() => {});
  assert.equal(await fact(page, key), value, key);
}

/** Asserts that a fact of the overview comes to be another than this. */
export async function factIsNot(page, key, value) {
  await page.waitForFunction(([mark_, unwanted]) => {
    const shown = document.querySelector(`[data-testid="${mark_}"]`)?.textContent.trim();
    return shown && shown !== "…" && shown !== unwanted;
  }, [`value-${key}`, value], { timeout: 5000 });
}

/** The rows of the table that are in the document: column → text. */
export async function rows(page) {
  return mark(page, "row").evaluateAll((all) => all
    .sort((left, right) => Number(left.dataset.row) - Number(right.dataset.row))
    .map((row) => Object.fromEntries([...row.querySelectorAll("[data-column]")]
      .map((cell) => [cell.dataset.column, cell.textContent.trim()]))));
}

/** Waits until the table's first row holds a text in a column. */
export async function firstRowIs(page, column, text) {
  await page.waitForFunction(([column_, text_]) => document
    .querySelector(`[data-testid="row"][data-row="0"] [data-column="${column_}"]`)?.textContent.trim() === text_, [column, text]);
}

/** Types a filter and waits until the table says how many rows are left. */
export async function filterBy(page, text, count) {
  await mark(page, "filter").fill(text);
  await page.waitForFunction(
    (wanted) => document.querySelector('[data-testid="matching"]')?.textContent.trim().startsWith(wanted),
    count,
  );
}

/** Sorts by a column. */
export const sortBy = (page, column) => mark(page, `sort-${column}`).click();

/** Opens the compilation of the table's row that shows this id, such as `[0/1]`. */
export async function openCompilation(page, label) {
  await mark(page, "row").filter({ has: page.locator('[data-column="id"]', { hasText: label }) }).first().click();
  await mark(page, "compilation").waitFor();
  await mark(page, "status").waitFor();
}

/** Opens an artifact's text from a compilation's page. */
export async function openArtifact(page, name) {
  await mark(page, "artifact-row").getByRole("link", { name, exact: true }).first().click();
  await mark(page, "text").waitFor();
  await mark(page, "text-row").first().waitFor();
}

/** Rows of text that are in the document, by number. */
export async function textRows(page) {
  return mark(page, "text-row").evaluateAll((all) => all
    .map((row) => [Number(row.dataset.row), row.querySelector(".code-text").textContent])
    .sort(([left], [right]) => left - right));
}

/** What the page says about a file that it refused, or any other sentence for the reader. */
export async function sentence(page) {
  const said = page.locator('[data-testid="refused"], [data-testid="notice"]').first();
  await said.waitFor({ timeout: 60_000 });
  return (await said.innerText()).replace(/\s+/g, " ");
}

/** Every view, and how to come there when a log can be opened. For pictures, and for what holds on each. */
export const views = {
  landing: async (page) => { await mark(page, "landing").waitFor(); },
  overview: async (page, openLog) => {
    await openLog();
    await mark(page, "row").first().waitFor();
  },
  compilation: async (page) => {
    await mark(page, "row").first().click();
    await mark(page, "artifact-row").first().waitFor();
  },
  text: async (page) => {
    await mark(page, "artifact-row").locator('[data-column="name"] a').first().click();
    await mark(page, "text-row").first().waitFor();
  },
  record: async (page) => {
    await mark(page, "raw").click();
    await mark(page, "record").waitFor();
    await mark(page, "text-row").first().waitFor();
  },
  graph: async (page) => {
    await page.locator(".crumbs a").nth(1).click();
    await mark(page, "graph-link").first().click();
    await mark(page, "graph-row").first().waitFor();
    await mark(page, "graph-row").last().click();
    await mark(page, "node-line").waitFor();
  },
  outside: async (page) => {
    await page.locator(".crumbs a").first().click();
    await mark(page, "outside-link").click();
    await mark(page, "outside").waitFor();
    await mark(page, "artifact-row").first().waitFor();
  },
  problems: async (page) => {
    await page.locator(".crumbs a").first().click();
    await mark(page, "value-health").getByRole("link").click();
    await mark(page, "problems").waitFor();
  },
  breaks: async (page) => {
    await page.getByRole("link", { name: "Graph breaks", exact: true }).click();
    await mark(page, "breaks").waitFor();
    await mark(page, "break").or(mark(page, "breaks-none")).first().waitFor();
  },
  stacks: async (page) => {
    await page.getByRole("link", { name: "Stacks", exact: true }).click();
    await mark(page, "stack-row").first().waitFor();
  },
  records: async (page) => {
    await page.getByRole("link", { name: "Records", exact: true }).click();
    await mark(page, "record-row").locator("[data-column]").first().waitFor();
    await mark(page, "columns").locator("summary").click();
  },
  search: async (page) => {
    await mark(page, "search-link").click();
    await mark(page, "search-box").fill("torch");
    await mark(page, "search-hit").first().waitFor();
    await mark(page, "search-state").and(page.locator(':not([data-state="searching"])')).waitFor();
  },
  glossary: async (page) => {
    await page.getByRole("link", { name: "Glossary" }).click();
    await mark(page, "glossary").waitFor();
  },
};
