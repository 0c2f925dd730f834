import type { MessageRecord } from "@trunkline/core";
import { expect, test } from "vitest";
import { databaseFile, openHarness } from "../harness.ts";
import { findViolations } from "../invariants/find-violations.ts";
import { main, openChat, say } from "../outbox/chat.ts";
import { createTestClock } from "../stores/store-traffic.ts";

test("B105: a platform that does not answer holds up no commit, of this process or of another", async () => {
  const { open } = databaseFile();
  let answer: (() => void) | undefined;
  const h = await openChat(
    () => new Promise((resolve) => (answer = () => resolve(undefined))),
    {},
    { store: await open() },
  );
  const other = await open();
  await say(h, "hello");
  await h.advance(0);
  expect(h.channel("slack").attempts).toHaveLength(1);

  const { id } = await h.session(main);
  const message = { id: crypto.randomUUID(), role: "user", class: 0, body: { content: "meanwhile" } } as const;
  const written = await other.commit({
    at: h.clock.now(),
    sessions: [{ id, append: [{ from: "outside", messages: [message] }] }],
  });
  expect(written.committed).toBe(true);
  await h.human("agent:b:main", "elsewhere");
  await h.human(main, "again");
  await h.advance(0);
  expect((await h.runs("agent:b:main")).map(({ state }) => state)).toEqual(["ok"]);
  expect((await h.transcript(main)).at(-1)).toBe("assistant: AGAIN");
  expect((await h.deliveries(main)).map(({ state }) => state)).toContain("sending");

  answer?.();
  await h.advance(0);
  expect((await h.deliveries(main))[0]).toMatchObject({ state: "delivered" });
});

test("B108: at one moment two processes queue their messages for one session, and none is taken for stale", async () => {
  const { open } = databaseFile();
  const clock = createTestClock();
  const script = { default: ({ prompt }: { prompt: string }) => `answer to ${prompt}` };
  const both = [
    await openHarness({ store: await open(), clock, script }),
    await openHarness({ store: await open(), clock, script }),
  ] as const;
  const sent = Array.from({ length: 20 }, (_, index) => `message ${index}`);
  await Promise.all(sent.map((text, index) => both[index % 2 === 0 ? 0 : 1].human(main, text)));
  for (const { settle } of both) await settle();
  const rows = await both[0].rows(main);
  const pairs = Array.from({ length: rows.length / 2 }, (_, turn) => rows.slice(turn * 2, turn * 2 + 2).map(textOfRow));
  expect(pairs).toEqual(pairs.map(([question]) => [question, `answer to ${question}`]));
  expect(pairs.map(([question]) => question).sort()).toEqual(sent.toSorted());
  expect(new Set(rows.map(({ createdAt }) => createdAt)).size).toBe(1);
  expect((await both[0].runs(main)).filter(({ state }) => state !== "ok")).toEqual([]);
  expect(await findViolations(both[0].store)).toEqual([]);
});

test("B124: a clock that steps back in the middle of a turn changes no order, in the store or in the history", async () => {
  const clock = createTestClock();
  const h = await openHarness({
    clock,
    script: {
      [main]: (request) => {
        const call = { type: "toolCall", id: "t", name: "search", arguments: {} } as const;
        request.emit({ type: "message", message: { role: "assistant", content: [call] } });
        clock.step(-40);
        request.emit({ type: "message", message: { role: "toolResult", content: "found" } });
        clock.step(-40);
        return "answer";
      },
    },
  });
  await h.human(main, "question");
  await h.settle();
  const rows = await h.rows(main);
  const roles = ["user", "assistant", "toolResult", "assistant"];
  expect(rows.map(({ role }) => role)).toEqual(roles);
  expect(rows[0]?.createdAt).toBeGreaterThan(rows.at(-1)?.createdAt ?? Number.POSITIVE_INFINITY);
  const history = await h.call(main, "sessions_history", { sessionKey: main, includeTools: true });
  expect("messages" in history && history.messages.map(({ role }) => role)).toEqual(roles);
});

const textOfRow = ({ body }: MessageRecord): unknown => body.content;
