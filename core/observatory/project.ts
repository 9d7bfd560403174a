/** What one evidence entry adds to the views that look back. */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { projectChat } from './project-chat.ts';
import { decisionKinds, type Projection } from './projection.ts';

export function projectEntry(entry: EvidenceEntry): Projection {
  const { tenant, hash, timestamp, kind } = entry;
  const base = { tenant, hash, timestamp };
  if (kind === 'chat') return { ...base, ...projectChat(entry) };
  if (!decisionKinds.includes(kind)) return { ...base, counter: { kind } };
  const { protocol, tool } = callOf(entry);
  if (kind !== 'block') return { ...base, counter: { kind, protocol, tool } };
  const violation = violationOf(entry);
  return { ...base, counter: { kind, protocol, tool, rule: violation.matched_rule }, violations: [violation] };
}

function violationOf(entry: EvidenceEntry) {
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
