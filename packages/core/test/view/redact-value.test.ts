import fc from "fast-check";
import { expect, test } from "vitest";
import { deepValueMarker, redactValue } from "../../src/view/redact/redact-value.ts";
import { leaks, opaqueSecret, vendorTokens } from "./invented-secrets.ts";

const allTokens = fc.oneof(...Object.values(vendorTokens));
const secretKeys = [
  "apiKey",
  "api_key",
  "accessToken",
  "refresh_token",
  "clientSecret",
  "password",
  "DB_PASSWORD",
  "privateKey",
];

/** Nests a value in objects and arrays under harmless keys. */
const nesting = fc
  .array(fc.constantFrom("object", "array", "json"), { maxLength: 6 })
  .map((layers) => (value: unknown) => {
    let nested = value;
    for (const layer of layers) {
      if (layer === "json") nested = JSON.stringify(nested);
      else nested = layer === "object" ? { id: 1, item: nested } : ["first", nested];
    }
    return nested;
  });

test("no vendor token survives in any place of a JSON value", () => {
  fc.assert(
    fc.property(allTokens, nesting, fc.boolean(), (token, nest, asKey) => {
      const value = nest(asKey ? { [token]: true } : `see ${token} there`);
      expect(leaks(JSON.stringify(redactValue(value).value), token)).toBe(false);
    }),
    { numRuns: 600 },
  );
});

test("no value under a secret's key survives, whatever it is nested in, escaped JSON included", () => {
  fc.assert(
    fc.property(opaqueSecret, fc.constantFrom(...secretKeys), nesting, (secret, key, nest) => {
      const { value, redacted } = redactValue(nest({ [key]: secret }));
      expect(leaks(JSON.stringify(value), `12345678${secret}1234`)).toBe(false);
      expect(redacted).toBe(true);
    }),
    { numRuns: 600 },
  );
});

test("everything under a secret's key is hidden, but for words that describe it", () => {
  expect(redactValue({ password: { type: "text", current: "hunter2", old: ["a1", "b2"] } }).value).toEqual({
    password: { type: "text", current: "***", old: ["***", "***"] },
  });
});

test("numbers are hidden where they can be secrets", () => {
  expect(redactValue({ password: 1234, token: 123456, cvc: 123, maxTokens: 4096, count: 123456 }).value).toEqual({
    password: "***",
    token: "***",
    cvc: "***",
    maxTokens: 4096,
    count: 123456,
  });
});

test("headers as pairs, flags and named values are told by their neighbour", () => {
  expect(
    redactValue([
      ["X-Api-Key", "hunter2"],
      ["accept", "x"],
    ]).value,
  ).toEqual([
    ["X-Api-Key", "***"],
    ["accept", "x"],
  ]);
  expect(redactValue(["--password", "hunter2", "--token", "--quiet"]).value).toEqual([
    "--password",
    "***",
    "--token",
    "--quiet",
  ]);
  expect(redactValue({ key: "API_KEY", value: "hunter2" }).value).toEqual({ key: "API_KEY", value: "***" });
});

test("what holds no secret comes through equal, and the value given is not changed", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const before = JSON.stringify(value);
      const result = redactValue(value);
      expect(JSON.stringify(value)).toBe(before);
      if (!result.redacted && !result.cut) expect(JSON.stringify(result.value)).toBe(before);
    }),
  );
});

test("redacting a value twice changes nothing", () => {
  fc.assert(
    fc.property(opaqueSecret, nesting, (secret, nest) => {
      const once = redactValue(nest({ password: secret, note: `token=${secret}` })).value;
      expect(redactValue(once)).toEqual({ value: once, redacted: false, cut: false });
    }),
  );
});

test("a value nested too deeply is cut off, not followed", () => {
  let value: unknown = "end";
  for (let depth = 0; depth < 200_000; depth += 1) value = [value];
  const result = redactValue(value);
  expect(result.cut).toBe(true);
  expect(JSON.stringify(result.value)).toContain(deepValueMarker);
});

test("a key that names an object's prototype stays a key", () => {
  const value: unknown = JSON.parse('{"__proto__": {"password": "hunter2"}}');
  expect(JSON.stringify(redactValue(value).value)).toBe('{"__proto__":{"password":"***"}}');
});
