import {
  type DeliveryRecord,
  type MessageRecord,
  parseConfig,
  type Runner,
  type RunRecord,
  type RunRequest,
  type SessionRecord,
  type SessionStore,
  type StateEventRecord,
  type ToolArguments,
  type ToolName,
  type ToolResult,
  type TrunklineConfigInput,
  textOf,
} from "@trunkline/core";
import {
  createRecordingDeliverer,
  createScriptedRunner,
  type FakeClock,
  type RecordingDeliverer,
  type RecordingDelivererOptions,
  type ScriptedHandler,
  type ScriptedRunner,
} from "@trunkline/testkit";
import { onTestFinished } from "vitest";
import { createEngine, type EngineHooks } from "../src/create-trunkline.ts";
import type { RunnerSet } from "../src/engine.ts";
import type { LaneCaps, Trunkline } from "../src/index.ts";
import { findViolations } from "./invariants/find-violations.ts";
import type { Limits } from "./invariants/invariant.ts";
import { openPlace, type StorePlace } from "./stores/store-place.ts";
import { createTestClock, watchedStore } from "./stores/store-traffic.ts";
import { takeDatabase, testStore } from "./stores/test-databases.ts";

/** What a run answers: a text, or a handler that plays the model. */
export type Answer = string | ScriptedHandler;

/**
 * Answers by who runs: `<session key> <kind>`, then `<session key>`, then `<kind>` (`send`, `turn`, `flow_announce`, …), then
 * `default`; without any, the run says nothing.
 */
export type Script = { readonly [who: string]: Answer };

export interface HarnessOptions {
  readonly script?: Script;
  /** Merged over agents a (default), b and c, visibility `all` and agent-to-agent on, section by section. */
  readonly config?: TrunklineConfigInput;
  readonly channels?: readonly RecordingDelivererOptions[];
  readonly lanes?: LaneCaps;
  readonly hooks?: EngineHooks;
  readonly steers?: boolean;
  readonly knowsModel?: (model: string) => boolean;
  /** Put over the scripted runner, e.g. `{ acp: runner }`. */
  readonly runners?: Readonly<Record<string, Runner>>;
  /** Default: an empty database that goes with the test, in memory where the store can. */
  readonly store?: SessionStore;
  readonly clock?: FakeClock;
  /** `false` where a test writes to the store by hand: the rules of its state are then not checked at the end. */
  readonly sound?: false;
  /** `false`: admit only; nothing runs until `trunkline.start()`. */
  readonly start?: boolean;
}

/** One engine with everything around it that a test looks at. */
export interface Harness {
  readonly trunkline: Trunkline;
  readonly store: SessionStore;
  readonly clock: FakeClock;
  readonly runner: ScriptedRunner;
  /** Changes or adds answers. */
  script(answers: Script): void;
  channel(id: string): RecordingDeliverer;
  /** Runs what is due now and waits until everything has come to rest; nothing may hang. */
  settle(): Promise<void>;
  /** Moves time on; runs that wait for the clock go on. */
  advance(ms: number): Promise<void>;
  call<N extends ToolName>(from: string, tool: N, args: ToolArguments<N>, runId?: string): Promise<ToolResult<N>>;
  /** `sessions_send` from one session to another. */
  send(
    from: string,
    to: string,
    message: string,
    more?: Partial<ToolArguments<"sessions_send">>,
  ): Promise<ToolResult<"sessions_send">>;
  /** A human's message into a session. */
  human(sessionKey: string, text: string): Promise<{ readonly runId: string }>;
  /** The living session's row; throws when there is none. */
  session(key: string): Promise<SessionRecord>;
  find(key: string): Promise<SessionRecord | undefined>;
  /** Every row of the current transcript, raw, in order, hidden and waiting ones included. */
  rows(key: string): Promise<readonly MessageRecord[]>;
  /** The same as `role: text` lines. */
  transcript(key: string): Promise<readonly string[]>;
  /** Every run of a session, in run order. */
  runs(key: string): Promise<readonly RunRecord[]>;
  run(runId: string): Promise<RunRecord>;
  /** The runner's calls for one session. */
  requests(key: string): readonly RunRequest[];
  deliveries(key: string): Promise<readonly DeliveryRecord[]>;
  stateEvents(key: string): Promise<readonly StateEventRecord[]>;
  /** Another engine on the same store, or on another handle of its file. */
  second(options?: HarnessOptions): Promise<Harness>;
}

