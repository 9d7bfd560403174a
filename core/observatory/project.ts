/** What one evidence entry adds to the views that look back (spec §4.3 usage, violations; architecture: idea 5). */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';

export interface Violation {
  readonly at: string;
  readonly envelope_id: string;
  readonly session_id: string;
  readonly key_id: string;
  readonly agent?: string;
  readonly protocol: string;
  readonly tool: string;
  readonly target: string;
  readonly capability: string;
  readonly policy: string;
  readonly matched_rule: string;
  readonly reason?: string;
}

/** What is counted together: entries of one kind, of one tool, and for blocks of one rule, in one hour. */
export interface Counter {
  readonly kind: string;
  readonly protocol?: string;
  readonly tool?: string;
  readonly rule?: string;
}

export interface Projection {
  readonly tenant: string;
  /** Hash of the entry: what makes applying it twice harmless. */
  readonly hash: string;
  readonly timestamp: string;
  /** The counter of the entry's hour to raise by one. */
  readonly counter: Counter;
  readonly violation?: Violation;
}

export const decisionKinds: readonly string[] = ['allow', 'review', 'block'];

export function projectEntry(entry: EvidenceEntry): Projection {
  const { tenant, hash, timestamp, kind } = entry;
  const base = { tenant, hash, timestamp };
  if (!decisionKinds.includes(kind)) return { ...base, counter: { kind } };
  const { protocol, tool } = callOf(entry);
  if (kind !== 'block') return { ...base, counter: { kind, protocol, tool } };
  const violation = violationOf(entry);
  return { ...base, counter: { kind, protocol, tool, rule: violation.matched_rule }, violation };
}

function violationOf(entry: EvidenceEntry): Violation {
  const { agent, key_id } = entry.actor;
  const { reason } = entry.body;
  return {
    at: entry.timestamp,
    envelope_id: entry.envelope_id,
    session_id: entry.session_id,
    key_id,
    ...(agent !== undefined && { agent }),
    ...callOf(entry),
    target: textOf(entry, 'target'),
    capability: textOf(entry, 'capability'),
    policy: textOf(entry, 'policy'),
    matched_rule: textOf(entry, 'matched_rule'),
    ...(typeof reason === 'string' && { reason }),
  };
}

const callOf = (entry: EvidenceEntry) => ({ protocol: textOf(entry, 'protocol'), tool: textOf(entry, 'tool') });

/** Bodies are free-form: what is no text is left empty rather than guessed. */
function textOf(entry: EvidenceEntry, name: string): string {
  const value = entry.body[name];
  return typeof value === 'string' ? value : '';
}
