import fc from "fast-check";
import { expect } from "vitest";
import { findViolations } from "../invariants/find-violations.ts";
import { type Action, anyAction } from "./actions.ts";
import { limits, type World } from "./world.ts";

/** Every command is possible at any time; what must come of it is kept beside the world, in its works. */
export type Model = Readonly<Record<string, never>>;

export type WorldCommand = fc.AsyncCommand<Model, World>;

/** Does several things at once, each through a door of its own, and then holds the store against its rules. */
function together(actions: readonly { readonly action: Action; readonly door: number }[]): WorldCommand {
  return {
    check: () => true,
    async run(_model, world) {
      const before = { disturbances: world.disturbances, works: world.works.length };
      await Promise.all(actions.map(({ action, door }) => action.act(world, door)));
      await world.settle();
      // What came in at the same time was disturbed as well.
      const disturbed = world.disturbances !== before.disturbances;
      for (const work of disturbed ? world.works.slice(before.works) : []) work.peaceful = false;
      expect(await findViolations(world.store, limits)).toEqual([]);
      expectNoRepetition(world);
    },
    toString: () =>
      actions.map(({ action, door }) => `${action.name}${door === 0 ? "" : " at the other door"}`).join(" + "),
  };
}

/** No runner is called twice for a run, and no text leaves twice unless its channel honours the key. */
export function expectNoRepetition({ effects, script }: World): void {
  expect(effects.calls).toEqual([...new Set(effects.calls)]);
  if (script.idempotent) return;
  const keys = effects.sends.map(({ key }) => key);
  expect(keys).toEqual([...new Set(keys)]);
}

const one = fc.record({ action: anyAction, door: fc.nat({ max: 1 }) });

/** One thing at a time, mostly; sometimes a few at once. */
export const commands = [
  one.map((only) => together([only])),
  one.map((only) => together([only])),
  fc.array(one, { minLength: 2, maxLength: 4 }).map(together),
];
