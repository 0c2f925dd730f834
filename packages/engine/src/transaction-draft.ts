import type {
  AppendGroup,
  CounterWrite,
  NewRun,
  NewSession,
  NewStateEvent,
  RecordWrite,
  RunReference,
  SessionCounter,
  SessionGuard,
  SessionPatch,
  SessionWrite,
  StoreTransaction,
  WakeHint,
} from "@trunkline/core";
import type { TrunklineEvent } from "./events/trunkline-event.ts";

/** Collects one transaction step by step; several needs on one session become its single write. */
export interface TransactionDraft {
  session(id: string): SessionDraft;
  record(write: RecordWrite): void;
  counter(write: CounterWrite): void;
  hint(hint: WakeHint): void;
  /** Told to listeners after the commit. */
  event(event: TrunklineEvent): void;
  readonly events: readonly TrunklineEvent[];
  build(at: number): StoreTransaction;
}

export interface SessionDraft {
  create(session: NewSession): SessionDraft;
  when(guard: SessionGuard): SessionDraft;
  set(patch: SessionPatch): SessionDraft;
  add(counters: Partial<Record<SessionCounter, number>>): SessionDraft;
  copy(from: { readonly fromSession: string; readonly throughSeq: number }): SessionDraft;
  take(run: RunReference): SessionDraft;
  free(run: RunReference): SessionDraft;
  unpark(which: { readonly through: number } | { readonly ids: readonly string[] }): SessionDraft;
  append(group: AppendGroup): SessionDraft;
  enqueue(run: NewRun): SessionDraft;
  log(event: NewStateEvent): SessionDraft;
  touchFamily(): SessionDraft;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export function createDraft(): TransactionDraft {
  const sessions = new Map<string, { readonly draft: SessionDraft; readonly write: Mutable<SessionWrite> }>();
  const records: RecordWrite[] = [];
  const counters: CounterWrite[] = [];
  const hints: WakeHint[] = [];
  const events: TrunklineEvent[] = [];
  return {
    events,
    session(id) {
      const known = sessions.get(id);
      if (known) return known.draft;
      const write: Mutable<SessionWrite> = { id };
      const draft = draftSession(write);
      sessions.set(id, { draft, write });
      return draft;
    },
    record: (write) => void records.push(write),
    counter: (write) => void counters.push(write),
    hint: (hint) => void hints.push(hint),
    event: (event) => void events.push(event),
    build: (at) => ({ at, sessions: [...sessions.values()].map(({ write }) => write), records, counters, hints }),
  };
}

function draftSession(write: Mutable<SessionWrite>): SessionDraft {
  const draft: SessionDraft = {
    create: (session) => assign({ create: session }),
    when: (guard) => assign({ when: { ...write.when, ...guard } }),
    set: (patch) => assign({ set: { ...write.set, ...patch } }),
    add(counters) {
      const sum = { ...write.add };
      for (const [name, by] of entries(counters)) sum[name] = (sum[name] ?? 0) + by;
      return assign({ add: sum });
    },
    copy: (from) => assign({ copy: from }),
    take: (run) => assign({ lane: { take: run } }),
    free: (run) => assign({ lane: { free: run } }),
    unpark: (which) => assign({ unpark: which }),
    append: (group) => (group.messages.length === 0 ? draft : assign({ append: [...(write.append ?? []), group] })),
    enqueue: (run) => assign({ enqueue: [...(write.enqueue ?? []), run] }),
    log: (event) => assign({ events: [...(write.events ?? []), event] }),
    touchFamily: () => assign({ touchFamily: true }),
  };
  function assign(part: Partial<SessionWrite>): SessionDraft {
    Object.assign(write, part);
    return draft;
  }
  return draft;
}

function entries(counters: Partial<Record<SessionCounter, number>>): [SessionCounter, number][] {
  const names: readonly SessionCounter[] = [
    "queuedRuns",
    "openYields",
    "watchCount",
    "inputTokens",
    "outputTokens",
    "totalTokens",
  ];
  return names.flatMap((name) => {
    const by = counters[name];
    return by === undefined ? [] : [[name, by]];
  });
}
