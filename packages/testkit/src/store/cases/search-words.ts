import { deepEqual, equal } from "node:assert/strict";
import type { SessionStore } from "@trunkline/core";
import { createSession, say } from "../steps.ts";
import { casesOf } from "../store-case.ts";

const hits = async (store: SessionStore, words: readonly string[]) =>
  (await store.searchMessages({ scope: { every: true }, words, includeTools: false, limit: 50 }))
    .map((hit) => hit.message.body.content)
    .sort();

/** What a word is, the same on every database. */
export const searchWordCases = casesOf("searching for words", [
  {
    name: "a word with punctuation inside is found in one piece only",
    run: async ({ store }) => {
      const id = await createSession(store);
      await say(store, id, [
        "see a_b here",
        "see b_a here",
        "see a here and b there",
        "version 1.2.3",
        "version 3.2.1",
      ]);
      deepEqual(await hits(store, ["a_b"]), ["see a_b here"]);
      deepEqual(await hits(store, ["a-b"]), ["see a_b here"]);
      deepEqual(await hits(store, ["1.2.3"]), ["version 1.2.3"]);
      deepEqual(await hits(store, ["2.3", "version"]), ["version 1.2.3"]);
    },
  },
  {
    name: "short and common words are found like any other",
    run: async ({ store }) => {
      const id = await createSession(store);
      await say(store, id, ["to be or not to be", "a 7 b", "the about"]);
      deepEqual(await hits(store, ["be"]), ["to be or not to be"]);
      deepEqual(await hits(store, ["a"]), ["a 7 b"]);
      deepEqual(await hits(store, ["7"]), ["a 7 b"]);
      deepEqual(await hits(store, ["the"]), ["the about"]);
    },
  },
  {
    name: "whole words are found, not their parts, and an accent makes another word",
    run: async ({ store }) => {
      const id = await createSession(store);
      await say(store, id, ["deployment", "deploy", "cafe", "caf\u00e9"]);
      deepEqual(await hits(store, ["deploy"]), ["deploy"]);
      deepEqual(await hits(store, ["cafe"]), ["cafe"]);
      deepEqual(await hits(store, ["cafe\u0301"]), ["caf\u00e9"]);
    },
  },
  {
    name: "a part of a sentence is found in scripts without spaces",
    run: async ({ store }) => {
      const id = await createSession(store);
      await say(store, id, ["\u660e\u65e5\u306f\u6771\u4eac\u306b\u884c\u304f", "\u4eac\u306e\u6771"]);
      deepEqual(await hits(store, ["\u6771\u4eac"]), ["\u660e\u65e5\u306f\u6771\u4eac\u306b\u884c\u304f"]);
      equal((await hits(store, ["\u4eac"])).length, 2);
    },
  },
  {
    name: "hits come newest first, page by page, also where each has to be looked at",
    run: async ({ store }) => {
      const id = await createSession(store);
      const all = Array.from({ length: 130 }, (_value, index) => (index % 2 === 0 ? `${index} x_y` : `${index} y_x`));
      await say(store, id, all);
      const page = async (offset: number) =>
        (
          await store.searchMessages({ scope: { every: true }, words: ["x_y"], includeTools: false, limit: 20, offset })
        ).map((hit) => hit.message.body.content);
      deepEqual(
        [...(await page(0)), ...(await page(20)), ...(await page(40)), ...(await page(60))],
        all.filter((text) => text.endsWith("x_y")).toReversed(),
      );
    },
  },
  {
    name: "long words, and texts with thousands of different words, are found",
    run: async ({ store }) => {
      const id = await createSession(store);
      const long = "z".repeat(300);
      const many = Array.from({ length: 9000 }, (_value, index) => `w${index}`).join(" ");
      await say(store, id, [`a ${long} b`, many, "\u{1f600} \u2192"]);
      deepEqual(await hits(store, [long]), [`a ${long} b`]);
      deepEqual(await hits(store, ["w8999", "w0"]), [many]);
      deepEqual(await hits(store, ["\u{1f600}"]), []);
    },
  },
]);
