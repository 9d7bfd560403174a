/**
 * Rebuilds projections from the log after a stream is lost or a table is emptied. Does not count entries twice. Works
 * in bounded pieces, each short enough for one call.
 */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { type RowPlace, rowPlace, UnreadableEntry } from '#core/evidence/entry-text.ts';
import type { EvidenceLog } from '#core/evidence/ports.ts';
import { invalidRequest } from '#core/kernel/errors.ts';
import type { Observations } from './ports.ts';
import { projectEntry } from './project.ts';
import type { Projection } from './projection.ts';

interface RebuildPorts {
  readonly evidence: Pick<EvidenceLog, 'rows' | 'sessions'>;
  readonly observations: Pick<Observations, 'apply'>;
}

interface RebuildOptions {
  /** Entries before this ISO time are skipped, since the views would not keep them. */
  readonly since?: string;
  /** Approximate number of entries per call. */
  readonly atMost?: number;
  /** Cursor returned at the end of the previous call. */
  readonly cursor?: string;
}

interface RebuildCounts {
  readonly entries: number;
  /** Number of finished sessions. */
  readonly sessions: number;
  /** Rows that are left out because they cannot be read. */
  readonly unreadable: readonly RowPlace[];
  /** Absent when the rebuild is complete. */
  readonly cursor?: string;
}

/** Position of a rebuild: page of sessions, session, next entry. */
interface RebuildPosition {
  readonly page: string | undefined;
  readonly session: string;
  readonly index: number;
}

const sessionsPerPage = 100;
const entriesPerStep = 45;
/** Maximum number of pages per call, since even a session without a recent entry costs a read. */
const pagesPerCall = 5;

/** Rebuilds one piece. @throws GatewayError `invalid_request` for a cursor that was not issued by this gateway. */
export async function rebuild(ports: RebuildPorts, tenant: string, options: RebuildOptions): Promise<RebuildCounts> {
  const { since = '', atMost = Number.POSITIVE_INFINITY } = options;
  let place = options.cursor === undefined ? undefined : decodePlace(options.cursor);
  let page = place?.page;
  const unreadable: RowPlace[] = [];
  const done = { entries: 0, sessions: 0, unreadable };
  for (let pages = 0; ; pages++) {
    const { items, cursor } = await ports.evidence.sessions(tenant, {
      limit: sessionsPerPage,
      ...(page !== undefined && { cursor: page }),
    });
    // A cursor ends before its own session. Sessions opened since then are projected by the stream.
    const from = place
      ? Math.max(
          0,
          items.findIndex(({ session_id }) => session_id === place?.session),
        )
      : 0;
    for (const { session_id, updated_at } of items.slice(from)) {
      const start = place?.session === session_id ? place.index : 0;
      place = undefined;
      if (updated_at < since) continue;
      const rest = atMost - done.entries;
      if (rest <= 0) return { ...done, cursor: encodePlace({ page, session: session_id, index: start }) };
      const piece = { tenant, session_id, start, since, most: rest };
      const { count, next } = await rebuildSession(ports, piece, unreadable);
      done.entries += count;
      if (next !== undefined) return { ...done, cursor: encodePlace({ page, session: session_id, index: next }) };
      done.sessions++;
    }
    if (cursor === undefined) return done;
    page = cursor;
    if (pages + 1 >= pagesPerCall && atMost !== Number.POSITIVE_INFINITY)
      return { ...done, cursor: encodePlace({ page, session: '', index: 0 }) };
  }
}

interface Piece {
  readonly tenant: string;
  readonly session_id: string;
  readonly start: number;
  readonly since: string;
  readonly most: number;
}

/** Rebuilds a session. @returns the entry to continue from if the piece was too large. */
async function rebuildSession(
  ports: RebuildPorts,
  piece: Piece,
  unreadable: RowPlace[],
): Promise<{ count: number; next?: number }> {
  let count = 0;
  let step: Projection[] = [];
  const apply = async () => {
    await ports.observations.apply(step);
    step = [];
  };
  for await (const entry of ports.evidence.rows(piece.tenant, piece.session_id, piece.start)) {
    if (count === piece.most) {
      await apply();
      return { count, next: entry.index };
    }
    count++;
    if (!(entry instanceof UnreadableEntry) && entry.timestamp < piece.since) continue;
    const projection = entry instanceof UnreadableEntry ? undefined : tryProject(entry);
    if (projection) step.push(projection);
    else unreadable.push(rowPlace(entry));
    if (step.length === entriesPerStep) await apply();
  }
  await apply();
  return { count };
}

/** Returns undefined for an entry whose body the views cannot read. */
function tryProject(entry: EvidenceEntry): Projection | undefined {
  try {
    return projectEntry(entry);
  } catch {
    return undefined;
  }
}

const encodePlace = (place: RebuildPosition): string =>
  Buffer.from(JSON.stringify([place.page ?? null, place.session, place.index])).toString('base64url');

function decodePlace(cursor: string): RebuildPosition {
  try {
    const [page, session, index] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as unknown[];
    if ((page === null || typeof page === 'string') && typeof session === 'string' && Number.isSafeInteger(index))
      return { page: page ?? undefined, session, index: index as number };
  } catch {
    // The error is reported below with the same message.
  }
  throw invalidRequest('cursor was not made by this service; pass the cursor of the previous call unchanged.');
}
