import type { z } from "zod";
import { formatPath, knownNamesAt } from "../config/config-problems.ts";
import { nearestName } from "../config/nearest-name.ts";
import { ToolInputError } from "../errors/tool-input-error.ts";
import { isToolName, type ToolInput, type ToolName, toolNames, toolTable } from "./tool-table.ts";

/** Checks the name of a tool. Throws `ToolInputError` with the nearest known name. */
export function parseToolName(name: string): ToolName {
  if (isToolName(name)) return name;
  const nearest = nearestName(name, toolNames);
  const shown = name.slice(0, 80).toWellFormed();
  throw new ToolInputError(shown, `there is no tool "${shown}"`, {
    path: "name",
    fix: nearest === undefined ? `Tools: ${toolNames.join(", ")}.` : `Did you mean "${nearest}"?`,
  });
}

/**
 * Checks a tool's arguments and applies their defaults; absent arguments count as `{}`.
 * Throws `ToolInputError` (`invalid_input`) with the path of the first fault.
 */
export function parseToolInput<Name extends ToolName>(name: Name, args: unknown): ToolInput<Name>;
export function parseToolInput(name: string, args: unknown): ToolInput<ToolName>;
export function parseToolInput(name: string, args: unknown): ToolInput<ToolName> {
  const tool = toolTable[parseToolName(name)];
  const parsed = tool.inputSchema.safeParse(args ?? {});
  if (parsed.success) return parsed.data;
  throw inputError(tool, parsed.error.issues);
}

function inputError(tool: (typeof toolTable)[ToolName], issues: readonly z.core.$ZodIssue[]): ToolInputError {
  const unknown = issues.find((issue) => issue.code === "unrecognized_keys");
  const issue = unknown ?? issues[0];
  if (issue === undefined) return new ToolInputError(tool.name, `${tool.name} was given arguments it cannot read`);
  if (issue.code !== "unrecognized_keys") {
    const path = formatPath(issue.path);
    return new ToolInputError(tool.name, `${path || tool.name}: ${issue.message}`, path === "" ? {} : { path });
  }
  const key = issue.keys[0] ?? "";
  const known = knownNamesAt(tool.inputSchema, issue.path) ?? [];
  const nearest = nearestName(key, known);
  return new ToolInputError(tool.name, `${tool.name} has no parameter "${key.slice(0, 80).toWellFormed()}"`, {
    path: formatPath([...issue.path, key]),
    fix: nearest === undefined ? `Parameters: ${known.join(", ") || "none"}.` : `Did you mean "${nearest}"?`,
  });
}
