/**
 * The progress of the archive check. A run is bounded, so a pass over all sessions may take several runs. A pass covers
 * the sessions that changed since the last complete pass, and a share of the other sessions [evidence.archive.cursor].
 */
import * as z from 'zod';
import { sha256 } from '#core/kernel/canonical.ts';
import { isoTime } from '#core/kernel/ports.ts';
import type { SessionHead } from './ports.ts';

/** Number of passes within which each unchanged session is checked once: a month of daily passes. */
export const passesOfAll = 30;

/**
 * Overlap between passes. Entries written just before a pass may not have had a copy yet, so the next pass covers them
 * as well.
 */
const overlapMs = 10 * 60_000;

const progressSchema = z.strictObject({
  version: z.literal(1),
  /** Number of the current pass. */
  pass: z.int().nonnegative(),
  started_at: z.iso.datetime(),
  /** Time before which rows expire. Absent if there is no retention policy. */
  before: z.iso.datetime().optional(),
  /** The next page. If absent, the next run begins a new pass. */
  place: z.strictObject({ tenant: z.string(), cursor: z.string().optional() }).optional(),
  missing_entries: z.int().nonnegative(),
  /** False if a session could not be read. */
  readable: z.boolean(),
  /** Results of the last complete passes. */
  whole: z.strictObject({
    missing_entries: z.int().nonnegative(),
    /** Sessions that have not changed since this time are complete. If absent, no session is known to be complete. */
    until: z.iso.datetime().optional(),
    /** Rows before this time have expired. */
    before: z.iso.datetime().optional(),
  }),
});
export type ArchiveProgress = z.infer<typeof progressSchema>;

export interface ArchiveProgressStore {
  /** Returns the stored value, which may be damaged. */
  get(): Promise<unknown>;
  put(progress: ArchiveProgress): Promise<void>;
}

/** Returns the point at which a run begins. If there is no progress, or it is damaged, every session is checked. */
export function resumedProgress(stored: unknown, now: number, before: string | undefined): ArchiveProgress {
  const { data } = progressSchema.safeParse(stored);
  if (data?.place) return data;
  const { pass, whole } = data ?? { pass: 0, whole: { missing_entries: 0 } };
  const fresh = { version: 1, pass: pass + 1, started_at: isoTime(now), missing_entries: 0, readable: true } as const;
  return { ...fresh, ...(before !== undefined && { before }), whole };
}

/** Ends a pass. If copies are missing or a session was not read, the next pass repeats the checks of this one. */
export function endedPass({ place: _, ...progress }: ArchiveProgress): ArchiveProgress {
  const { missing_entries, readable, started_at, before, whole } = progress;
  if (missing_entries > 0 || !readable) return { ...progress, whole: { ...whole, missing_entries } };
  const until = isoTime(Date.parse(started_at) - overlapMs);
  return { ...progress, whole: { missing_entries, until, ...(before !== undefined && { before }) } };
}

/** Reports whether a pass covers a session because it changed, has rows that expire now, or is in this pass's share. */
export function isDueInPass(
  { pass, before, whole }: ArchiveProgress,
  { session_id, opened_at, updated_at }: Pick<SessionHead, 'session_id' | 'opened_at' | 'updated_at'>,
): boolean {
  if (whole.until === undefined || updated_at >= whole.until) return true;
  if (before !== undefined && opened_at < before && updated_at >= (whole.before ?? '')) return true;
  const share = Number.parseInt(sha256(session_id).slice(0, 8), 16) % passesOfAll;
  return share === pass % passesOfAll;
}
