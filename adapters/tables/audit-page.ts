/** Reads one filtered page of the audit log: a tenant's entries day by day, newest first. */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { UnreadableEntry } from '#core/evidence/entry-text.ts';
import type { AuditFilter } from '#core/evidence/ports.ts';
import { dayMs } from '#core/kernel/durations.ts';
import type { Page } from '#core/kernel/page.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { entryOfRow } from './entry-rows.ts';
import { cursorAt, placeAt } from './in-order.ts';
import { partitionsOf, shards } from './shards.ts';
import type { Row } from './store.ts';
import { timeKey } from './time-index.ts';

interface Range {
  readonly from: string;
  readonly to: string;
  readonly after: string | undefined;
}

interface Reader {
  /** Returns entry keys, newest first, starting strictly after `after` (an `at` value). */
  keys(partitions: readonly string[], range: Range): AsyncIterable<Row>;
  /** Returns the rows with these keys, in order. Leaves out missing rows. */
  rows(keys: readonly Row[]): Promise<readonly Row[]>;
}

/** The last moment whose ISO text sorts chronologically. */
const lastMs = Date.parse('9999-12-31T23:59:59.999Z');
/**
 * Limits for one call, after which it returns a cursor: a week plus the days at its edges, and this number of entries.
 */
const daysPerCall = 9;
const entriesPerCall = 10_000;

export async function auditPage(filter: AuditFilter, reader: Reader): Promise<Page<EvidenceEntry>> {
  const found: EvidenceEntry[] = [];
  let after = placeAt(filter.cursor);
  const [from, to] = [Math.max(filter.from, 0), Math.min(filter.to, lastMs)];
  let day = dayOf(after === undefined ? to : Date.parse(after.slice(0, 24)));
  const earliest = dayOf(from);
  const range = { from: isoTime(from), to: `${isoTime(to)}~` };
  let looked = 0;

  for (let days = 0; day >= earliest && days < daysPerCall; day -= dayMs, days++) {
    const partitions = partitionsOf(`${filter.tenant}#${isoDay(day)}`, shards.time);
    for await (const keys of inGroups(reader.keys(partitions, { ...range, after }), filter.limit)) {
      for (const row of await reader.rows(keys)) {
        const entry = entryOf(row, filter);
        if (!entry || !matchesFilter(entry, filter)) continue;
        found.push(entry);
        if (found.length === filter.limit) return { items: found, cursor: cursorAt(timeKey(entry)) };
      }
      looked += keys.length;
      after = (keys.at(-1)?.at as string | undefined) ?? after;
      if (looked >= entriesPerCall && after !== undefined) return { items: found, cursor: cursorAt(after) };
    }
    after = undefined;
  }
  const rest = day >= earliest ? cursorAt(`${isoDay(day)}T23:59:59.999Z#~`) : undefined;
  return { items: found, ...(rest && { cursor: rest }) };
}

/**
 * Returns a row's entry, or undefined if the row is unreadable, in which case it is passed to the filter's callback.
 */
function entryOf(row: Row, { tenant, session, unreadable }: AuditFilter): EvidenceEntry | undefined {
  const entry = entryOfRow(row, tenant);
  if (!(entry instanceof UnreadableEntry)) return entry;
  if (session === undefined || session === entry.session_id) unreadable(entry);
  return undefined;
}

async function* inGroups(keys: AsyncIterable<Row>, size: number): AsyncGenerator<Row[], void, undefined> {
  let group: Row[] = [];
  for await (const key of keys) {
    group.push(key);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

const dayOf = (epochMs: number) => epochMs - (epochMs % dayMs);
const isoDay = (epochMs: number) => new Date(epochMs).toISOString().slice(0, 10);

function matchesFilter(entry: EvidenceEntry, filter: AuditFilter): boolean {
  const at = Date.parse(entry.timestamp);
  const { actor, kind, session, tool, decision } = filter;
  return (
    at >= filter.from &&
    at <= filter.to &&
    (actor === undefined || [entry.actor.agent, entry.actor.person, entry.actor.key_id].includes(actor)) &&
    (kind === undefined || entry.kind === kind) &&
    (session === undefined || entry.session_id === session) &&
    (tool === undefined || toolOf(entry) === tool) &&
    (decision === undefined || decisionOf(entry) === decision)
  );
}

/**
 * Returns the tool. Chat entries, whose kind is `chat`, have an operation instead, and their decision is inside the
 * body.
 */
const toolOf = ({ kind, body }: EvidenceEntry) => (kind === 'chat' ? body.operation : body.tool);
const decisionOf = ({ kind, body }: EvidenceEntry) => (kind === 'chat' ? body.decision : kind);
