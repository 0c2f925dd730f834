/** What every server of an endpoint shares. */
export interface McpServerSettings {
  /** In milliseconds; `undefined` takes the default of 5000. */
  readonly progressIntervalMs: number | undefined;
  onError(error: unknown): void;
}
