/** Sessions on which the projector failed. They are set aside, so that later entries in the stream are processed. */

import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { countText } from '#core/kernel/count-text.ts';

/** The projector's steps. */
export const projectionSteps = ['archive', 'checkpoint', 'views', 'announcement'] as const;
export type ProjectionStep = (typeof projectionSteps)[number];

/** The first entry of a session for which a step failed. The session's later entries are tried as they arrive. */
export interface FailedEntry {
  readonly tenant: string;
  readonly session_id: string;
  readonly step: ProjectionStep;
  readonly index: number;
  /** Time of the entry, ISO 8601. */
  readonly at: string;
  /** Error of the last attempt, shortened. */
  readonly error: string;
}

export interface SetAsideStore {
  /** Stores the first failure per session and step. @throws GatewayError `service_unavailable` */
  put(row: FailedEntry): Promise<unknown>;
  /** Moves the session's row to a later entry. */
  advance(row: FailedEntry): Promise<void>;
  /** Lists at most `limit` of a tenant's rows. */
  list(tenant: string, limit: number): Promise<readonly FailedEntry[]>;
  /** Returns the rows of these sessions, however many rows the tenant has. */
  ofSessions(tenant: string, sessions: readonly string[]): Promise<readonly FailedEntry[]>;
  /** Removes a row after it has been repaired. */
  remove(row: FailedEntry): Promise<void>;
}

const errorCharacters = 300;

export function setAsideOf(step: ProjectionStep, entry: EvidenceEntry, cause: unknown): FailedEntry {
  const { tenant, session_id, index, timestamp } = entry;
  const error = (cause instanceof Error ? cause.message : String(cause)).slice(0, errorCharacters).toWellFormed();
  return { tenant, session_id, step, index, at: timestamp, error };
}

/** Describes one or more rows in one sentence, for the status and the alert. */
export function setAsideInWords(rows: readonly FailedEntry[], atMost: number): string {
  const { session_id, index, step, error } = rows[0]!;
  const sessions = new Set(rows.map((row) => row.session_id)).size;
  const count = `${rows.length >= atMost ? 'at least ' : ''}${countText(sessions, 'session')}`;
  return `the projection set ${count} aside, the first ${session_id} from entry ${index} on, at the step ${step}: ${error}. The entries are in the log. Run \`agentctl archive repair\`.`;
}
