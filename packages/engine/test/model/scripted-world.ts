import { type Deliverer, DeliveryError, type Runner, type RunRequest, type RunResult } from "@trunkline/core";
import type { FakeClock } from "@trunkline/testkit";
import { type End, type Plan, type Script, type SessionName, sessionKeys } from "./plan.ts";

/** What runners and the channel have been asked to do, in every process of a world. */
export interface Effects {
  /** The runs whose runner was called, each call once. */
  readonly calls: string[];
  readonly sends: { readonly key: string; readonly text: string }[];
}

/** The text of a run that follows a plan. */
export function textOfPlan(plan: number): string {
  return `said by plan ${plan}`;
}

/** The text that asks for a plan. */
export function askFor(plan: number): string {
  return `please follow plan ${plan}.`;
}

/** The number of the plan that a piece of work has to follow: the asked one, or the last, which does nothing but answer. */
export function planAt(script: Script, asked: number): Plan {
  return script.plans[asked] ?? { steps: [], end: "say" };
}

/** The runner of every process: each run follows the plan that its prompt asks for. */
export function scriptedRunner(script: Script, clock: FakeClock, effects: Effects): Runner {
  let followUps = 0;
  return {
    id: "scripted",
    async run(request) {
      effects.calls.push(request.run.id);
      const asked = /please follow plan (\d+)\./.exec(request.prompt)?.[1];
      const { kind } = request.run;
      if (asked === undefined || !(kind === "inbound" || kind === "send" || kind === "child")) {
        const end = script.followUps[followUps++ % script.followUps.length] ?? "say";
        return finish(request, clock, end, `${kind} ${request.run.id}`);
      }
      const number = Number(asked);
      const plan = planAt(script, number);
      for (const step of plan.steps) {
        if (step.do === "pause") await pause(clock, request.signal, step.seconds * 1000);
        else if (step.do === "tell") {
          request.emit({ type: "message", message: { role: "assistant", content: `telling ${request.run.id}` } });
        } else if (step.do === "yield") {
          if (isYielded(await use(request, "sessions_yield", { message: "note" }))) break;
        } else if (step.do === "spawn") {
          await use(request, "sessions_spawn", {
            task: askFor(number + 1 + step.plan),
            cleanup: step.remove ? "delete" : "keep",
            runTimeoutSeconds: step.limitSeconds,
          });
        } else {
          const sessionKey = sessionKeys[step.to as SessionName];
          const message = askFor(number + 1 + step.plan);
          await use(request, "sessions_send", { sessionKey, message, timeoutSeconds: step.waitSeconds });
        }
      }
      return finish(request, clock, plan.end, textOfPlan(number));
    },
  };
}

function isYielded(result: unknown): boolean {
  return typeof result === "object" && result !== null && "status" in result && result.status === "yielded";
}

async function use(request: RunRequest, name: string, args: unknown): Promise<unknown> {
  return request.tools.find((tool) => tool.name === name)?.call(args);
}

async function finish(request: RunRequest, clock: FakeClock, end: End, text: string): Promise<RunResult> {
  const usage = { inputTokens: 2, outputTokens: 1 };
  switch (end) {
    case "say":
      return { text, usage };
    case "skip":
      return { text: "NO_REPLY" };
    case "nothing":
      return {};
    case "fail":
      throw new Error(`failed instead of ${text}`);
    case "hang":
      await pause(clock, request.signal, Number.MAX_SAFE_INTEGER);
      return { text };
    case "ignore":
      // Does not listen to its signal, and says something much later.
      await new Promise<void>((resolve) => void clock.setTimer(90_000, resolve));
      return { text };
  }
}

function pause(clock: FakeClock, signal: AbortSignal, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = clock.setTimer(ms, resolve);
    const stop = () => {
      cancel();
      reject(signal.reason);
    };
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}

/** The channel of every process. */
export function scriptedChannel(script: Script, effects: Effects): Deliverer {
  let sends = 0;
  return {
    channel: "telegram",
    capabilities: { maxTextLength: 4096, idempotent: script.idempotent },
    async send({ text }, { idempotencyKey }) {
      const answer = script.sends[sends++ % script.sends.length] ?? "post";
      if (answer === "later") throw new DeliveryError("retryable", "try later");
      if (answer === "never") throw new DeliveryError("permanent", "no such chat");
      effects.sends.push({ key: idempotencyKey, text });
      if (answer === "unclear") throw new Error("the line broke");
      return { messageIds: answer === "silent" ? [] : [`m${effects.sends.length}`] };
    },
  };
}
