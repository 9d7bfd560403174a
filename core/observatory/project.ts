/** What one evidence entry adds to the views that look back (spec §4.3 usage, violations; architecture: idea 5). */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';

export interface Violation {
  readonly at: string;
  readonly envelope_id: string;
  readonly session_id: string;
  readonly key_id: string;
  readonly protocol: string;
  readonly tool: string;
  readonly target: string;
  readonly policy: string;
  readonly matched_rule: string;
}

export interface Projection {
  readonly tenant: string;
  /** Hash of the entry: what makes applying it twice harmless. */
  readonly hash: string;
  readonly timestamp: string;
  /** Counters of the entry's hour to raise by one, such as `decision#allow`. */
  readonly counters: readonly string[];
  readonly violation?: Violation;
}

const decisionKinds = ['allow', 'review', 'block'];

export function projectEntry(entry: EvidenceEntry): Projection {
  const { tenant, hash, timestamp, kind, body } = entry;
  const base = { tenant, hash, timestamp };
  if (!decisionKinds.includes(kind)) return { ...base, counters: [`entry#${kind}`] };
  const text = (name: string) => String(body[name] ?? '');
  const counters = [`decision#${kind}`, `protocol#${text('protocol')}`, `tool#${text('tool')}`];
  if (kind !== 'block') return { ...base, counters };
  const violation: Violation = {
    at: timestamp,
    envelope_id: entry.envelope_id,
    session_id: entry.session_id,
    key_id: entry.actor.key_id,
    protocol: text('protocol'),
    tool: text('tool'),
    target: text('target'),
    policy: text('policy'),
    matched_rule: text('matched_rule'),
  };
  return { ...base, counters: [...counters, `policy#${violation.matched_rule}`], violation };
}
