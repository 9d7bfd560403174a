/**
 * Projections: sums over the evidence stream, with each entry counted once. Access patterns: a tenant's counters by
 * hour, its dimensions by minute (a range of one series); violations and requests, newest first (one series); check
 * whether an entry was counted (put of a mark if absent). A batch is applied in this order: its rows, a transaction
 * with the marks and the batch's record, one plain update per sum, and then the record is emptied. No two batches share
 * a row in the transaction, so parallel consumers do not delay each other. A batch that stopped midway is finished by
 * the first run that finds one of its marks.
 */

import { randomBytes } from 'node:crypto';
import { dayMs } from '#core/kernel/durations.ts';
import type { Page } from '#core/kernel/page.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { sideBySide } from '#core/kernel/side-by-side.ts';
import type { Score } from '#core/observatory/evaluation/score.ts';
import type { Observations } from '#core/observatory/ports.ts';
import { fitsRequest } from '#core/observatory/request-filter.ts';
import type { RequestRow } from '#core/observatory/request-row.ts';
import { hoursOf, UsageSums } from '#core/observatory/usage.ts';
import { fromCursor, toCursor } from './cursors.ts';
import { dimensionNames } from './dimension-names.ts';

import {
  type BatchId,
  batchDone,
  batchKey,
  claimPuts,
  countersOf,
  type Group,
  groupOf,
  groupsOf,
  requestsOf,
  rowsOfAll,
  scoresOf,
  sumsOfBatch,
  sumUpdate,
  toCounted,
  toRequestRow,
  toScore,
  toViolation,
  violationsOf,
} from './observation-items.ts';
import { replacedMinute, withHours, withMinutes } from './observation-minutes.ts';
import type { Sum } from './observation-sums.ts';
import { type Key, queryPages, type Row, StoreFault, type StoreOptions } from './store.ts';
import { type Range, timedSums } from './timed-sums.ts';

interface ObservationsOptions extends StoreOptions {
  readonly pause?: (ms: number) => Promise<void>;
}

/** A writer that numbers its batches. Sums record each writer's last batch. */
interface Writer {
  readonly name: string;
  number: number;
  /** A batch that was started and may not have finished. */
  unfinished: BatchId | undefined;
}

const maxTries = 6;
const minuteConcurrency = 25;
/** Maximum number of reads for a filtered page, after which the matches so far and a cursor are returned. */
const readsPerPage = 10;
const rowsPerRead = 500;

