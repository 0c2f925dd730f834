import { CommandError } from "./command-error.ts";

type Flags = Readonly<Record<string, unknown>>;

/** The text of a flag; `undefined` when it was not given. */
export function textFlag(flags: Flags, name: string): string | undefined {
  const value = flags[name];
  return typeof value === "string" ? value : undefined;
}

/** Whether a flag without a value was given. */
export function isSet(flags: Flags, name: string): boolean {
  return flags[name] === true;
}

/** A whole number within bounds, of a flag named in kebab-case; `undefined` when it was not given. */
export function countFlag(
  flags: Flags,
  name: string,
  bounds: { readonly minimum: number; readonly maximum: number; readonly example?: number },
): number | undefined {
  const text = textFlag(flags, name);
  if (text === undefined) return undefined;
  const count = /^\d{1,15}$/u.test(text) ? Number(text) : Number.NaN;
  if (count >= bounds.minimum && count <= bounds.maximum) return count;
  throw new CommandError(
    "invalid_input",
    `--${name} takes a whole number from ${bounds.minimum} to ${bounds.maximum}`,
    {
      fix: `Give it one, e.g. --${name} ${bounds.example ?? 20}`,
      path: `--${name}`,
    },
  );
}

const minutesOf: Readonly<Record<string, number>> = { m: 1, min: 1, h: 60, d: 1_440 };

/** Minutes from `60`, `60m`, `2h` or `7d`; `undefined` when the flag was not given. */
export function minutesFlag(flags: Flags, name: string): number | undefined {
  const text = textFlag(flags, name);
  if (text === undefined) return undefined;
  const [, count, unit] = /^([1-9]\d{0,6})(m|min|h|d)?$/u.exec(text) ?? [];
  if (count !== undefined) return Number(count) * (minutesOf[unit ?? "m"] ?? 1);
  throw new CommandError("invalid_input", `--${name} takes a time span`, {
    fix: `Give minutes, hours or days, e.g. --${name} 60m, --${name} 2h`,
    path: `--${name}`,
  });
}
