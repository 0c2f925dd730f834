/** Waits for a run to end either way; rejects where it does not within `limitMs`. */
export async function settled<T>(
  work: Promise<T>,
  limitMs = 5000,
): Promise<
  { readonly value: T; readonly error?: undefined } | { readonly value?: undefined; readonly error: unknown }
> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`the run did not end within ${limitMs} ms`)), limitMs);
  });
  try {
    const outcome = work.then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    return await Promise.race([outcome, late]);
  } finally {
    clearTimeout(timer);
  }
}
