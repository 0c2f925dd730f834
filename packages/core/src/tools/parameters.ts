import { z } from "zod";

/** Bounds of a whole number: over `cap` it is lowered, over `maximum` or under `minimum` it is an input error. */
export interface WholeNumberBounds {
  readonly minimum: number;
  readonly cap?: number;
  readonly maximum?: number;
}

/** A whole number, also as a numeric string; `NaN`, fractions and numbers out of bounds are input errors. */
export function wholeNumberParameter(bounds: WholeNumberBounds) {
  return z.preprocess(numberReader(bounds), wholeNumberSchema(bounds));
}

/** A whole number that has a value when it is left out. */
export function wholeNumberWithDefault(bounds: WholeNumberBounds, value: number) {
  return z.preprocess(numberReader(bounds), wholeNumberSchema(bounds).default(value));
}

/** A text that counts as absent when blank; otherwise it is kept as it was typed. */
export function optionalText(maximumLength = 1000) {
  return z
    .preprocess((value: string) => (isBlank(value) ? undefined : value), z.string().max(maximumLength).optional())
    .optional();
}

/** A text that has a value when it is left out or blank. */
export function textWithDefault(value: string, maximumLength: number) {
  return z.preprocess(
    (typed: string) => (isBlank(typed) ? undefined : typed),
    z.string().max(maximumLength).default(value),
  );
}

/** An agent id, folded to lower case as in session keys; absent when blank. */
export function optionalAgentId() {
  return z
    .preprocess(
      (value: string) => (isBlank(value) ? undefined : typeof value === "string" ? value.trim().toLowerCase() : value),
      z.string().max(64).optional(),
    )
    .optional();
}

/** A list that counts as absent when empty. */
export function optionalList<Item extends z.ZodType>(item: Item) {
  return z
    .preprocess(
      (list: readonly z.input<Item>[]) => (Array.isArray(list) && list.length === 0 ? undefined : list),
      z.array(item).max(200).optional(),
    )
    .optional();
}

/** A text that holds more than white space. */
export function requiredText(maximumLength?: number) {
  const text = z.string().min(1);
  const bounded = maximumLength === undefined ? text : text.max(maximumLength);
  return bounded.refine((value) => !isBlank(value), "must not be blank");
}

/** A session key, a `sessionId`, `main` or `current`. */
export const sessionReferenceDescription =
  'A session key as sessions_list shows it, a sessionId, "main" (your agent\'s main session) or "current" (this session).';

/** The longest session reference that is read; a key has at most 512 bytes. */
export const maxReferenceLength = 1000;

/** The longest label of a session, in UTF-16 units. */
export const maxLabelLength = 256;

/** The longest idempotency key, in UTF-16 units. */
export const maxIdempotencyKeyLength = 256;

function wholeNumberSchema({ minimum, cap, maximum }: WholeNumberBounds) {
  const highest = maximum ?? cap;
  const whole = z.int().min(minimum);
  return highest === undefined ? whole : whole.max(highest);
}

function numberReader({ cap }: WholeNumberBounds) {
  return (value: number | string) => lowered(readNumber(value), cap);
}

function isBlank(value: unknown): boolean {
  return typeof value === "string" && value.trim() === "";
}

function readNumber(value: unknown): unknown {
  if (typeof value !== "string" || value.length > 32) return value;
  const text = value.trim();
  return /^[+-]?\d+(?:\.\d+)?$/.test(text) ? Number(text) : value;
}

function lowered(value: unknown, cap: number | undefined): unknown {
  return typeof value === "number" && Number.isInteger(value) && cap !== undefined ? Math.min(value, cap) : value;
}
