import { z } from "zod";
import { nearestName } from "./nearest-name.ts";

/** One fault of a configuration: where it is, what is wrong, and what to do about it. */
export interface ConfigProblem {
  /** `session.agentToAgent.maxHops`, `agents.list[0].id`; empty for the configuration as a whole. */
  readonly path: string;
  readonly message: string;
  readonly fix?: string;
}

const belongsToGateway: Readonly<Record<string, string>> = {
  store: "Open a store in your code, e.g. createSqliteStore({ path }), and pass it to createTrunkline as `store`.",
  gateway: "Only the gateway reads it, from its own file; leave it out here.",
};

/** Writes a path the way configuration files are talked about: `agents.list[0].id`. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    return text === "" ? String(part) : `${text}.${String(part)}`;
  }, "");
}

/** The names that a schema knows at a path; `undefined` where any name may stand. */
export function knownNamesAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): readonly string[] | undefined {
  const inner = unwrap(schema);
  const [part, ...rest] = path;
  if (inner instanceof z.ZodObject) {
    if (part === undefined) return Object.keys(inner.shape);
    const next: z.core.$ZodType | undefined = inner.shape[String(part)];
    return next && knownNamesAt(next, rest);
  }
  if (part === undefined) return undefined;
  if (inner instanceof z.ZodRecord) return knownNamesAt(inner.valueType, rest);
  if (inner instanceof z.ZodArray) return knownNamesAt(inner.element, rest);
  return undefined;
}

/** The faults behind zod's issues; unknown settings come first, each with the nearest known name. */
export function problemsOf(schema: z.core.$ZodType, issues: readonly z.core.$ZodIssue[]): readonly ConfigProblem[] {
  // A misspelt name also shows as the missing one, and only the first fault is thrown.
  const unknown = issues.flatMap((issue) =>
    issue.code === "unrecognized_keys" ? issue.keys.map((key) => unknownSetting(schema, issue.path, key)) : [],
  );
  const others = issues.filter(({ code }) => code !== "unrecognized_keys");
  return [...unknown, ...others.map(({ path, message }) => ({ path: formatPath(path), message }))];
}

function unknownSetting(schema: z.core.$ZodType, parent: readonly PropertyKey[], key: string): ConfigProblem {
  const path = formatPath([...parent, key]);
  const gatewayFix = parent.length === 0 ? belongsToGateway[key] : undefined;
  if (gatewayFix !== undefined) {
    return { path, message: `"${key}" belongs to the gateway's configuration`, fix: gatewayFix };
  }
  const known = knownNamesAt(schema, parent) ?? [];
  const nearest = nearestName(key, known);
  return {
    path,
    message: `${formatPath(parent) || "the configuration"} has no setting "${key}"`,
    fix: nearest === undefined ? `Known settings: ${known.join(", ")}.` : `Did you mean "${nearest}"?`,
  };
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return unwrap(schema.unwrap());
  }
  return schema;
}
