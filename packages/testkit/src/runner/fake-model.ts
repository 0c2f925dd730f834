export interface ModelToolCall {
  readonly id: string;
  readonly name: string;
  /** What the model wrote as arguments: JSON text, which a faulty model may break. */
  readonly argumentsText: string;
}

/** What the model says in one call. */
export interface ModelAnswer {
  readonly text: string;
  readonly toolCalls: readonly ModelToolCall[];
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
}

/** One step of a case's script: an answer, a failing provider, or a provider that never answers. */
export type ModelStep = Partial<ModelAnswer> | { readonly error: string } | { readonly hang: true };

/** Stands for the provider's model. The author's fake of the provider calls `answer` in each model call and gives back what it says. */
export interface FakeModel {
  /**
   * The script's next step. `input` is all that the provider was sent, as one text (its JSON will do). Rejects where the
   * script says that the provider fails, and once `signal` is aborted while the script says that it hangs.
   */
  answer(input: string, signal?: AbortSignal): Promise<ModelAnswer>;
  /** The inputs so far. */
  readonly inputs: readonly string[];
}

export type ModelScript = readonly ModelStep[] | ((input: string) => ModelStep);

const nothing: ModelAnswer = { text: "", toolCalls: [], usage: { inputTokens: 1, outputTokens: 1 } };

/** A model that follows the script; a call beyond its end fails. */
export function createFakeModel(script: ModelScript): FakeModel {
  const inputs: string[] = [];
  return {
    inputs,
    async answer(input, signal) {
      inputs.push(input);
      const step = typeof script === "function" ? script(input) : script[inputs.length - 1];
      if (!step) throw new Error(`the model was called ${inputs.length} times, the case expects fewer calls`);
      if ("error" in step) throw new Error(step.error);
      if ("hang" in step) return never(signal);
      return { ...nothing, ...step };
    },
  };
}

function never(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    const stop = () => reject(signal?.reason);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}

/** How often `part` stands in a text. */
export const count = (text: string, part: string): number => text.split(part).length - 1;
