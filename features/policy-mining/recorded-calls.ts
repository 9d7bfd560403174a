/** Tool calls from evidence: the request, the decision, and the reviewer's vote [cli.policy-mine]. */
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';

/** `approved` and `denied`: reviewed, then approved or denied by a person. */
export type RecordedDecision = 'allow' | 'review' | 'block' | 'approved' | 'denied';

export interface RecordedCall {
  readonly call: ToolCall;
  readonly decided: RecordedDecision;
  /** Whether the entry contains the parameters as sent; otherwise they are redacted. */
  readonly whole: boolean;
}

type Entry = Pick<EvidenceEntry, 'kind' | 'envelope_id' | 'body'>;

const decisionKinds: ReadonlySet<string> = new Set(['allow', 'review', 'block']);

/** Returns one call for each decision entry. An approved call and the use of its approval count once. */
export function recordedCalls(entries: readonly Entry[]): RecordedCall[] {
  const voted = new Map(
    entries.flatMap(({ kind, envelope_id }) =>
      kind === 'approve' || kind === 'deny' ? [[envelope_id, kind] as const] : [],
    ),
  );
  const found: RecordedCall[] = [];
  for (const { kind, envelope_id, body } of entries) {
    if (!decisionKinds.has(kind) || typeof body.approval_ref === 'string') continue;
    const call = recordedCall(body);
    if (!call) continue;
    const vote = kind === 'review' ? voted.get(envelope_id) : undefined;
    const decided = vote === 'approve' ? 'approved' : vote === 'deny' ? 'denied' : (kind as RecordedDecision);
    found.push({ call, decided, whole: body.withheld === undefined && body.parameters !== undefined });
  }
  return found;
}

/** Returns the call of an entry; undefined for chat entries, which have none. */
function recordedCall(body: EvidenceEntry['body']): ToolCall | undefined {
  const { protocol, tool, target, capability, upstream, sent_with } = body;
  if (typeof protocol !== 'string' || typeof tool !== 'string' || typeof target !== 'string') return undefined;
  if (typeof capability !== 'string') return undefined;
  return {
    protocol,
    tool,
    target,
    capability,
    parameters: objectOf(body.parameters) ?? {},
    ...(typeof upstream === 'string' && { upstream }),
    ...(objectOf(sent_with) && { sent_with: objectOf(sent_with) }),
  };
}

const objectOf = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
