import type { Row, Statement, Steps } from "../statement.ts";

/** All rows of one statement. */
export function* selectAll(statement: Statement): Steps<readonly Row[]> {
  return (yield statement).rows;
}

/** The first row of one statement. */
export function* selectFirst(statement: Statement): Steps<Row | undefined> {
  return (yield statement).rows[0];
}
