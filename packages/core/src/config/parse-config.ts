import type { z } from "zod";
import { TrunklineError } from "../errors/trunkline-error.ts";
import { referenceProblems } from "./check-references.ts";
import { type ConfigProblem, problemsOf } from "./config-problems.ts";
import { type DeepReadonly, type TrunklineConfig, trunklineConfigSchema } from "./trunkline-config.ts";

/** A checked configuration, or everything that is wrong with it. */
export type ConfigCheck<Config> =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly problems: readonly [ConfigProblem, ...ConfigProblem[]] };

/**
 * Checks an input, applies every default and returns the configuration; `undefined` is the empty one, `$schema` is ignored.
 * Throws `TrunklineError` `invalid_config` with the path and, for an unknown setting, the nearest known name.
 */
export function parseConfig(input: unknown): TrunklineConfig {
  return parseConfigWith(trunklineConfigSchema, input);
}

/** `parseConfig` for a schema that extends `trunklineConfigSchema`, such as the gateway's. */
export function parseConfigWith<Schema extends typeof trunklineConfigSchema>(
  schema: Schema,
  input: unknown,
): DeepReadonly<z.output<Schema>> {
  const check = checkConfig(schema, input);
  if (check.ok) return check.config;
  const [first, ...others] = check.problems;
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  throw new TrunklineError("invalid_config", `${first.message}${more}`, {
    path: first.path,
    ...(first.fix === undefined ? {} : { fix: first.fix }),
  });
}

/** Checks an input against a configuration schema and lists every fault, without throwing. */
export function checkConfig<Schema extends typeof trunklineConfigSchema>(
  schema: Schema,
  input: unknown,
): ConfigCheck<DeepReadonly<z.output<Schema>>> {
  const parsed = schema.safeParse(withoutSchemaAddress(input ?? {}));
  const problems = parsed.success ? referenceProblems(parsed.data) : problemsOf(schema, parsed.error.issues);
  const [first, ...others] = problems.map(withPathInMessage);
  if (first !== undefined) return { ok: false, problems: [first, ...others] };
  return { ok: true, config: parsed.data as DeepReadonly<z.output<Schema>> };
}

function withPathInMessage(problem: ConfigProblem): ConfigProblem {
  const named = problem.path === "" || problem.message.includes(problem.path.split(".").at(-1) ?? "");
  return named ? problem : { ...problem, message: `${problem.path}: ${problem.message}` };
}

function withoutSchemaAddress(input: unknown): unknown {
  if (typeof input !== "object" || input === null || Array.isArray(input) || !("$schema" in input)) return input;
  const { $schema: _, ...rest } = input;
  return rest;
}
