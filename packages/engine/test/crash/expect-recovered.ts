import { type DeliveryRecord, isSkipWord, textOf } from "@trunkline/core";
import { expect } from "vitest";
import { isTerminal } from "../../src/outbox/delivery-states.ts";
import { isEnded } from "../../src/runs/run-states.ts";
import { defaultLimits, violationsOf } from "../invariants/find-violations.ts";
import type { Snapshot } from "../invariants/snapshot.ts";
import { fastClock } from "./fast-clock.ts";
import type { CrashResult } from "./run-case.ts";
import type { Scenario } from "./scenario.ts";

/** Everything that has to hold when a story has come to its end, cut off or not. */
export function expectSound(scenario: Scenario, { after, log }: CrashResult): void {
  expect(violationsOf(after, { ...defaultLimits, quietAt: fastClock.now() })).toEqual([]);
  expect(after.run.filter((run) => !isEnded(run)).map(({ kind, state }) => `${kind} ${state}`)).toEqual([]);
  expect(after.spawn.filter(({ state }) => state !== "settled")).toEqual([]);
  expect(after.flow.filter(({ phase }) => phase !== "done")).toEqual([]);
  expect(after.job).toEqual([]);
  expect(after.process).toEqual([]);
  for (const { sessionKey, text } of scenario.messages) {
    expect([sessionKey, text, timesIn(after, sessionKey, text)]).toEqual([sessionKey, text, 1]);
  }
  const runs = log.flatMap((entry) => (entry.what === "ran" ? [entry.runId] : []));
  expect(runs, "a run's runner was called again").toEqual([...new Set(runs)]);
  const admissions = log.flatMap((entry) => (entry.what === "admitted" ? [`${entry.name} ${entry.runId}`] : []));
  const names = log.flatMap((entry) => (entry.what === "admitted" ? [entry.name] : []));
  expect(new Set(admissions).size, "a repeated message got another run").toBe(new Set(names).size);
  expect(log.filter((entry) => entry.what === "sent" && isSkipWord(entry.text))).toEqual([]);
  for (const delivery of after.delivery) expectSent(scenario, delivery, sendsOf(log, delivery));
}

function timesIn(snapshot: Snapshot, sessionKey: string, text: string): number {
  const row = snapshot.session.find((session) => session.sessionKey === sessionKey)?.id;
  return snapshot.message.filter(
    ({ sessionRow, role, body }) => sessionRow === row && role === "user" && textOf(body.content) === text,
  ).length;
}

/** The keys under which the parts of a delivery were handed to the channel, in that order. */
function sendsOf(log: CrashResult["log"], { id }: DeliveryRecord): readonly string[] {
  return log.flatMap((entry) => {
    if (entry.what !== "sent") return [];
    return entry.key === id || entry.key.startsWith(`${id}:`) ? [entry.key] : [];
  });
}

function expectSent(scenario: Scenario, delivery: DeliveryRecord, sends: readonly string[]): void {
  const distinct = new Set(sends);
  expect(isTerminal(delivery.state), `delivery ${delivery.state}`).toBe(true);
  if (!scenario.channel?.idempotent) expect(sends, "a part was sent twice").toEqual([...distinct]);
  switch (delivery.state) {
    case "delivered":
      expect(distinct.size).toBe(delivery.partsTotal);
      break;
    case "unknown":
      expect(scenario.channel?.idempotent ?? false).toBe(false);
      expect(distinct.size).toBeGreaterThanOrEqual(delivery.partsDone);
      expect(distinct.size).toBeLessThanOrEqual(delivery.partsDone + 1);
      break;
    default:
      expect(sends, `${delivery.state} delivery`).toEqual([]);
  }
}

/** What became, after a crash, of everything as it stood at that moment. */
export function expectRecovered(scenario: Scenario, result: CrashResult): void {
  const { atCrash, after, log, logAtCrash } = result;
  if (!atCrash) throw new Error("nothing was killed");
  const later = log.slice(logAtCrash);
  const ranLater = new Set(later.flatMap((entry) => (entry.what === "ran" ? [entry.runId] : [])));
  for (const before of atCrash.run) {
    const now = after.run.find(({ id }) => id === before.id);
    const story = `${before.kind} run, ${before.state} at the crash, now ${now?.state}`;
    switch (before.state) {
      case "running":
        expect([story, now?.state]).toEqual([
          story,
          before.kind === "child" && now?.state === "cancelled" ? "cancelled" : "interrupted",
        ]);
        expect(ranLater.has(before.id), `${story}: its runner was called again`).toBe(false);
        break;
      case "claimed":
        expect(now && isEnded(now), story).toBe(true);
        if (now?.state !== "cancelled") {
          expect(ranLater.has(before.id), `${story}: not started again`).toBe(true);
          expect(now?.attempts).toBe(before.attempts + 1);
        }
        break;
      case "queued":
        expect(now?.state, story).toMatch(/^(ok|yielded|cancelled|merged)$/);
        expect(ranLater.has(before.id), story).toBe(now?.state === "ok" || now?.state === "yielded");
        break;
      default:
        expect(now?.state, story).toBe(before.state);
        expect(ranLater.has(before.id), `${story}: its runner was called again`).toBe(false);
    }
  }
  expectResumes(atCrash, after);
  expectDeliveries(scenario, result, atCrash);
}

function expectResumes(atCrash: Snapshot, after: Snapshot): void {
  for (const before of atCrash.yield.filter(({ state }) => state === "waiting")) {
    const resumes = after.run.filter(({ cause }) => cause === `resume:${before.id}`);
    expect(resumes.map(({ state }) => state)).toEqual(["ok"]);
  }
}

function expectDeliveries(scenario: Scenario, { after, log, logAtCrash }: CrashResult, atCrash: Snapshot): void {
  for (const before of atCrash.delivery) {
    const now = after.delivery.find(({ id }) => id === before.id);
    const sendsLater = sendsOf(log.slice(logAtCrash), before);
    const story = `${before.kind} delivery, ${before.state} at the crash, now ${now?.state}`;
    if (before.state === "pending") expect(now?.state, story).toBe("delivered");
    else if (before.state === "sending" && !scenario.channel?.idempotent) {
      expect(now?.state, story).toBe("unknown");
      expect(sendsLater, story).toEqual([]);
    } else if (before.state === "sending") {
      expect(now?.state, story).toBe("delivered");
      const done = Array.from({ length: before.partsDone }, (_, part) => `${before.id}:${part + 1}`);
      expect(
        sendsLater.filter((key) => done.includes(key)),
        `${story}: a part with its receipt`,
      ).toEqual([]);
    } else {
      expect(now?.state, story).toBe(before.state);
      expect(sendsLater, story).toEqual([]);
    }
  }
}
