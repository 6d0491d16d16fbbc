// Rules that no compiler checks: text of a log never becomes markup, no style is set as a string, and imports point
// one way.
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

// What no file of a module of app/src may import.
const [UI, VIEW, ROUTE] = ["ui", "view", "route"].map((name) => `${name}\\b`);
const LAYERS = [
  ["engine", [UI, VIEW, ROUTE]],
  ["text", [UI, VIEW, ROUTE, "engine::(?!\\{?protocol\\b)"]],
  ["ui", [VIEW]],
  ["route", [UI, VIEW]],
];

/** Comments may name what the code must not hold. */
function withoutComment(line) {
  return line.replace(/^\s*\/\/.*|\s\/\/ .*/, "");
}

/** The first rule that a line of code breaks. */
function broken(line) {
  const code = withoutComment(line);
  return RULES.find(([, pattern]) => pattern.test(code))?.[0];
}

/** What source text of a layer imports from a layer above it, with the line, from 1. */
function above(layer, source) {
  const [, forbidden] = LAYERS.find(([name]) => name === layer);
  const code = source.split("\n").map(withoutComment).join("\n");
  // One name behind `crate::` or `super::`, or one of several in braces.
  const named = new RegExp(`\\b(?:crate|super)::(?:\\{(?:[^;]*?[\\s{,])?)?(${forbidden.join("|")})`, "g");
  return [...code.matchAll(named)].map((found) => [found[1], code.slice(0, found.index).split("\n").length]);
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

test("the layers find imports from above and nothing else", () => {
  for (const [layer, source] of [
    ["text", "use crate::ui::code;"], ["text", "use crate::{\n    engine::protocol::Hit,\n    ui::rows,\n};"],
    ["text", "let text = crate::view::start();"], ["text", "use crate::engine::log::Log;"], ["text", "use super::super::ui;"],
    ["engine", "use crate::ui::format;"], ["engine", "use crate::{view, text};"], ["ui", "use crate::view::workspace;"],
  ]) assert.equal(above(layer, source).length, 1, source);
  for (const [layer, source] of [
    ["text", "use crate::engine::protocol::{Hit, Status};"], ["text", "//! Shown by crate::view::guards."],
    ["engine", "use crate::text::guards;\nuse super::protocol::{CompilationView};"], ["engine", "use crate::uint::of;"],
    ["ui", "use super::painting::View;\nuse crate::text::graphs;"],
  ]) assert.deepEqual(above(layer, source), [], source);
});

test("imports of the app point one way", () => {
  const folder = join(ROOT, "app", "src");
  const files = sources().filter((file) => file.endsWith(".rs"));
  const found = LAYERS.flatMap(([layer]) => {
    const own = files.filter((file) => new RegExp(`^${layer}(\\.rs$|[/\\\\])`).test(relative(folder, file)));
    assert.ok(own.length > 0, layer);
    return own.flatMap((file) => above(layer, readFileSync(file, "utf8"))
      .map(([name, line]) => `${relative(ROOT, file)}:${line}: ${name}`));
  });
  assert.deepEqual(found, []);
});
