/** One page of the audit log: merges the shards of each hour, newest first, and filters (contract §4). */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { AuditFilter, Page } from '#core/evidence/ports.ts';
import { invalidRequest } from '#core/kernel/errors.ts';

/** Audit partitions of one tenant and hour, so that no single partition takes every write. */
export const auditShards = 4;

export const hourKey = (tenant: string, isoHour: string, shard: number) => `${tenant}#${isoHour}#${shard}`;

interface EntryKey {
  readonly chain: string;
  readonly position: string;
  readonly at: string;
}

interface Reader {
  /** Newest first, strictly before `before` (an `at` value). */
  keysOfPartition(hour: string, before: string | undefined, limit: number): Promise<readonly EntryKey[]>;
  entriesByKey(keys: readonly EntryKey[]): Promise<readonly EvidenceEntry[]>;
}

const hourMs = 3_600_000;
/** How many hours one call looks through before it answers with a cursor: a bounded piece of work, a week and its edges. */
const hoursPerCall = 24 * 7 + 2;

export async function auditPage(filter: AuditFilter, reader: Reader): Promise<Page<EvidenceEntry>> {
  const found: EvidenceEntry[] = [];
  let before = filter.cursor === undefined ? undefined : decodeCursor(filter.cursor);
  let hour = hourOf(before === undefined ? filter.to : Date.parse(before.slice(0, 24)));
  const earliest = hourOf(filter.from);

  for (let looked = 0; hour >= earliest && looked < hoursPerCall; hour -= hourMs, looked++, before = undefined) {
    for (;;) {
      const keys = await newestOfHour(hour, before);
      const entries = await reader.entriesByKey(keys);
      const byPlace = new Map(entries.map((entry) => [`${entry.timestamp}#${entry.session_id}#${entry.index}`, entry]));
      for (const key of keys) {
        before = key.at;
        const [time = '', session = '', index = ''] = key.at.split('#');
        const entry = byPlace.get(`${time}#${session}#${Number(index)}`);
        if (entry && matches(entry, filter)) found.push(entry);
        if (found.length === filter.limit) return { items: found, cursor: encodeCursor(key.at) };
      }
      if (keys.length < filter.limit) break;
    }
  }
  const rest = hour >= earliest ? encodeCursor(`${new Date(hour + hourMs - 1).toISOString()}#~`) : undefined;
  return { items: found, ...(rest && { cursor: rest }) };

  async function newestOfHour(at: number, from: string | undefined): Promise<readonly EntryKey[]> {
    const isoHour = new Date(at).toISOString().slice(0, 13);
    const shards = await Promise.all(
      Array.from({ length: auditShards }, (_, shard) =>
        reader.keysOfPartition(hourKey(filter.tenant, isoHour, shard), from, filter.limit),
      ),
    );
    return shards
      .flat()
      .sort((a, b) => (a.at < b.at ? 1 : -1))
      .slice(0, filter.limit);
  }
}

const hourOf = (epochMs: number) => epochMs - (epochMs % hourMs);

function matches(entry: EvidenceEntry, filter: AuditFilter): boolean {
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

/** Chat calls have an operation where actions have a tool, and carry their decision inside: their kind is `chat`. */
const toolOf = ({ kind, body }: EvidenceEntry) => (kind === 'chat' ? body.operation : body.tool);
const decisionOf = ({ kind, body }: EvidenceEntry) => (kind === 'chat' ? body.decision : kind);

const encodeCursor = (at: string) => Buffer.from(at).toString('base64url');

function decodeCursor(cursor: string): string {
  const at = Buffer.from(cursor, 'base64url').toString('utf8');
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z#/.test(at))
    throw invalidRequest('cursor was not made by this service; pass the cursor of the previous page unchanged.');
  return at;
}
