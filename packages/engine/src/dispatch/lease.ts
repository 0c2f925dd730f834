import type { ProcessRecord } from "@trunkline/core";
import { decide } from "../decide.ts";
import type { Engine } from "../engine.ts";
import { newId } from "../identifiers.ts";
import { createDraft, type TransactionDraft } from "../transaction-draft.ts";
import { hostTag, isProvenDead } from "./host-tag.ts";
import { takeOver } from "./take-over.ts";

export const leaseMs = 15_000;
export const renewEveryMs = 5_000;

/** Registers this process under a new id; its runs are its own for as long as the lease is renewed. */
export async function joinProcesses(engine: Engine): Promise<void> {
  const id = newId();
  engine.process.id = id;
  const leaseUntil = (await leaseNow(engine)) + leaseMs;
  await decide<void>(engine, async () => {
    const draft = createDraft();
    draft.record({ kind: "process", insert: { id, hostTag, leaseUntil, dead: 0 } });
    return { commit: draft, answer: undefined };
  });
}

/** Renews the lease; `false` when another process has declared this one dead. */
export async function renewLease(engine: Engine): Promise<boolean> {
  const now = await leaseNow(engine);
  return decide(engine, async () => {
    const [own] = await engine.store.read([{ get: "process", key: engine.process.id }]);
    if (own?.dead !== 0) return { answer: false };
    const draft = createDraft();
    draft.record({ kind: "process", key: own.id, when: { dead: 0 }, set: { leaseUntil: now + leaseMs } });
    return { commit: draft, answer: true };
  });
}

/**
 * Lets a transaction hold only while this process has its lease: what one took that was declared dead, and has not
 * noticed yet, would belong to nobody.
 */
export function whileLeased(draft: TransactionDraft, owner: string): void {
  draft.record({ kind: "process", key: owner, when: { dead: 0 } });
}

/** Gives the lease up after draining; whatever is left is taken over at once. */
export async function leaveProcesses(engine: Engine): Promise<void> {
  const [own] = await engine.store.read([{ get: "process", key: engine.process.id }]);
  if (!own) return;
  // Nothing more is claimed under its name; and should it not come to the end of this, the others go on with it.
  await declareDead(engine, own);
  await takeOver(engine, own);
}

/** Declares processes dead whose lease ran out, or whose process is provably gone, and takes over what they left. */
export async function sweepProcesses(engine: Engine): Promise<void> {
  const now = await leaseNow(engine);
  const [alive, dead] = await engine.store.read([
    { find: "process", index: "alive", equals: [0], limit: 1000 },
    { find: "process", index: "alive", equals: [1], limit: 1000 },
  ]);
  const lost = alive.filter(
    (process) => process.id !== engine.process.id && (process.leaseUntil < now || isProvenDead(process.hostTag)),
  );
  for (const process of lost) {
    const declared = await declareDead(engine, process);
    if (declared) engine.logger.warn({ process: process.id }, "a process died; its work is taken over");
  }
  for (const process of [...lost, ...dead]) await takeOver(engine, process);
}

/** Whether the process was declared dead by this call; one that has renewed its lease meanwhile is not. */
function declareDead(engine: Engine, { id, leaseUntil }: ProcessRecord): Promise<boolean> {
  return decide(engine, async () => {
    const [current] = await engine.store.read([{ get: "process", key: id }]);
    if (current?.dead !== 0 || current.leaseUntil !== leaseUntil) return { answer: false };
    const draft = createDraft();
    draft.record({ kind: "process", key: id, when: { dead: 0, leaseUntil }, set: { dead: 1 } });
    return { commit: draft, answer: true };
  });
}

/** Leases are kept in the database's time, so that machines with different clocks agree; an injected clock replaces it. */
async function leaseNow(engine: Engine): Promise<number> {
  return engine.usesSystemClock ? engine.store.clock() : engine.clock.now();
}
