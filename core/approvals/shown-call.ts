/**
 * What a reviewer is shown of a call, as a digest that both sides can make: the function that takes the vote from the row, and the one
 * that makes the call from the call itself. The digest of the call cannot be made from a row whose secrets were withheld [approval.shown].
 */
import { partDigest, wholeDigest } from '#core/contracts/withheld.ts';
import { digestOf } from '#core/kernel/canonical.ts';

export interface ShownCall {
  readonly protocol: string;
  readonly tool: string;
  readonly target: string;
  readonly capability: string;
  readonly upstream?: string | undefined;
  readonly upstream_tool?: string | undefined;
  /** Redacted, as is the rest. */
  readonly parameters: unknown;
  readonly sent_with?: unknown;
  /** JSON paths of what was withheld. */
  readonly withheld: readonly string[];
}

export const shownDigest = (call: ShownCall): string =>
  digestOf({
    protocol: call.protocol,
    tool: call.tool,
    target: unsalted(call.target),
    capability: call.capability,
    upstream: call.upstream,
    upstream_tool: call.upstream_tool,
    parameters: unsalted(call.parameters),
    sent_with: unsalted(call.sent_with),
    withheld: [...call.withheld].sort(),
  });

const part = new RegExp(`\\${partDigest}[^\\]]*\\]`, 'g');

/** Each redaction draws other salts, so what they make is left out. */
function unsalted(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(part, `${partDigest}]`);
  if (Array.isArray(value)) return value.map(unsalted);
  if (typeof value !== 'object' || value === null) return value;
  if ('redacted' in value && value.redacted === wholeDigest) return { redacted: wholeDigest };
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, unsalted(item)]));
}