const defaults = {
  agents: { list: [{ id: "a", default: true }, { id: "b" }, { id: "c" }] },
  tools: { sessions: { visibility: "all" }, agentToAgent: { enabled: true } },
} satisfies TrunklineConfigInput;

/** Opens an engine on an empty database with a fake clock; everything is closed when the test ends. */
export async function openHarness(options: HarnessOptions = {}): Promise<Harness> {
  const clock = options.clock ?? createTestClock();
  const config = { ...defaults, ...options.config };
  const limits = limitsOf(config);
  const store = options.store ?? (await openOwnStore(options.sound === false ? undefined : limits));
  const answers: Record<string, Answer> = { ...options.script };
  const runner = createScriptedRunner((request) => answer(answers, request), {
    ...(options.steers === undefined ? {} : { steers: options.steers }),
    ...(options.knowsModel === undefined ? {} : { knowsModel: options.knowsModel }),
  });
  const channels = (options.channels ?? []).map(createRecordingDeliverer);
  const runners: RunnerSet = { ...options.runners, default: runner };
  const trunkline = await createEngine(
    {
      store,
      runners,
      deliverers: channels,
      config,
      clock,
      ...(options.lanes ? { lanes: options.lanes } : {}),
    },
    options.hooks ?? {},
  );
  onTestFinished(() => trunkline.stop({ drainMs: 0 }));
  if (options.start !== false) await trunkline.start();

  async function find(key: string): Promise<SessionRecord | undefined> {
    const [found] = await store.read([{ find: "session", index: "sessionKey", equals: [key], limit: 1 }]);
    return found[0];
  }
  async function session(key: string): Promise<SessionRecord> {
    const found = await find(key);
    if (!found) throw new Error(`no session ${key}`);
    return found;
  }
  async function rows(key: string): Promise<readonly MessageRecord[]> {
    const { id, firstSeq } = await session(key);
    const page = await store.readMessages({
      sessionRow: id,
      firstSeq,
      classes: [0, 1, 2],
      from: "oldest",
      limit: 1000,
    });
    return page.messages;
  }

  return {
    trunkline,
    store,
    clock,
    runner,
    script: (more) => void Object.assign(answers, more),
    channel(id) {
      const found = channels.find(({ channel }) => channel === id);
      if (!found) throw new Error(`no channel ${id}`);
      return found;
    },
    async settle() {
      await clock.advance(0);
      await trunkline.waitForIdle({ timeoutMs: 30_000 });
    },
    advance: (ms) => clock.advance(ms),
    call: (from, tool, args, runId) =>
      trunkline.callTool({ sessionKey: from, ...(runId === undefined ? {} : { runId }) }, tool, args),
    send: (from, to, message, more) =>
      trunkline.callTool({ sessionKey: from }, "sessions_send", { sessionKey: to, message, ...more }),
    human: (sessionKey, text) => trunkline.submit({ sessionKey, text }),
    session,
    find,
    rows,
    transcript: async (key) => (await rows(key)).map(({ role, body }) => `${role}: ${textOf(body.content)}`),
    async runs(key) {
      const { id } = await session(key);
      const [runs] = await store.read([{ find: "run", index: "runNo", equals: [id], limit: 1000 }]);
      return runs;
    },
    async run(runId) {
      const [run] = await store.read([{ get: "run", key: runId }]);
      if (!run) throw new Error(`no run ${runId}`);
      return run;
    },
    requests: (key) => runner.requests.filter(({ session: { key: sessionKey } }) => sessionKey === key),
    async deliveries(key) {
      const { id } = await session(key);
      const [deliveries] = await store.read([{ find: "delivery", index: "session", equals: [id], limit: 1000 }]);
      return deliveries;
    },
    async stateEvents(key) {
      const { id } = await session(key);
      const [events] = await store.read([{ find: "stateEvent", index: "version", equals: [id], limit: 1000 }]);
      return events;
    },
    second: (more) => openHarness({ ...options, store, clock, ...more }),
  };
}

