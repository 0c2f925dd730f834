import type { SessionRecord } from "@trunkline/core";
import type { Engine } from "../engine.ts";

/** How two sessions of an exchange stand to each other: the same, parent and descendant (either way), or neither. */
export async function relationOf(
  engine: Engine,
  requester: SessionRecord,
  targetRow: string,
): Promise<"self" | "family" | "other"> {
  if (requester.id === targetRow) return "self";
  const [down, up] = await engine.store.read([
    { get: "lineage", key: `${requester.id}\n${targetRow}` },
    { get: "lineage", key: `${targetRow}\n${requester.id}` },
  ]);
  return down || up ? "family" : "other";
}
