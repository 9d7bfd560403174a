/**
 * Digest of the call as a reviewer sees it. The voting function computes it from the row, and the executing function
 * from the call. The call's own digest cannot be computed from a row whose secrets are withheld
 * [approval.evidence-decides].
 */
import type { ToolCall } from '#core/contracts/envelope.ts';
import { partDigest, wholeDigest } from '#core/contracts/withheld.ts';
import { digestOf } from '#core/kernel/canonical.ts';

interface ShownCall extends Pick<ToolCall, 'protocol' | 'tool' | 'target' | 'capability' | 'upstream'> {
  readonly upstream_tool?: string | undefined;
  /** Redacted, like the other fields. */
  readonly parameters: unknown;
  readonly sent_with?: unknown;
  /** JSON paths of withheld values. */
  readonly withheld: readonly string[];
}

export const shownDigest = (call: ShownCall): string =>
  digestOf({
    protocol: call.protocol,
    tool: call.tool,
    target: withoutSalts(call.target),
    capability: call.capability,
    upstream: call.upstream,
    upstream_tool: call.upstream_tool,
    parameters: withoutSalts(call.parameters),
    sent_with: withoutSalts(call.sent_with),
    withheld: [...call.withheld].sort(),
  });

const part = new RegExp(`\\${partDigest}[^\\]]*\\]`, 'g');

/** Removes salted digests, since each redaction uses new salts. */
function withoutSalts(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(part, `${partDigest}]`);
  if (Array.isArray(value)) return value.map(withoutSalts);
  if (typeof value !== 'object' || value === null) return value;
  if ('redacted' in value && value.redacted === wholeDigest) return { redacted: wholeDigest };
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutSalts(item)]));
}
