import { expect, test } from "vitest";
import { createFakePlatformServer } from "../src/index.ts";

test("a route answers its method and path, with parameters, query and JSON decoded", async () => {
  await using server = await createFakePlatformServer({
    routes: {
      "POST /bot:token/sendMessage": ({ params, query, json }) => ({ status: 201, json: { params, query, json } }),
    },
  });
  const response = await fetch(`${server.url}/bot1%3A2/sendMessage?silent=1`, { method: "POST", body: '{"text":"é"}' });
  expect(response.status).toBe(201);
  expect(await response.json()).toEqual({ params: { token: "1:2" }, query: { silent: "1" }, json: { text: "é" } });
});

test("requests are kept in order, those without a route are answered 404", async () => {
  await using server = await createFakePlatformServer({ routes: { "GET /ok": { text: "fine" } } });
  expect(await (await fetch(`${server.url}/ok`)).text()).toBe("fine");
  expect((await fetch(`${server.url}/ok`, { method: "POST", body: "a=1" })).status).toBe(404);
  expect((await fetch(`${server.url}/okay`)).status).toBe(404);
  expect(server.requests.map(({ method, path, body }) => [method, path, body])).toEqual([
    ["GET", "/ok", ""],
    ["POST", "/ok", "a=1"],
    ["GET", "/okay", ""],
  ]);
});

test("a dropped request was read and has no answer", async () => {
  await using server = await createFakePlatformServer({ routes: { "POST /send": { drop: true } } });
  await expect(fetch(`${server.url}/send`, { method: "POST", body: "x" })).rejects.toThrow();
  expect(server.requests.map(({ body }) => body)).toEqual(["x"]);
});

test("a hanging route answers nothing, and knows when its client has left", async () => {
  await using server = await createFakePlatformServer({ routes: { "GET /slow": { hang: true } } });
  const controller = new AbortController();
  const answer = fetch(`${server.url}/slow`, { signal: controller.signal });
  await expect.poll(() => server.requests.length).toBe(1);
  expect(server.requests[0]?.left).toBe(false);
  controller.abort();
  await expect(answer).rejects.toThrow();
  await expect.poll(() => server.requests[0]?.left).toBe(true);
});

test("one answer for everything holds until it is taken back", async () => {
  await using server = await createFakePlatformServer({ routes: { "GET /a": { text: "a" } } });
  server.answer({ status: 503, headers: { "retry-after": "3" } });
  const refused = await fetch(`${server.url}/a`);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "3"]);
  server.answer();
  expect(await (await fetch(`${server.url}/a`)).text()).toBe("a");
});

test("a route that throws is a 500 that says so", async () => {
  await using server = await createFakePlatformServer({
    routes: {
      "GET /a": () => {
        throw new Error("bad route");
      },
    },
  });
  const response = await fetch(`${server.url}/a`);
  expect([response.status, await response.text()]).toEqual([500, "the fake platform's route failed: bad route"]);
});

test("a route that is no method and path is refused at once", async () => {
  await expect(createFakePlatformServer({ routes: { send: {} } })).rejects.toThrow('"POST /send"');
});
