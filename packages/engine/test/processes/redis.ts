import { connect } from "node:net";
import { test } from "vitest";

export const redisUrl = process.env["REDIS_URL"] ?? "redis://127.0.0.1:6379";

function answers(): Promise<boolean> {
  const { hostname, port } = new URL(redisUrl);
  return new Promise((resolve) => {
    const socket = connect(Number(port || 6379), hostname);
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.end());
  });
}

const isUp = await answers();
if (!isUp) {
  const message = `NOT RUN: no Redis at ${new URL(redisUrl).host}. Start one there, or name another in REDIS_URL.`;
  if (process.env["CI"] === "true") throw new Error(message);
  console.error(message);
}

/** A test that needs Redis; left out where there is none, which is an error under CI. */
export const withRedis = test.runIf(isUp);
