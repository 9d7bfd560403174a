/** The digest of the entire call, to which an approval is bound. */
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { ActionEnvelope } from '#core/contracts/envelope.ts';
import { digestOf } from '#core/kernel/canonical.ts';

/** The fields of a call covered by its digest. Envelopes and approval rows have them. */
type DigestedCall = Pick<
  ActionEnvelope,
  | 'tenant'
  | 'key_id'
  | 'protocol'
  | 'tool'
  | 'target'
  | 'capability'
  | 'upstream'
  | 'upstream_tool'
  | 'definition'
  | 'parameters'
  | 'sent_with'
> & { readonly actor: { readonly session: string } };

/**
 * Returns the SHA-256 of the canonical call: caller, session, content and destination. Ids and times are not included.
 */
export const callDigest = (call: DigestedCall): string => digestOf(digestedParts(call));

/**
 * Returns a digest of the pending request that leaves out its key: identical calls in one session under one rule and
 * policy version share the same digest [approval.together]. Undefined if the rule does not allow a joint decision, or
 * if the row withholds values, which cannot be compared.
 */
export function togetherDigest(row: ApprovalRow): string | undefined {
  if (!row.together || row.status !== 'pending' || row.withheld.length > 0) return undefined;
  const { key_id: _, ...call } = digestedParts(row);
  const { matched_rule, rule_index, policy, policy_version } = row;
  return digestOf({ ...call, matched_rule, rule_index, policy, policy_version });
}

const digestedParts = (call: DigestedCall) => ({
  tenant: call.tenant,
  key_id: call.key_id,
  session: call.actor.session,
  protocol: call.protocol,
  tool: call.tool,
  target: call.target,
  capability: call.capability,
  upstream: call.upstream,
  upstream_tool: call.upstream_tool,
  definition: call.definition,
  parameters: call.parameters,
  sent_with: call.sent_with,
});
