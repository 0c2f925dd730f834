/** Where a text leaves to; the one type for it, end to end. */
export interface Route {
  readonly channel: string;
  readonly to: string;
  readonly accountId?: string;
  readonly threadId?: string;
}
