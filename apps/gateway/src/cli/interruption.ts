import process from "node:process";

/** Tells of the first Ctrl-C or SIGTERM; a second one ends the process at once with 130. */
export interface Interruption extends Disposable {
  readonly signal: AbortSignal;
  /** Resolves at the first one. */
  readonly happened: Promise<NodeJS.Signals>;
}

/** Listens for Ctrl-C and SIGTERM until disposed. */
export function listenForInterruption(): Interruption {
  const controller = new AbortController();
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  const onSignal = (name: NodeJS.Signals) => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort();
    resolve(name);
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  return {
    signal: controller.signal,
    happened: promise,
    [Symbol.dispose]() {
      process.off("SIGINT", onSignal);
      process.off("SIGTERM", onSignal);
    },
  };
}
