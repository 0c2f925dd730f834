/** What one session's lane, queue and transcript must look like, in the plainest form. */
export interface SessionModel {
  readonly sequence: string[];
  readonly parked: { readonly text: string; readonly arrival: number }[];
  /** In the order of their numbers. */
  readonly queued: { readonly id: string; readonly through: number }[];
  active: { readonly id: string; readonly through: number; started: boolean } | undefined;
  firstSeq: number;
  arrivals: number;
  runs: number;
}

export const createSessionModel = (): SessionModel => ({
  sequence: [],
  parked: [],
  queued: [],
  active: undefined,
  firstSeq: 1,
  arrivals: 0,
  runs: 0,
});

/** Rows from outside join the sequence only while nobody runs and nothing waits. */
export function modelSay(model: SessionModel, texts: readonly string[]): void {
  const free = !model.active && model.queued.length === 0 && model.parked.length === 0;
  for (const text of texts) {
    if (free) model.sequence.push(text);
    else model.parked.push({ text, arrival: ++model.arrivals });
  }
}

export function modelQueue(model: SessionModel, id: string): void {
  model.runs++;
  model.queued.push({ id, through: model.parked.length > 0 ? model.arrivals : 0 });
}

/** Moves what waited, up to an arrival, behind the sequence. */
export function modelUnpark(model: SessionModel, through: number): void {
  while (model.parked[0] && model.parked[0].arrival <= through) model.sequence.push(model.parked.shift()?.text ?? "");
}
