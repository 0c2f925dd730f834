/** What a tool tag's name says: a call, a result, a part that counts only with a namespace, GLM's arguments, or none. */
export type ToolTagKind = "call" | "result" | "function" | "part" | "argument" | "none";

const calls = new Set(["tool_call", "tool_calls", "function_call", "function_calls"]);
const results = new Set(
  ["tool_result", "tool_response", "function_result", "function_response"].flatMap((name) => [name, `${name}s`]),
);
const namespacedOnly = new Set(["invoke", "parameter"]);

/** Classifies a tag's lower-case name; a namespace in front of it, such as `antml:`, does not change a call's or result's. */
export function toolTagKind(name: string): ToolTagKind {
  const colon = name.lastIndexOf(":");
  const local = colon < 0 ? name : name.slice(colon + 1);
  if (calls.has(local)) return "call";
  if (results.has(local)) return "result";
  if (colon > 0) return namespacedOnly.has(local) ? "part" : "none";
  if (local === "function") return "function";
  return local === "arg_key" || local === "arg_value" ? "argument" : "none";
}

/** True for every name that the tool pass looks at. */
export function isToolName(name: string): boolean {
  return toolTagKind(name) !== "none";
}
