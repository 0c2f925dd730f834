import { createHash } from "node:crypto";
import { v4, v7 } from "uuid";

/** A new row id, ordered by creation time. */
export function newId(): string {
  return v7();
}

/** An id that tells nothing about when it was made: session ids and child keys, which other sessions may see. */
export function newOpaqueId(): string {
  return v4();
}

/** A hash of several parts, short enough for an id column. */
export function hashOf(...parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 36);
}
