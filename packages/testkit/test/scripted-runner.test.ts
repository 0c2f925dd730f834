import type { RunRequest } from "@trunkline/core";
import { expect, test } from "vitest";
import { createScriptedRunner } from "../src/index.ts";

const request: RunRequest = {
  run: { id: "run-1", kind: "inbound", attempt: 1 },
  session: { key: "agent:main:main", sessionId: "s", agentId: "main", kind: "main", channel: "webchat", spawnDepth: 0 },
  prompt: "hello",
  messages: [],
  systemPrompt: "",
  tools: [],
  signal: new AbortController().signal,
  emit: () => undefined,
};

test("a string becomes the run's text, a result stays as it is, and requests are kept", async () => {
  const runner = createScriptedRunner(({ prompt }) => (prompt === "hello" ? "hi" : { text: "bye", model: "m" }));
  expect(await runner.run(request)).toEqual({ text: "hi" });
  expect(await runner.run({ ...request, prompt: "go" })).toEqual({ text: "bye", model: "m" });
  expect(runner.requests.map((one) => one.prompt)).toEqual(["hello", "go"]);
});

test("a throw of the handler rejects the run", async () => {
  const runner = createScriptedRunner(() => {
    throw new Error("model down");
  });
  await expect(runner.run(request)).rejects.toThrow("model down");
});

test("steering and known models are declared only when given", async () => {
  expect(createScriptedRunner(() => "")).not.toHaveProperty("steers");
  const runner = createScriptedRunner(() => "", { id: "r", steers: true, knowsModel: (model) => model === "a" });
  expect(runner).toMatchObject({ id: "r", steers: true });
  expect(await runner.knowsModel?.("a")).toBe(true);
});
