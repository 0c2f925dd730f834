import fc from "fast-check";
import { expect } from "vitest";
import { findViolations } from "../invariants/find-violations.ts";
import { type SessionName, sessionKeys, sessionName } from "./plan.ts";
import { askFor } from "./scripted-world.ts";
import { limits, type World } from "./world.ts";

/** Every command is possible at any time; what must come of it is kept beside the world, in its works. */
export type Model = Readonly<Record<string, never>>;

export type WorldCommand = fc.AsyncCommand<Model, World>;

/** A command that does something and then holds the store against its rules. */
function command(name: string, act: (world: World) => Promise<void>) {
  const made: WorldCommand = {
    check: () => true,
    async run(_model, world) {
      await act(world);
      await world.settle();
      expect(await findViolations(world.store, limits)).toEqual([]);
      expectNoRepetition(world);
    },
    toString: () => name,
  };
  return made;
}

/** No runner is called twice for a run, and no text leaves twice unless its channel honours the key. */
export function expectNoRepetition({ effects, script }: World): void {
  expect(effects.calls).toEqual([...new Set(effects.calls)]);
  if (script.idempotent) return;
  const keys = effects.sends.map(({ key }) => key);
  expect(keys).toEqual([...new Set(keys)]);
}

const plan = fc.nat({ max: 5 });

const message = fc.tuple(sessionName, plan).map(([to, number]) =>
  command(`message(${to}, plan ${number})`, async (world) => {
    const { trunkline } = await world.front();
    await note(world, "message", number, trunkline.submit({ sessionKey: sessionKeys[to], text: askFor(number) }));
  }),
);

