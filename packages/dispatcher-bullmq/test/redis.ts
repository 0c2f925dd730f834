import { connect } from "node:net";

export const url = process.env["REDIS_URL"] ?? "redis://127.0.0.1:6379";

/** Whether Redis answers. Where it does not, nothing is run, which is an error under CI and told elsewhere. */
export async function redisAnswers(): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const up = await new Promise<boolean>((resolve) => {
    const socket = connect(Number(port || 6379), hostname);
    socket
      .once("error", () => resolve(false))
      .once("connect", () => {
        socket.end();
        resolve(true);
      });
  });
  const message = `NOT RUN: no Redis at ${hostname}:${port || 6379}. Start one there, or name another in REDIS_URL.`;
  if (!up && process.env["CI"] === "true") throw new Error(message);
  if (!up) console.error(message);
  return up;
}
