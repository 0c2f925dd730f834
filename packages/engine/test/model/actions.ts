import fc from "fast-check";
import { type SessionName, sessionKeys, sessionName } from "./plan.ts";
import { askFor } from "./scripted-world.ts";
import type { World } from "./world.ts";

/** Something that happens to a world. It begins, and does not wait for what comes of it. */
export interface Action {
  readonly name: string;
  /** `door` chooses the process that is talked to, where one is. */
  act(world: World, door: number): Promise<void>;
}

function action(name: string, act: Action["act"]): Action {
  return { name, act };
}

const plan = fc.nat({ max: 5 });

const message = fc.tuple(sessionName, plan).map(([to, number]) =>
  action(`message(${to}, plan ${number})`, async (world, door) => {
    const { trunkline } = await world.front(door);
    note(world, "message", number, trunkline.submit({ sessionKey: sessionKeys[to], text: askFor(number) }));
  }),
);

const chat = plan.map((number) =>
  action(`chat(plan ${number})`, async (world, door) => {
    const { trunkline } = await world.front(door);
    const peer = { kind: "direct", id: "7" } as const;
    note(world, "message", number, trunkline.receive({ channel: "telegram", peer, text: askFor(number) }));
  }),
);

const send = fc
  .record({
    from: sessionName,
    to: sessionName,
    number: plan,
    waitSeconds: fc.constantFrom(0, 2, 30),
    watch: fc.boolean(),
  })
  .map(({ from, to, number, waitSeconds, watch }) =>
    action(
      `send(${from} → ${to}, plan ${number}, wait ${waitSeconds}${watch ? ", watch" : ""})`,
      async (world, door) => {
        const { trunkline } = await world.front(door);
        const sent = trunkline.callTool({ sessionKey: sessionKeys[from] }, "sessions_send", {
          sessionKey: sessionKeys[to],
          message: askFor(number),
          timeoutSeconds: waitSeconds,
          watch,
        });
        note(world, "send", number, sent);
      },
    ),
  );

const spawn = fc
  .record({ from: sessionName, number: plan, remove: fc.boolean(), limit: fc.constantFrom(0, 20) })
  .map(({ from, number, remove, limit }) =>
    action(`spawn(${from}, plan ${number}${remove ? ", remove" : ""}, limit ${limit})`, async (world, door) => {
      const { trunkline } = await world.front(door);
      const spawned = trunkline.callTool({ sessionKey: sessionKeys[from] }, "sessions_spawn", {
        task: askFor(number),
        cleanup: remove ? "delete" : "keep",
        runTimeoutSeconds: limit,
      });
      note(world, "spawn", number, spawned);
    }),
  );

const abortSession = sessionName.map((of) =>
  action(`abort(${of})`, async (world, door) => {
    const { trunkline } = await world.front(door);
    world.disturb();
    attempt(world, () => trunkline.abort({ sessionKey: sessionKeys[of] }));
  }),
);

const abortRun = fc.nat({ max: 20 }).map((number) =>
  action(`abortRun(${number})`, async (world, door) => {
    const { trunkline } = await world.front(door);
    const work = world.works[number % Math.max(world.works.length, 1)];
    if (!work) return;
    world.disturb();
    attempt(world, () => trunkline.abort({ runId: work.runId }));
  }),
);

const cancelChild = fc.tuple(sessionName, fc.nat({ max: 5 })).map(([of, number]) =>
  action(`cancelChild(${of}, ${number})`, async (world, door) => {
    const { trunkline } = await world.front(door);
    const caller = { sessionKey: sessionKeys[of] };
    world.disturb();
    attempt(world, async () => {
      const listed = await trunkline.callTool(caller, "subagents", { action: "list" });
      const child = "active" in listed ? listed.active[number % Math.max(listed.active.length, 1)] : undefined;
      if (child) await trunkline.callTool(caller, "subagents", { action: "cancel", runId: child.runId });
    });
  }),
);

const reset = sessionName.map((of) =>
  action(`reset(${of})`, async (world, door) => {
    const { trunkline } = await world.front(door);
    world.disturb();
    attempt(world, () => trunkline.resetSession(sessionKeys[of]));
  }),
);

