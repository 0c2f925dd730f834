/** What PgBouncer says with the state of a protocol violation, and the state with which a server refuses the same. */
const refusals: readonly (readonly [saying: RegExp, state: string])[] = [
  [/unsupported startup parameter/, "42704"],
  [/no such database|database ".*" does not exist/, "3D000"],
  [/no such user|authentication failed/, "28P01"],
  [/no more connections allowed/, "53300"],
  // The statement waited for a connection to the server, and was never sent there.
  [/^query_wait_timeout/, "57014"],
];

/** The state that a server would have given, for the message of a protocol violation. */
export function poolerState(message: string): string | undefined {
  return refusals.find(([saying]) => saying.test(message))?.[1];
}
