/** The engine's only source of time and timers; inject a fake one to test without sleeping. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back once after `delayMs`; the returned function cancels. */
  setTimer(delayMs: number, callback: () => void): () => void;
}

/** Structured log sink; `pino` fits as it is. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
