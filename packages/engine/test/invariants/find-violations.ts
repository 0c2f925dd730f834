import type { SessionStore } from "@trunkline/core";
import { familyInvariants } from "./family-invariants.ts";
import { flowInvariants } from "./flow-invariants.ts";
import type { Invariant, Limits } from "./invariant.ts";
import { runInvariants } from "./run-invariants.ts";
import { sessionInvariants } from "./session-invariants.ts";
import { type Snapshot, takeSnapshot } from "./snapshot.ts";

/** Every rule, in the order of its number. */
export const invariants: readonly Invariant[] = [
  ...runInvariants,
  ...sessionInvariants,
  ...familyInvariants,
  ...flowInvariants,
].sort((a, b) => a.number - b.number);

/** The limits of the default configuration. */
export const defaultLimits: Limits = { maxChildren: 5, maxHops: 8 };

/** Everything that breaks a rule, as `<number> <rule>: <row>`; empty for a sound store. */
export function violationsOf(snapshot: Snapshot, limits: Limits = defaultLimits): readonly string[] {
  return invariants.flatMap(({ number, name, check }) =>
    check(snapshot, limits).map((row) => `${number} ${name}: ${row}`),
  );
}

/** As `violationsOf`, of a store as it is now. */
export async function findViolations(store: SessionStore, limits: Limits = defaultLimits): Promise<readonly string[]> {
  return violationsOf(await takeSnapshot(store), limits);
}
