import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { redactSecrets } from "../../src/view/redact/redact-secrets.ts";
import { leaks, opaqueSecret, secretFields, surroundings, vendorTokens } from "./invented-secrets.ts";

const prose = "The quick brown fox jumps over the lazy dog, then sleeps. const a = b(c); ";

describe("no vendor token survives", () => {
  test.each(Object.entries(vendorTokens))("%s", (_family, token) => {
    fc.assert(
      fc.property(token, fc.constantFrom(...surroundings), (secret, surround) => {
        const { text, redacted } = redactSecrets(surround(secret));
        expect(leaks(text, secret), text).toBe(false);
        expect(redacted).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test.each(Object.entries(vendorTokens))("%s, at any offset of a text", (_family, token) => {
    fc.assert(
      fc.property(token, fc.nat(prose.length), (secret, offset) => {
        const { text } = redactSecrets(prose.slice(0, offset) + secret + prose.slice(offset));
        expect(leaks(text, secret), text).toBe(false);
      }),
      { numRuns: 60 },
    );
  });
});

describe("no value of a secret field survives", () => {
  test.each(Object.entries(secretFields))("%s", (_name, field) => {
    fc.assert(
      fc.property(opaqueSecret, fc.nat(prose.length), (value, offset) => {
        const written = field(value);
        expect(leaks(redactSecrets(written).text, `12345678${value}1234`), written).toBe(false);
        const inText = `${prose.slice(0, offset)}\n${written}\n${prose.slice(offset)}`;
        expect(leaks(redactSecrets(inText).text, value), inText).toBe(false);
      }),
      { numRuns: 60 },
    );
  });
});

const pieces = [
  ..."token password API_KEY apiKey secret key = : \" ' ` & ? https:// bob: @ host/ # sk- Bearer Authorization: Basic".split(
    " ",
  ),
  ..."Digest cookie *** … abcdef…cdef hunter2 --token -- - _ . / + 1//0 123456789: { } , ; ( ) $ \\n \\ %5F".split(" "),
  ..."x a1 Z9 dp.st. xoxb- data:x;base64, 😀 你 ** < > | client_secret code process.env string or value name".split(
    " ",
  ),
  ["$", "{X}"].join(""),
  "-----BEGIN PRIVATE KEY-----",
  "-----END PRIVATE KEY-----",
  "MIIEabcdefghijklmnopqrstuv",
  "…redacted…",
  `${"gh"}p_A1b2C3d4E5f6G7h8`,
  `eyJhbGciOiJIUzI1NiJ9.${"eyJ"}zdWIiOiIxMjM0NTY3ODkwIn0.abcDEF123456`,
  `wJalrXUtnFEMI/K7MDENG/${"bPxRfiCYabcdefghij"}`,
  '\\"',
  " ",
  "\n",
];
const fragments = fc.array(fc.constantFrom(...pieces), { maxLength: 18 }).map((parts) => parts.join(""));
const anyText = fc.oneof(
  fragments,
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.string({ unit: "grapheme", maxLength: 200 }),
);

test("masking twice changes nothing, and the second time says so", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const once = redactSecrets(text).text;
      expect(redactSecrets(once)).toEqual({ text: once, redacted: false });
    }),
    { numRuns: 6000 },
  );
});

test("a mask never grows a text by more than three units a secret, and keeps it well formed", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const result = redactSecrets(text).text;
      const masks = result.split("***").length + result.split("…").length;
      expect(result.length).toBeLessThanOrEqual(text.length + 12 * masks);
      if (text.isWellFormed()) expect(result.isWellFormed()).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

test("redacted is true exactly when the text changed", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const result = redactSecrets(text);
      expect(result.redacted).toBe(result.text !== text);
    }),
    { numRuns: 1000 },
  );
});
