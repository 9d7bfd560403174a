/** Sessions that the projector could not go on with: set aside, so that everything behind them goes on. */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';

/** What the projector does with entries. */
export type ProjectionStep = 'archive' | 'checkpoint' | 'views' | 'announcement';

/** The first entry of a session that a step failed on. Later entries of the session are tried as they come. */
export interface SetAside {
  readonly tenant: string;
  readonly session_id: string;
  readonly step: ProjectionStep;
  readonly index: number;
  /** Time of the entry, ISO 8601. */
  readonly at: string;
  /** What the last try failed with, shortened. */
  readonly error: string;
}

export interface SetAsideStore {
  /** Keeps the first of a session and step. @throws GatewayError `service_unavailable` */
  put(row: SetAside): Promise<void>;
  /** Of a tenant, at most `limit`. */
  list(tenant: string, limit: number): Promise<readonly SetAside[]>;
  /** Removes what was repaired. */
  remove(row: SetAside): Promise<void>;
}

const errorCharacters = 300;

export function setAsideOf(step: ProjectionStep, entry: EvidenceEntry, cause: unknown): SetAside {
  const { tenant, session_id, index, timestamp } = entry;
  const error = (cause instanceof Error ? cause.message : String(cause)).slice(0, errorCharacters).toWellFormed();
  return { tenant, session_id, step, index, at: timestamp, error };
}

/** One sentence for people, for status and alert. At least one row. */
export function setAsideInWords(rows: readonly SetAside[], atMost: number): string {
  const { session_id, index, step, error } = rows[0]!;
  const sessions = new Set(rows.map((row) => row.session_id)).size;
  const count = `${rows.length >= atMost ? `at least ${sessions}` : sessions} session${sessions === 1 ? '' : 's'}`;
  return `the projection set ${count} aside, the first ${session_id} from entry ${index} on, at the step ${step}: ${error}. The entries are in the log. Run \`agentctl archive repair\`.`;
}
