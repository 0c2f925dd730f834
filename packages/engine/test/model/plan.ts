import fc from "fast-check";

/** One thing that a run does before it ends; the work that it hands on follows a later plan, so that all of it ends. */
export type Step =
  | { readonly do: "spawn"; readonly plan: number; readonly remove: boolean; readonly limitSeconds: number }
  | { readonly do: "send"; readonly plan: number; readonly to: SessionName; readonly waitSeconds: number }
  | { readonly do: "yield" }
  | { readonly do: "tell" }
  | { readonly do: "pause"; readonly seconds: number };

export type End = "say" | "skip" | "nothing" | "fail" | "hang" | "ignore";

/** What a run does. `plan` numbers are offsets to later plans. */
export interface Plan {
  readonly steps: readonly Step[];
  readonly end: End;
}

export const sessionNames = ["a", "b", "group"] as const;
export type SessionName = (typeof sessionNames)[number];

export const sessionKeys: { readonly [N in SessionName]: string } = {
  a: "agent:a:main",
  b: "agent:b:main",
  group: "agent:b:telegram:group:1",
};

const offset = fc.nat({ max: 2 });
export const sessionName = fc.constantFrom(...sessionNames);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("spawn" as const),
      plan: offset,
      remove: fc.boolean(),
      limitSeconds: fc.constantFrom(0, 0, 20),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("send" as const),
      plan: offset,
      to: sessionName,
      waitSeconds: fc.constantFrom(0, 2, 30),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("yield" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("tell" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("pause" as const), seconds: fc.constantFrom(1, 8) }) },
);

const end: fc.Arbitrary<End> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<End>("say") },
  { weight: 1, arbitrary: fc.constantFrom<End[]>("skip", "nothing", "fail", "hang", "ignore") },
);

/** Everything of a world that is not a command. */
export interface Script {
  /** What messages, sends and tasks ask for. */
  readonly plans: readonly Plan[];
  /** How the runs end that nobody asked for: turns, announce steps, resumes, continuations; used in turn. */
  readonly followUps: readonly End[];
  /** What the channel does with a text; used in turn. */
  readonly sends: readonly ("post" | "later" | "never" | "unclear" | "silent")[];
  readonly idempotent: boolean;
  /** Decides how calls of several processes interleave. */
  readonly seed: number;
}

export const script: fc.Arbitrary<Script> = fc.record({
  plans: fc.array(fc.record({ steps: fc.array(step, { maxLength: 4 }), end }), { minLength: 1, maxLength: 6 }),
  followUps: fc.array(fc.constantFrom<End[]>("say", "say", "skip", "nothing", "fail"), { minLength: 1, maxLength: 5 }),
  sends: fc.array(fc.constantFrom<Script["sends"][number][]>("post", "post", "later", "never", "unclear", "silent"), {
    minLength: 1,
    maxLength: 5,
  }),
  idempotent: fc.boolean(),
  seed: fc.nat({ max: 1000 }),
});