const chat = plan.map((number) =>
  command(`chat(plan ${number})`, async (world) => {
    const { trunkline } = await world.front();
    const peer = { kind: "direct", id: "7" } as const;
    await note(world, "message", number, trunkline.receive({ channel: "telegram", peer, text: askFor(number) }));
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
    command(`send(${from} → ${to}, plan ${number}, wait ${waitSeconds}${watch ? ", watch" : ""})`, async (world) => {
      const { trunkline } = await world.front();
      const sent = trunkline.callTool({ sessionKey: sessionKeys[from] }, "sessions_send", {
        sessionKey: sessionKeys[to],
        message: askFor(number),
        timeoutSeconds: waitSeconds,
        watch,
      });
      await note(world, "send", number, sent);
    }),
  );

const spawn = fc
  .record({ from: sessionName, number: plan, remove: fc.boolean(), limit: fc.constantFrom(0, 20) })
  .map(({ from, number, remove, limit }) =>
    command(`spawn(${from}, plan ${number}${remove ? ", remove" : ""}, limit ${limit})`, async (world) => {
      const { trunkline } = await world.front();
      const spawned = trunkline.callTool({ sessionKey: sessionKeys[from] }, "sessions_spawn", {
        task: askFor(number),
        cleanup: remove ? "delete" : "keep",
        runTimeoutSeconds: limit,
      });
      await note(world, "spawn", number, spawned);
    }),
  );

const abortSession = sessionName.map((of) =>
  command(`abort(${of})`, async (world) => {
    const { trunkline } = await world.front();
    world.disturb();
    await attempt(world, () => trunkline.abort({ sessionKey: sessionKeys[of] }));
  }),
);

const abortRun = fc.nat({ max: 20 }).map((number) =>
  command(`abortRun(${number})`, async (world) => {
    const { trunkline } = await world.front();
    const work = world.works[number % Math.max(world.works.length, 1)];
    if (!work) return;
    world.disturb();
    await attempt(world, () => trunkline.abort({ runId: work.runId }));
  }),
);

const cancelChild = fc.tuple(sessionName, fc.nat({ max: 5 })).map(([of, number]) =>
  command(`cancelChild(${of}, ${number})`, async (world) => {
    const { trunkline } = await world.front();
    const caller = { sessionKey: sessionKeys[of] };
    world.disturb();
    await attempt(world, async () => {
      const listed = await trunkline.callTool(caller, "subagents", { action: "list" });
      const child = "active" in listed ? listed.active[number % Math.max(listed.active.length, 1)] : undefined;
      if (child) await trunkline.callTool(caller, "subagents", { action: "cancel", runId: child.runId });
    });
  }),
);

const reset = sessionName.map((of) =>
  command(`reset(${of})`, async (world) => {
    const { trunkline } = await world.front();
    world.disturb();
    await attempt(world, () => trunkline.resetSession(sessionKeys[of]));
  }),
);

const remove = fc.constantFrom<SessionName[]>("group", "b").map((of) =>
  command(`delete(${of})`, async (world) => {
    const { trunkline } = await world.front();
    world.disturb();
    await attempt(world, () => trunkline.deleteSession(sessionKeys[of]));
  }),
);

const archive = fc.tuple(sessionName, fc.boolean()).map(([of, archived]) =>
  command(`${archived ? "archive" : "unarchive"}(${of})`, async (world) => {
    const { trunkline } = await world.front();
    world.disturb();
    await attempt(world, () => trunkline.patchSession(sessionKeys[of], { archived }));
  }),
);

const goal = sessionName.map((of) =>
  command(`goal(${of})`, async (world) => {
    const { trunkline } = await world.front();
    await attempt(world, () => trunkline.patchSession(sessionKeys[of], { goal: `goal at ${world.clock.now()}` }));
  }),
);

const advance = fc
  .constantFrom(10, 1_000, 2_000, 5_000, 16_000, 30_000, 120_000)
  .map((ms) => command(`advance(${ms})`, (world) => world.clock.advance(ms)));

const crash = fc.nat({ max: 1 }).map((number) =>
  command(`crash(${number})`, async (world) => {
    const process = world.processes[number % Math.max(world.processes.length, 1)];
    if (process) world.kill(process);
  }),
);

const crashSoon = fc
  .integer({ min: 1, max: 12 })
  .map((nth) => command(`crashAtBoundary(${nth})`, async (world) => world.killAtBoundary(nth)));

const start = fc.constant(
  command("start()", async (world) => {
    if (world.processes.length < 2) await attempt(world, () => world.start());
  }),
);

const stop = fc.constant(
  command("stop()", async (world) => {
    const process = world.processes[0];
    if (!process) return;
    world.disturb();
    world.processes.shift();
    await attempt(world, () => process.trunkline.stop({ drainMs: 0 }));
  }),
);

const freeze = fc.constant(
  command("freeze()", async (world) => {
    world.disturb();
    world.processes[0]?.mortal.freeze();
  }),
);

const thaw = fc.constant(
  command("thaw()", async (world) => {
    world.disturb();
    for (const { mortal } of world.processes) mortal.thaw();
  }),
);

const jump = fc.constantFrom(-30_000, 60_000).map((ms) =>
  command(`clockJump(${ms})`, async (world) => {
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
    command(`loseConnection(in commit ${nth}, ${takesEffect ? "after" : "before"} it took effect)`, async (world) =>
      world.loseConnectionAt(nth, takesEffect),
    ),
  );

/** Arbitrary commands; what happens often stands here more than once. */
export const commands = [
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
];

/** Begins a call and notes the work that it makes; the call may take as long as it likes, or for ever if its process dies. */
async function note(
  world: World,
  from: "message" | "send" | "spawn",
  plan: number,
  call: Promise<unknown>,
): Promise<void> {
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
      ended: false,
    });
  });
  world.calls.push(noted.catch(() => undefined));
  await world.clock.advance(0);
}

/** Does something that a process may die in, or that the store of a dead process lets hang. */
async function attempt(world: World, act: () => Promise<unknown>): Promise<void> {
  world.calls.push(act().catch(() => undefined));
  await world.clock.advance(0);
}
