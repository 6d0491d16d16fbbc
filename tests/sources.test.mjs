// Rules that no compiler checks: text of a log never becomes markup, and no style is set as a string.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { test } from "node:test";
import { ROOT } from "./harness.mjs";

const RULES = [
  ["text as markup", /inner_html|innerHTML|outerHTML|outer_html|insertAdjacentHTML|insert_adjacent_html|document\.write/],
  // Leptos sets it with setAttribute, which the policy refuses; `style:name=value` is right.
  ["a style as a string", /\bstyle\s*=\s*(?:"|r#|\{|move\b|\|\||format!)|["']style["']\s*,|\.style\(\s*(?:"|format!)/],
  ["text as code", /\beval\(|js_sys::eval|new Function\(/],
];

/** The first rule that a line of code breaks. Comments may name what they forbid. */
function broken(line) {
  const code = line.replace(/^\s*\/\/.*|\s\/\/ .*/, "");
  return RULES.find(([, pattern]) => pattern.test(code))?.[0];
}

function sources() {
  return ["app", "core"].flatMap((folder) => readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(rs|js|html)$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name)));
}

test("the rules find what they forbid and nothing else", () => {
  for (const line of [
    '<div inner_html=text/>', 'element.innerHTML = text;', 'element.set_inner_html(&text);', '<p style="color: red">',
    "<p style=move || width()>", '<p style=format!("x")>', 'e.set_attribute("style", "x")', "js_sys::eval(text)",
  ]) assert.ok(broken(line), line);
  for (const line of [
    "<p style:width=move || width()>", "// no innerHTML here", 'class="style"', '<link rel="stylesheet" href="style/page.css">',
    "use style::Token;", "let style = token.style();", "element.style().set_property(name, value)",
  ]) assert.equal(broken(line), undefined, line);
});

test("no source file puts text into markup or sets a style string", () => {
  const files = sources();
  assert.ok(files.length > 5, `${files.length} files`);
  const found = files.flatMap((file) => readFileSync(file, "utf8").split("\n")
    .map((line, index) => [broken(line), `${relative(ROOT, file)}:${index + 1}: ${line.trim()}`])
    .filter(([rule]) => rule));
  assert.deepEqual(found, []);
});
