// Writes traces as PyTorch 2.15 would, with facts that a test knows beforehand. For what PyTorch really
// writes there are the fixtures; these are for counts, sizes and damage that no real log has.
import { createHash } from "node:crypto";
import { closeSync, openSync, writeSync } from "node:fs";
import { gzipSync } from "node:zlib";

/** JSON with the spaces that Python puts into it. */
const json = (value) => JSON.stringify(value, null, 1).replace(/,\n\s*/g, ", ").replace(/\n\s*/g, "");

/** One record: a line of metadata, then its payload with a tab before each line. */
export function record(metadata, payload, place = "torch/_logging/structured.py:28") {
  const prefix = `V1129 12:00:00.000000 4242 ${place}] `;
  if (payload === undefined) return `${prefix}${json(metadata)}\n`;
  const digest = createHash("md5").update(payload).digest("hex");
  const indented = payload.split("\n").map((line) => `\t${line}`).join("\n");
  return `${prefix}${json({ ...metadata, has_payload: digest })}\n${indented}\n`;
}

/** How the compilation with this number ends, and what its row must show. */
export function facts(number) {
  const status = ["ok", "ok", "ok", "error", "empty"][number % 5];
  return {
    id: `${number}/0`,
    function: `forward_${String(number).padStart(6, "0")}`,
    file: `/srv/demo/layer_${number % 7}.py`,
    line: 10 + number,
    status,
    ops: status === "empty" ? 0 : 1 + ((number * 37) % 101),
    guards: (number * 17) % 53,
    seconds: ((number * 7919) % 10007) / 1000,
  };
}

/** Lines of a graph, one operation each. */
export function graph(lines) {
  const body = Array.from({ length: lines }, (_, at) => `        v${at + 1}: "f32[8, 8]" = torch.sin(v${at});  v${at} = None`);
  return ["class GraphModule(torch.nn.Module):", '    def forward(self, v0: "f32[8, 8]"):', ...body, `        return (v${lines},)`, "        "].join("\n");
}

/** The records of one compilation. */
export function compilation(number, graphLines = 12) {
  const fact = facts(number);
  const at = { frame_id: number, frame_compile_id: 0, attempt: 0 };
  const failed = fact.status === "error";
  return [
    record({ str: [fact.file, number] }),
    record({ dynamo_start: { stack: [{ line: fact.line, name: fact.function, filename: number }] }, ...at }),
    ...(fact.status === "empty" ? [] : [
      record({ dynamo_output_graph: { sizes: { v0: [8, 8] } }, ...at }, graph(graphLines)),
    ]),
    ...(failed || fact.status === "empty" ? [] : [
      record({ artifact: { name: "fx_graph_cache_miss", encoding: "json" }, ...at }, '{"key": "fq7", "cache_state": "miss"}'),
      record({ inductor_output_code: { filename: `/tmp/c${number}.py` }, ...at }, `# AOT ID: ['${number}_inference']\n${graph(graphLines)}`),
    ]),
    record({ compilation_metrics: {
      compile_id: fact.id, co_name: fact.function, co_filename: fact.file, co_firstlineno: fact.line,
      guard_count: fact.guards, graph_op_count: fact.ops, graph_node_count: fact.ops + 2, entire_frame_compile_time_s: fact.seconds,
      fail_type: failed ? "torch._dynamo.exc.Unsupported" : null, fail_reason: failed ? "call to a function <script>alert(1)</script>" : null,
      fail_user_frame_filename: failed ? fact.file : null, fail_user_frame_lineno: failed ? fact.line + 1 : null,
      restart_reasons: [], has_guarded_code: !failed && fact.status !== "empty", pytorch_version: "2.15.0+cpu",
    }, ...at }, undefined, "torch/_dynamo/utils.py:2132"),
  ].join("");
}

/** What stands before the first compilation. */
export function head(rank) {
  const more = rank === undefined ? {} : { rank };
  return record({ artifact: { name: "torch_version", encoding: "json" }, ...more },
    '{\n"pytorch_version": "2.15.0+cpu",\n"commit": "0",\n"oss": true\n}', "torch/_logging/_internal.py:1390");
}

/** A whole trace as text. */
export function trace(compilations, graphLines) {
  return head() + Array.from({ length: compilations }, (_, number) => compilation(number, graphLines)).join("");
}

/** The same, compressed. */
export const gzipped = (text) => gzipSync(text, { level: 6 });

/** Writes a trace of at least so many bytes, without holding it in memory; gives the number of compilations. */
export function writeLargeTrace(path, bytes, graphLines = 400) {
  const file = openSync(path, "w");
  try {
    let written = writeSync(file, head());
    let number = 0;
    for (; written < bytes; number += 1) written += writeSync(file, compilation(number, graphLines));
    return number;
  } finally {
    closeSync(file);
  }
}
