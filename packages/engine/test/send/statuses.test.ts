import { expect, test } from "vitest";
import { answerAfter, begin, openHarness } from "../harness.ts";

const a = "agent:a:main";
const b = "agent:b:main";

test("scenario 1: a waited send gives the reply of its own run, and the target's row tells where the message came from", async () => {
  const h = await openHarness();
  h.script({ [`${b} send`]: answerAfter(h.clock, 2000, "42") });
  const sending = begin(h.send(a, b, "q", { timeoutSeconds: 10 }));
  await h.advance(1999);
  expect(sending.done).toBe(false);
  await h.advance(1);
  const result = await sending.result();
  expect(result).toMatchObject({ status: "ok", reply: "42", sessionKey: b });
  const [run] = await h.runs(b);
  expect(result).toMatchObject({ runId: run?.id });
  const [input] = await h.rows(b);
  expect(input).toMatchObject({
    role: "user",
    body: { content: "q" },
    provenance: { kind: "inter_session", sourceSessionKey: a, sourceTool: "sessions_send" },
  });
  await h.settle();
});
