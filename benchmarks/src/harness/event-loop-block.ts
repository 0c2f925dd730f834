/** The longest time in milliseconds for which the event loop stood still while some work was going. */
export async function eventLoopBlock(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  let going = true;
  const look = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (going) setImmediate(look);
  };
  await new Promise(setImmediate);
  last = performance.now();
  setImmediate(look);
  await work();
  await new Promise(setImmediate);
  going = false;
  return longest;
}
