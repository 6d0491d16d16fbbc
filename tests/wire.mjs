// Reads and writes the few messages between page and engine that tests and benches look at.
//
// The messages are app/src/engine/protocol.rs's, written by postcard: an enum is its variant's number, an
// integer a varint of 7 bits a byte, a string its length and its bytes, an f64 eight bytes.
// These functions also run inside the page, so each stands alone.

/** `ToEngine::Measure`: how long does it take only to read a file? */
export const measure = (ticket) => Uint8Array.of(5, ticket).buffer;

/**
 * Decodes `FromEngine`. Progress comes whole, an answer only where it is `Answer::Measured`; the rest is
 * named and left alone.
 */
export function decode(buffer) {
  const bytes = new Uint8Array(buffer);
  const view = new DataView(buffer);
  let at = 0;
  const integer = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return Number(value);
    }
  };
  const float = () => {
    at += 8;
    return view.getFloat64(at - 8, true);
  };
  const text = () => {
    const length = integer();
    at += length;
    return new TextDecoder().decode(bytes.subarray(at - length, at));
  };
  switch (integer()) {
    case 0:
      return { what: "ready" };
    case 1: {
      const progress = { what: "progress", log: integer(), name: text() };
      progress.state = ["reading", "done", "stopped", "refused", "broke off"][integer()];
      if (progress.state === "refused" || progress.state === "broke off") progress.why = text();
      for (const field of ["total_bytes", "read_bytes", "text_bytes"]) progress[field] = integer();
      progress.seconds = float();
      for (const field of ["records", "compilations", "memory_bytes", "index_bytes"]) progress[field] = integer();
      return progress;
    }
    default: {
      const ticket = integer();
      if (integer() === 1) return { what: "error", ticket, why: text() };
      if (integer() === 7) return { what: "measured", ticket, bytes: integer(), seconds: float() };
      return { what: "answer", ticket };
    }
  }
}
