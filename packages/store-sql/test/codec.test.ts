import { describe, expect, test } from "vitest";
import { readMessageBody } from "../src/codec/decode.ts";
import { encodeColumn, encodeJson, maxBodyBytes } from "../src/codec/encode.ts";
import { physicalTables } from "../src/schema/physical-tables.ts";

const column = (type: "id" | "key" | "name" | "text" | "body" | "json") => ({
  property: "p",
  name: "p",
  type,
  nullable: true,
});

describe("encoding", () => {
  test("no U+0000 and no lone surrogate is left, in nested keys and values either", () => {
    const value = { "a\0": ["x\0y", { "\ud800": "\udc00 é 😀" }], path: "C:\\udev\\u0000" };
    expect(JSON.parse(encodeJson(value))).toEqual({
      "a\ufffd": ["x\ufffdy", { "\ufffd": "\ufffd é 😀" }],
      path: "C:\\udev\\u0000",
    });
    expect(encodeColumn(column("name"), "a\0\ud800")).toBe("a\ufffd\ufffd");
  });

  test("a value at its limit is kept, one over it is store_too_large and names the column", () => {
    const limits = [
      ["id", "x".repeat(36)],
      ["key", "é".repeat(256)],
      ["name", "x".repeat(190)],
      ["text", "😀".repeat(512)],
      ["body", "x".repeat(maxBodyBytes)],
      ["json", "x".repeat(maxBodyBytes - 2)],
    ] as const;
    for (const [type, value] of limits) {
      expect(() => encodeColumn(column(type), value)).not.toThrow();
      expect(() => encodeColumn(column(type), `${value}x`)).toThrow(
        expect.objectContaining({ code: "store_too_large", path: "p" }),
      );
    }
  });
});

test("a message body that is no JSON, or no body, reads as unreadable", () => {
  for (const text of ["{broken", "null", "[]", "{}", '{"content":5}']) {
    expect(readMessageBody(text)).toEqual({ content: "", unreadable: true });
  }
  expect(readMessageBody('{"content":"hi"}')).toEqual({ content: "hi" });
});

test("every name in the schema is unique, short enough for all databases and carries the prefix", () => {
  const tables = Object.values(physicalTables("tl_"));
  const names = tables.flatMap((table) => [table.name, ...table.indexes.map((index) => index.name)]);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^tl_[a-z_]{1,56}$/);
});

test("plain indexes end with the key unless their columns are unique already", () => {
  const { run, session, delivery } = physicalTables("");
  const order = (table: typeof run, name: string) => table.indexes.find((index) => index.logicalName === name)?.order;
  expect(order(run, "claimable")).toEqual(["lane", "priority", "claimable_at", "id"]);
  expect(order(session, "list")).toEqual(["archived", "list_rank", "session_key"]);
  expect(order(delivery, "activeRoute")).toEqual(["active_route", "id"]);
});
