import type { ToolArguments } from "@trunkline/core";
import { createSqliteStore } from "@trunkline/store-sqlite";
import { expect, onTestFinished, test } from "vitest";
import { openHarness } from "../harness.ts";

/** How many statements a listing of so many rows takes, each with its title, preview and messages. */
async function statementsFor(rows: number): Promise<number> {
  const statements: string[] = [];
  const store = await createSqliteStore({ path: ":memory:", onStatement: (sql) => void statements.push(sql) });
  onTestFinished(() => store.close());
  const harness = await openHarness({ store, start: false });
  for (let index = 0; index < rows; index++) {
    for (const text of ["first", "second"])
      await harness.human(`agent:a:telegram:group:${index}`, `${text} of ${index}`);
  }
  const enriched: ToolArguments<"sessions_list"> = {
    limit: 200,
    kinds: ["group"],
    includeDerivedTitles: true,
    includeLastMessage: true,
    messageLimit: 5,
  };
  statements.length = 0;
  const result = await harness.call("agent:a:main", "sessions_list", enriched);
  if (!("sessions" in result)) throw new Error(`refused: ${result.code}`);
  expect(result.count).toBe(rows);
  expect(result.sessions[0]).toMatchObject({
    derivedTitle: expect.any(String),
    lastMessagePreview: expect.any(String),
  });
  expect(result.sessions.filter((row) => row.messages?.length === 2 || row.messagesOmitted).length).toBe(rows);
  return statements.length;
}

test("B95: titles, previews and messages cost the same few statements for 10 rows and for 190", async () => {
  const few = await statementsFor(10);
  expect(await statementsFor(190)).toBe(few);
  expect(few).toBeLessThanOrEqual(20);
});
