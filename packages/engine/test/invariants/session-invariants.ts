import { firstParkedSeq, type SessionRecord } from "@trunkline/core";
import { isTerminal } from "../../src/outbox/delivery-states.ts";
import type { Invariant } from "./invariant.ts";
import { groupBy } from "./snapshot.ts";

const deepest = 5;
const isLiving = ({ deletedAt }: SessionRecord) => deletedAt === null;

/** A session's transcript, log, watches and place in the tree. */
export const sessionInvariants: readonly Invariant[] = [
  {
    number: 5,
    name: "a transcript has no gap, and every waiting row is counted and waits for a run that has not started",
    check: ({ session, message, run }) => {
      const rows = groupBy(message, ({ sessionRow }) => sessionRow);
      const started = new Map(run.filter(({ startedAt }) => startedAt !== null).map((row) => [row.id, row]));
      const inputs = new Map([...started.values()].flatMap(({ id, inputIds }) => inputIds.map((row) => [row, id])));
      return session.filter(isLiving).flatMap(({ id, lastSeq, pendingRows }) => {
        const own = rows.get(id) ?? [];
        const parked = own.filter(({ seq }) => seq >= firstParkedSeq);
        const placed = own.filter(({ seq }) => seq < firstParkedSeq).map(({ seq }) => seq);
        const late = parked.filter((row) => started.has(row.runId ?? "") || inputs.has(row.id));
        return [
          ...(placed.length === lastSeq && Math.max(0, ...placed) === lastSeq
            ? []
            : [`session ${id} has ${placed.length} rows up to ${Math.max(0, ...placed)}, last is ${lastSeq}`]),
          ...(parked.length === pendingRows ? [] : [`session ${id} parks ${parked.length}, counts ${pendingRows}`]),
          ...late.map((row) => `session ${id} parks row ${row.id} of a run that has started`),
        ];
      });
    },
  },
  {
    number: 22,
    name: "a state log has no gap above what was pruned",
    check: ({ session, stateEvent }) => {
      const events = groupBy(stateEvent, ({ sessionRow }) => sessionRow);
      return session.filter(isLiving).flatMap(({ id, stateVersion, eventsPrunedTo }) => {
        const versions = (events.get(id) ?? []).map(({ version }) => version).sort((a, b) => a - b);
        const expected = Array.from(
          { length: stateVersion - eventsPrunedTo },
          (_, index) => eventsPrunedTo + index + 1,
        );
        return versions.join() === expected.join() ? [] : [`session ${id}: ${versions.join()} of ${stateVersion}`];
      });
    },
  },
  {
    number: 23,
    name: "a watch's cursors are in order, and it is open when it has something to tell",
    check: ({ watch, session }) => {
      const byId = new Map(session.map((row) => [row.id, row]));
      const counts = groupBy(watch, ({ targetRow }) => targetRow);
      return [
        ...watch.flatMap(({ id, lastSeen, notified, material, isOpen, targetRow }) => {
          const head = byId.get(targetRow)?.stateVersion ?? 0;
          const ordered = lastSeen <= notified && notified <= material && material <= head;
          const open = (isOpen === 1) === notified > lastSeen;
          return ordered && open ? [] : [`watch ${id}: ${lastSeen} ${notified} ${material} ${head}, open ${isOpen}`];
        }),
        ...session
          .filter((row) => isLiving(row) && row.watchCount !== (counts.get(row.id)?.length ?? 0))
          .map(({ id, watchCount }) => `session ${id} counts ${watchCount}, has ${counts.get(id)?.length ?? 0}`),
      ];
    },
  },
  {
    number: 24,
    name: "the lineage of a session is its depth, and its root is the farthest ancestor",
    check: ({ session, lineage }) => {
      const above = groupBy(lineage, ({ descendantId }) => descendantId);
      return session.flatMap(({ id, rootId, parentId, spawnDepth }) => {
        const links = above.get(id) ?? [];
        const root = links.find(({ distance }) => distance === spawnDepth)?.ancestorId ?? id;
        const parent = links.find(({ distance }) => distance === 1)?.ancestorId ?? null;
        const right = links.length === spawnDepth && root === rootId && parent === parentId && spawnDepth <= deepest;
        return right ? [] : [`session ${id} at depth ${spawnDepth} has ${links.length} ancestors`];
      });
    },
  },
  {
    number: 25,
    name: "the list rank follows time and pin",
    check: ({ session }) =>
      session
        .filter(({ listRank, updatedAt, pinned }) => listRank !== -updatedAt - (pinned ? 1e15 : 0))
        .map(({ id, listRank }) => `session ${id} at ${listRank}`),
  },
  {
    number: 27,
    name: "an idempotency key has its run",
    check: ({ idempotency, run }) => {
      const known = new Set(run.map(({ id }) => id));
      return idempotency
        .filter(({ runId }) => runId !== null && !known.has(runId))
        .map(({ scopeHash, runId }) => `key ${scopeHash} of run ${runId}`);
    },
  },
  {
    number: 29,
    name: "a child is put away only when its own children and deliveries have ended",
    check: ({ session, spawn, delivery }) => {
      const away = new Map(session.filter(({ archived }) => archived !== 0).map((row) => [row.id, row]));
      return spawn
        .filter(({ childRow, cleanedAt }) => cleanedAt !== null && away.has(childRow))
        .flatMap(({ childRow }) => [
          ...spawn
            .filter(({ requesterRow, state }) => requesterRow === childRow && state !== "settled")
            .map(({ id }) => `session ${childRow} with spawn ${id}`),
          ...delivery
            .filter(({ sessionRow, state }) => sessionRow === childRow && !isTerminal(state))
            .map(({ id }) => `session ${childRow} with delivery ${id}`),
        ]);
    },
  },
  {
    number: 30,
    name: "the usage of a run is recorded as reported",
    check: ({ run, usage }) => {
      const entries = groupBy(usage, ({ runId }) => runId);
      return run.flatMap(({ id, usage: reported }) => {
        const own = entries.get(id) ?? [];
        if (reported === null) return own.length === 0 ? [] : [`run ${id} reported nothing`];
        const input = own.reduce((sum, { inputTokens }) => sum + inputTokens, 0);
        const output = own.reduce((sum, { outputTokens }) => sum + outputTokens, 0);
        const right =
          own.length === 1 && input === (reported.inputTokens ?? 0) && output === (reported.outputTokens ?? 0);
        return right ? [] : [`run ${id}: ${input} in, ${output} out`];
      });
    },
  },
  {
    number: 36,
    name: "what is left of a deleted session is being removed",
    check: ({ session, job, message }) => {
      const purged = new Set(job.filter(({ kind }) => kind === "purge_session").map(({ ref }) => ref));
      const filled = new Set(message.map(({ sessionRow }) => sessionRow));
      return session
        .filter((row) => !isLiving(row) && filled.has(row.id) && !purged.has(row.id))
        .map(({ id }) => `session ${id}`);
    },
  },
];
