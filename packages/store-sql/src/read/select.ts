import type { Row, Statement, Steps } from "../statement.ts";

/** All rows of one statement. */
export function* selectAll(statement: Statement): Steps<readonly Row[]> {
  return (yield statement).rows;
}

/** The first row of one statement. */
export function* selectFirst(statement: Statement): Steps<Row | undefined> {
  return (yield statement).rows[0];
}

/** The rows of several statements, none of which depends on another; the last thing that its operation reads. */
export function* selectTogether(statements: readonly Statement[]): Steps<readonly (readonly Row[])[]> {
  const found: (readonly Row[])[] = [];
  for (const [place, statement] of statements.entries()) {
    found.push(yield* selectAll(place === 0 ? { ...statement, followedBy: statements.slice(1) } : statement));
  }
  return found;
}
