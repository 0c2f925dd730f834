import { ToolInputError, type ToolName } from "@trunkline/core";

/** Cursors are opaque to callers: a position and what it belongs to, so that one of another listing is refused. */
export function writeCursor(kind: string, position: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify([kind, ...position])).toString("base64url");
}

/** Reads a cursor of this kind. Throws `ToolInputError` for any other text. */
export function readCursor(tool: ToolName, kind: string, cursor: string): readonly (string | number)[] {
  const parts = decode(cursor);
  if (!Array.isArray(parts) || parts[0] !== kind) {
    throw new ToolInputError(tool, "cursor: not a cursor of this listing", {
      path: "cursor",
      fix: "Pass the nextCursor of the page before, unchanged.",
    });
  }
  return parts.slice(1).filter((part) => typeof part === "string" || typeof part === "number");
}

function decode(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
}