async function openOwnStore(limits: Limits | undefined): Promise<SessionStore> {
  const store = await emptyStore();
  if (limits) onTestFinished(() => checkRules(store, limits));
  return store;
}

/** An empty store that goes with the test: in memory where the store can, else one handle on a database of its own. */
export async function emptyStore(): Promise<SessionStore> {
  if (testStore !== "sqlite") return databaseFile().open();
  const store = await openPlace({ store: "sqlite", url: ":memory:" });
  onTestFinished(() => store.close());
  return watchedStore(store);
}

function limitsOf(config: TrunklineConfigInput): Limits {
  const { agents, session } = parseConfig(config);
  return { maxChildren: agents.defaults.subagents.maxChildrenPerAgent, maxHops: session.agentToAgent.maxHops };
}

async function checkRules(store: SessionStore, limits: Limits): Promise<void> {
  const violations = await findViolations(store, limits);
  if (violations.length > 0) throw new Error(`the store breaks its rules:\n${violations.join("\n")}`);
}

/** A database that goes with the test; each call of `open` gives another handle on it. */
export function databaseFile(): { open(): Promise<SessionStore>; place(): Promise<StorePlace> } {
  let taken: ReturnType<typeof takeDatabase> | undefined;
  onTestFinished(async () => (await taken)?.release());
  async function place(): Promise<StorePlace> {
    taken ??= takeDatabase();
    return (await taken).place;
  }
  return {
    place,
    async open() {
      const store = await openPlace(await place());
      onTestFinished(() => store.close());
      return watchedStore(store);
    },
  };
}

function answer(answers: Readonly<Record<string, Answer>>, request: RunRequest) {
  const { key } = request.session;
  const { kind } = request.run;
  const chosen = answers[`${key} ${kind}`] ?? answers[key] ?? answers[kind] ?? answers["default"] ?? "";
  return typeof chosen === "string" ? chosen : chosen(request);
}

/** Answers after `ms` of the fake clock; ends early, as a good runner does, when its signal fires. */
export function answerAfter(clock: FakeClock, ms: number, text: string): ScriptedHandler {
  return (request) =>
    new Promise((resolve, reject) => {
      const cancel = clock.setTimer(ms, () => resolve(text));
      whenAborted(request, (reason) => {
        cancel();
        reject(reason);
      });
    });
}

/** Never answers; gives up when its signal fires. */
export const hang: ScriptedHandler = (request) => new Promise((_, reject) => whenAborted(request, reject));

function whenAborted({ signal }: RunRequest, then: (reason: unknown) => void): void {
  if (signal.aborted) then(signal.reason);
  else signal.addEventListener("abort", () => then(signal.reason));
}

/** The tool of a run, called as its model would. */
export function callTool(request: RunRequest, name: ToolName, args: unknown): Promise<unknown> {
  const tool = request.tools.find((candidate) => candidate.name === name);
  if (!tool) throw new Error(`the run has no tool ${name}`);
  return tool.call(args);
}

/** A call that settles later: started now, looked at with `result()` when the clock has moved. */
export function begin<T>(promise: Promise<T>): { readonly done: boolean; result(): Promise<T> } {
  const state = { done: false };
  const tracked = promise.finally(() => {
    state.done = true;
  });
  tracked.catch(() => undefined);
  return {
    get done() {
      return state.done;
    },
    result: () => tracked,
  };
}
