import type { Lookup } from "./environment.ts";

/** A `${NAME}` whose variable is not set. */
export interface MissingVariable {
  readonly name: string;
  /** The setting that uses it, e.g. `store.url`. */
  readonly path: string;
}

export interface Substituted {
  readonly value: unknown;
  readonly missing: readonly MissingVariable[];
}

const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/gu;

/** Replaces `${NAME}` and `${NAME:-default}` in every string of a value; keys stay as they are. */
export function substituteEnvironment(value: unknown, lookup: Lookup): Substituted {
  const missing: MissingVariable[] = [];
  const visit = (part: unknown, path: string): unknown => {
    if (typeof part === "string") return part.replace(reference, (_, name, standIn) => replaced(name, standIn, path));
    if (Array.isArray(part)) return part.map((item, index) => visit(item, `${path}[${index}]`));
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(
      Object.entries(part).map(([key, item]) => [key, visit(item, path === "" ? key : `${path}.${key}`)]),
    );
  };
  const replaced = (name: string, standIn: string | undefined, path: string): string => {
    const text = lookup(name) ?? standIn;
    if (text === undefined) missing.push({ name, path });
    return text ?? "";
  };
  return { value: visit(value, ""), missing };
}