export function observationsTable({ pause = sleep, store }: ObservationsOptions): Observations {
  const names = dimensionNames(store);
  const writers: Writer[] = [];

  /** Adds the sums and then marks the batch as done. Repeating this adds nothing. */
  async function addSums(batch: BatchId, sums: readonly Sum[]): Promise<void> {
    for (const step of withHours(sums))
      await Promise.all(
        step.map((sum) => {
          const { change, if: isNew } = sumUpdate(batch, sum);
          return store.update('observations', { series: sum.series, at: sum.at }, change, { if: isNew });
        }),
      );
    await store.update('observations', batchKey(batch), batchDone.change, { if: batchDone.if });
  }

  /** Finishes a batch that any consumer started. A finished batch is left unchanged. */
  async function finish(batch: BatchId): Promise<void> {
    const sums = sumsOfBatch(await store.get('observations', batchKey(batch)));
    if (sums.length > 0) await addSums(batch, sums);
  }

  /**
   * Marks the entries as counted by this batch. @returns its sums, and the batches that had already claimed the other
   * entries.
   */
  async function claim(batch: BatchId, group: Group) {
    const others = new Map<string, BatchId>();
    let left = group;
    for (let attempt = 1; left.projections.length > 0; attempt++) {
      const outcome = await store.transact(claimPuts(batch, left, store.clustered));
      if (outcome === 'written') return { sums: left.sums, others };
      const { reasons } = outcome;
      const known = (n: number) => reasons[n]?.code === 'condition';
      for (const [n, { row: mark }] of reasons.entries()) {
        if (!known(n) || mark === undefined) continue;
        const { writer, number } = mark as Row & BatchId;
        others.set(`${writer}#${number}`, { writer, number });
      }
      const fresh = left.projections.filter((_, n) => !known(n));
      if (fresh.length < left.projections.length) attempt = 0;
      // If the same entries arrive twice at the same moment, one of the two batches is first.
      else if (attempt === maxTries || !reasons.some(({ code }) => code === 'busy'))
        throw new StoreFault(new Error("The batch's marks could not be stored."));
      else await pause(Math.random() * 10 * 2 ** attempt);
      left = groupOf(fresh);
    }
    return { sums: [], others };
  }

  async function applyGroup(writer: Writer, group: Group): Promise<void> {
    // The writer's unfinished batch comes first, because its next number means that all earlier ones are done.
    if (writer.unfinished) await finish(writer.unfinished);
    const rows = rowsOfAll(group.projections);
    if (rows.length > 0) await store.putMany('observations', rows);
    const batch = { writer: writer.name, number: ++writer.number };
    writer.unfinished = batch;
    const { sums, others } = await claim(batch, group);
    for (const other of others.values()) await finish(other);
    if (sums.length > 0) await addSums(batch, sums);
    writer.unfinished = undefined;
  }

  const range: Range = (series, first, last, consistent = false) =>
    // `~` sorts after every key of the last hour or minute.
    queryPages(store, 'observations', {
      partition: series,
      range: { from: first, to: `${last}~` },
      stale: !consistent,
    });

  /** Reads a series' rows, newest first, starting at the cursor. */
  const newest = (series: string, limit: number, start: Key | undefined, since?: string, until?: string) =>
    store.query('observations', {
      partition: series,
      ...(since && { range: { from: since, ...(until && { to: `${until}~` }) } }),
      order: 'descending',
      limit,
      // A cursor only sets the position; the caller never chooses the series.
      after: start && { ...start, series },
      stale: true,
    });

  /** Adds the evaluators' scores to rows. */
  async function scored(tenant: string, found: readonly { readonly place: string; readonly row: RequestRow }[]) {
    const [newestRow, oldestRow] = [found[0], found.at(-1)];
    if (!newestRow || !oldestRow) return [];
    const scores = new Map<string, Score>();
    for await (const row of range(scoresOf(tenant), oldestRow.place, newestRow.place))
      scores.set(String(row.at), toScore(row));
    return found.map(({ place, row }) => {
      const evaluation = scores.get(place);
      return evaluation ? { ...row, evaluation } : row;
    });
  }

  return {
    async apply(projections) {
      const each = [...new Map(projections.map((projection) => [projection.hash, projection])).values()];
      // A writer has one batch at a time, so parallel calls use different writers.
      const writer = writers.pop() ?? { name: randomBytes(5).toString('hex'), number: 0, unfinished: undefined };
      try {
        const counted = await withMinutes(each, names.counted);
        for (const group of groupsOf(counted)) await applyGroup(writer, group);
      } finally {
        writers.push(writer);
      }
    },

    async usage(tenant, query) {
      const { first, last } = hoursOf(query);
      const sums = new UsageSums();
      for await (const row of range(countersOf(tenant), first, last)) sums.add(toCounted(row));
      return sums.of(tenant, query);
    },

    async violations(tenant, { limit, cursor }) {
      const { rows, next } = await newest(violationsOf(tenant), limit, fromCursor(cursor, ['series', 'at']));
      return page(rows.map(toViolation), next);
    },

    async requests(tenant, { since, until, limit, cursor, ...filter }) {
      const series = requestsOf(tenant);
      const filtered = Object.values(filter).some((asked) => asked !== undefined);
      const found: { readonly place: string; readonly row: RequestRow }[] = [];
      let start = fromCursor(cursor, ['series', 'at']);
      for (let reads = 0; reads < readsPerPage && found.length < limit; reads++) {
        const { rows, next } = await newest(series, filtered ? rowsPerRead : limit, start, since, until);
        for (const stored of rows) {
          const row = toRequestRow(stored);
          if (!fitsRequest(row, filter)) continue;
          found.push({ place: String(stored.at), row });
          if (found.length === limit && stored !== rows.at(-1))
            return page(await scored(tenant, found), sumKey(stored));
        }
        if (next === undefined) return page(await scored(tenant, found), undefined);
        start = next;
      }
      return page(await scored(tenant, found), start);
    },

    ...timedSums(range),

    async replaceMinutes(dimension, minutes) {
      await sideBySide(minutes, minuteConcurrency, (minute) =>
        store.put('observations', replacedMinute(dimension, minute)),
      );
    },

    dimensions: (scope, { from, to }) => names.listed(scope, daysBetween(from, to)),
  };
}

/** Returns each UTC day from one ISO time to another, both included, as far back as minutes are stored. */
function daysBetween(from: string, to: string): string[] {
  const start = Math.floor(Math.max(Date.parse(from), Date.parse(to) - 3 * dayMs) / dayMs) * dayMs;
  const count = Math.max(0, Math.floor((Date.parse(to) - start) / dayMs) + 1);
  return Array.from({ length: count }, (_, n) => isoTime(start + n * dayMs).slice(0, 10));
}

function page<T>(items: readonly T[], next: Key | undefined): Page<T> {
  const cursor = toCursor(next);
  return { items, ...(cursor && { cursor }) };
}

const sumKey = ({ series, at }: Row): Key => ({ series: String(series), at: String(at) });

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
