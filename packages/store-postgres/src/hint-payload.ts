import type { WakeHint } from "@trunkline/core";

/** The server takes payloads of less than 8000 bytes. */
const maxPayloadBytes = 7900;

/** Hints as payloads of NOTIFY: a JSON list of the sender's id and, for each hint, what it is about and an id. */
export function hintPayloads(sender: string, hints: readonly WakeHint[]): readonly string[] {
  const payloads: string[] = [];
  let parts: string[] = [];
  let bytes = 0;
  for (const { about, id } of hints) {
    const part = `${JSON.stringify(about)},${JSON.stringify(id)}`;
    const size = Buffer.byteLength(part) + 1;
    if (parts.length > 0 && bytes + size > maxPayloadBytes - 100) {
      payloads.push(`[${[JSON.stringify(sender), ...parts].join()}]`);
      parts = [];
      bytes = 0;
    }
    parts.push(part);
    bytes += size;
  }
  if (parts.length > 0) payloads.push(`[${[JSON.stringify(sender), ...parts].join()}]`);
  return payloads;
}

/** The hints of another sender's payload; none of this one's own, and none of a payload that is not ours. */
export function readPayload(payload: string, sender: string): readonly WakeHint[] {
  const list = parse(payload);
  if (!Array.isArray(list) || list[0] === sender) return [];
  const hints: WakeHint[] = [];
  for (let at = 1; at + 1 < list.length; at += 2) {
    hints.push({ about: list[at] as WakeHint["about"], id: String(list[at + 1]) });
  }
  return hints;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
