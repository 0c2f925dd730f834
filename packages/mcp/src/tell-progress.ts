import type { ServerContext } from "@modelcontextprotocol/server";
import type { McpServerSettings } from "./server-settings.ts";

const defaultIntervalMs = 5_000;

/**
 * Tells a client that asked for progress, again and again until disposed, that its call still waits, so that it does not give
 * up before the wait's own end. `progress` counts seconds; nobody knows the total.
 */
export function tellProgress({ mcpReq }: ServerContext, { progressIntervalMs }: McpServerSettings): Disposable {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return { [Symbol.dispose]: () => undefined };
  const startedAt = performance.now();
  const timer = setInterval(() => {
    if (mcpReq.signal.aborted) return clearInterval(timer);
    const progress = Math.round(performance.now() - startedAt) / 1000;
    const params = { progressToken, progress, message: `waiting for ${Math.round(progress)} s` };
    // Who cannot be told is gone; the call itself goes on.
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => clearInterval(timer));
  }, progressIntervalMs ?? defaultIntervalMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
