import fc from "fast-check";
import { expect, test } from "vitest";
import { matchRoute } from "../src/platform/match-route.ts";

test("a path made from a route's pattern gives its parameters back, whatever they hold", () => {
  const values = fc.string({ minLength: 1 }).filter((value) => value.isWellFormed());
  fc.assert(
    fc.property(values, values, (token, chat) => {
      const path = `/bot${encodeURIComponent(token)}/chats/${encodeURIComponent(chat)}/send`;
      const { match } = matchRoute("POST /bot:token/chats/:chat/send");
      expect(match("POST", path)).toEqual({ token, chat });
      expect(match("GET", path)).toBeUndefined();
      expect(match("POST", `${path}/more`)).toBeUndefined();
    }),
  );
});

test("the signs of regular expressions are letters in a route, a star at the end is any rest", () => {
  expect(matchRoute("GET /a.b(c)+").match("GET", "/a.b(c)+")).toEqual({});
  expect(matchRoute("GET /a.b").match("GET", "/aXb")).toBeUndefined();
  expect(matchRoute("GET /files/*").match("GET", "/files/a/b")).toEqual({});
});