const remove = fc.constantFrom<SessionName[]>("group", "b").map((of) =>
  action(`delete(${of})`, async (world, door) => {
    const { trunkline } = await world.front(door);
    world.disturb();
    attempt(world, () => trunkline.deleteSession(sessionKeys[of]));
  }),
);

const archive = fc.tuple(sessionName, fc.boolean()).map(([of, archived]) =>
  action(`${archived ? "archive" : "unarchive"}(${of})`, async (world, door) => {
    const { trunkline } = await world.front(door);
    world.disturb();
    attempt(world, () => trunkline.patchSession(sessionKeys[of], { archived }));
  }),
);

const goal = sessionName.map((of) =>
  action(`goal(${of})`, async (world, door) => {
    const { trunkline } = await world.front(door);
    attempt(world, () => trunkline.patchSession(sessionKeys[of], { goal: `goal at ${world.clock.now()}` }));
  }),
);

const advance = fc
  .constantFrom(10, 1_000, 2_000, 5_000, 16_000, 30_000, 120_000)
  .map((ms) => action(`advance(${ms})`, (world) => world.clock.advance(ms)));

const crash = fc.nat({ max: 1 }).map((number) =>
  action(`crash(${number})`, async (world) => {
    const process = world.processes[number % Math.max(world.processes.length, 1)];
    if (process) world.kill(process);
  }),
);

const crashSoon = fc
  .integer({ min: 1, max: 12 })
  .map((nth) => action(`crashAtBoundary(${nth})`, async (world) => world.killAtBoundary(nth)));

const start = fc.constant(
  action("start()", async (world) => {
    if (world.processes.length < 2) attempt(world, () => world.start());
  }),
);

const stop = fc.constant(
  action("stop()", async (world) => {
    const process = world.processes[0];
    if (!process) return;
    world.disturb();
    world.processes.shift();
    attempt(world, () => process.trunkline.stop({ drainMs: 0 }));
  }),
);

const freeze = fc.constant(
  action("freeze()", async (world) => {
    world.disturb();
    world.processes[0]?.mortal.freeze();
  }),
);

const thaw = fc.constant(
  action("thaw()", async (world) => {
    world.disturb();
    for (const { mortal } of world.processes) mortal.thaw();
  }),
);

const jump = fc.constantFrom(-30_000, 60_000).map((ms) =>
  action(`clockJump(${ms})`, async (world) => {
    world.disturb();
    world.clock.step(ms);
    // A lease that seems to have run out is renewed with the next beat.
    await world.clock.advance(5_000);
    world.disturb();
  }),
);

const loseConnection = fc
  .tuple(fc.integer({ min: 1, max: 6 }), fc.boolean())
  .map(([nth, takesEffect]) =>
    action(`loseConnection(in commit ${nth}, ${takesEffect ? "after" : "before"} it took effect)`, async (world) =>
      world.loseConnectionAt(nth, takesEffect),
    ),
  );

/** Any action; what happens often stands here more than once. */
export const anyAction: fc.Arbitrary<Action> = fc.oneof(
  message,
  message,
  chat,
  chat,
  send,
  send,
  spawn,
  abortSession,
  abortRun,
  cancelChild,
  reset,
  remove,
  archive,
  goal,
  advance,
  advance,
  advance,
  crash,
  crashSoon,
  start,
  start,
  stop,
  freeze,
  thaw,
  jump,
  loseConnection,
);

/** Begins a call and notes the work that it makes; the call may take as long as it likes, or for ever if its process dies. */
function note(world: World, from: "message" | "send" | "spawn", plan: number, call: Promise<unknown>): void {
  const before = world.disturbances;
  const noted = call.then((result) => {
    if (typeof result !== "object" || result === null || !("runId" in result) || typeof result.runId !== "string")
      return;
    if (world.works.some(({ runId }) => runId === result.runId)) return;
    world.works.push({
      runId: result.runId,
      plan,
      from,
      peaceful: world.disturbances === before && !world.processes.some(({ mortal }) => mortal.isFrozen),
      ended: world.endedRuns.has(result.runId),
    });
  });
  world.calls.push(noted.catch(() => undefined));
}

/** Does something that a process may die in, or that the store of a dead process lets hang. */
function attempt(world: World, act: () => Promise<unknown>): void {
  world.calls.push(act().catch(() => undefined));
}
