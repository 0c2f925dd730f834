import type { Statement } from "@trunkline/store-sql";

const updatePattern = /^(update .*? set )(.*) where (.*)$/s;

/** Updates that differ in their values only, of one row each by its `id`, as one that chooses the values by the `id`. */
export function joinUpdates(updates: readonly Statement[]): Statement {
  const [, head = "", list = "", condition = ""] = updatePattern.exec(updates[0]?.sql ?? "") ?? [];
  const columns = list.split(", ").map((assignment) => assignment.replace(" = ?", ""));
  const choice = `case \`id\` ${"when ? then ? ".repeat(updates.length)}end`;
  const set = columns.map((column) => `${column} = ${choice}`).join(", ");
  const where = updates.map(() => `(${condition})`).join(" or ");
  const choices = columns.flatMap((_column, place) =>
    updates.flatMap(({ parameters }) => [parameters[columns.length], parameters[place]]),
  );
  const conditions = updates.flatMap(({ parameters }) => parameters.slice(columns.length));
  return { sql: `${head}${set} where ${where}`, parameters: [...choices, ...conditions] };
}
