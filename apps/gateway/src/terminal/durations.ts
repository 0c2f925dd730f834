/** `14 ms` below a second, `4.1 s` below a minute, `2 min` above. */
export function formatDuration(durationMs: number): string {
  if (durationMs < 1_000) return `${Math.max(0, Math.round(durationMs))} ms`;
  if (durationMs < 60_000) return `${(durationMs / 1_000).toFixed(1)} s`;
  return `${Math.round(durationMs / 60_000)} min`;
}

/** Seconds with three decimals, as the timeline counts: `0.052`. */
export function formatClock(atMs: number): string {
  return (Math.max(0, atMs) / 1_000).toFixed(3);
}

/** How long ago, in one unit: `12 s`, `3 min`, `5 h`, `9 d`. */
export function formatAge(ageMs: number): string {
  const seconds = Math.max(0, Math.floor(ageMs / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}
