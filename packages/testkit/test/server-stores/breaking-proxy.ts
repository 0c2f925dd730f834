import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A proxy in front of a server that counts round trips and breaks connections where it is told to. */
export interface Proxy {
  readonly url: string;
  /** How often a client asked anew after an answer. */
  roundTrips(): number;
  /** The next request, or one so many later, is carried out, and its connection breaks before the answer. */
  loseNextAnswer(which?: { readonly after: number }): void;
  /** The connection breaks before the next request gets through. */
  loseNextRequest(): void;
}

const answeredAfterMs = 300;

export async function startProxy(serverUrl: string, defaultPort: number): Promise<Proxy> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let roundTrips = 0;
  let passing = 0;
  let next: "pass" | "lose answer" | "lose request" = "pass";

  const server = createServer((client) => {
    const upstream = connect(Number(target.port || defaultPort), target.hostname);
    let answered = true;
    let isLost = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
    }
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
    client.on("data", (chunk) => {
      if (answered) roundTrips += 1;
      answered = false;
      const passes = passing > 0;
      const mode = passes ? "pass" : next;
      if (passes) passing -= 1;
      else next = "pass";
      if (mode === "lose request") {
        client.destroy();
        return;
      }
      if (mode === "lose answer") {
        isLost = true;
        setTimeout(() => client.destroy(), answeredAfterMs);
      }
      upstream.write(chunk);
    });
    upstream.on("data", (chunk) => {
      answered = true;
      if (!isLost) client.write(chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  const url = new URL(serverUrl);
  url.hostname = "127.0.0.1";
  url.port = String(address.port);
  return {
    url: url.href,
    roundTrips: () => roundTrips,
    loseNextAnswer({ after } = { after: 0 }) {
      passing = after;
      next = "lose answer";
    },
    loseNextRequest() {
      next = "lose request";
    },
  };
}
