/** The terms that a decision sets for the approval of a pending request [approval.strictest-terms]. */

import type { VotePorts } from '#core/approvals/ports.ts';
import { applyTerms, type CurrentTerms } from '#core/approvals/terms.ts';
import { stillCounts } from '#core/configuration/identity/separation-of-duties.ts';
import { requirementsOf } from '#core/configuration/identity/separation-rules.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { type PolicyDecision, termsOf } from '#core/policy/rules/decide.ts';
import { timeoutSeconds } from './approval-row.ts';
import type { GovernedAction } from './governed.ts';

/**
 * Returns the terms of an approval. Rules that allow or block the call do not add requirements; a block is returned as
 * an obstacle and enforced when the approval is used.
 */
export function requiredTerms(
  { decision, snapshot }: Pick<GovernedAction, 'decision' | 'snapshot'>,
  row: ApprovalRow,
): CurrentTerms {
  const { tenant, capabilities, key_owner: owner, queued_at, withheld } = row;
  const requires = requirementsOf(snapshot.configuration, { tenant, capabilities, owner });
  const asked = {
    version: snapshot.version,
    requires,
    require_passkey: false,
    stillCounts: (person: string) => stillCounts(person, row, snapshot),
  };
  if (decision.decision === 'block') return { ...asked, obstacle: blockText(decision, snapshot.version, withheld) };
  if (decision.decision !== 'review') return asked;
  const terms = termsOf(decision);
  return {
    ...asked,
    requires: [...requires, ...(terms?.requires ?? [])],
    require_passkey: terms?.require_passkey === true,
    ...(terms?.together && { together: true }),
    expires_at: isoTime(Date.parse(queued_at) + timeoutSeconds({ decision, snapshot }) * 1000),
  };
}

/** Describes the block: `may block` if the row withholds values, since conditions on those values are unclear. */
function blockText({ matched_rule, reason }: PolicyDecision, version: number, withheld: readonly string[]): string {
  const blocks = withheld.length > 0 ? 'may block' : 'blocks';
  return `Version ${version} of the configuration ${blocks} this call (${matched_rule}${reason === undefined ? '' : `: ${reason}`}). An approval does not lift a block.`;
}

/**
 * Applies the current decision's terms to the pending request for the identical call. Expires the request if its new
 * deadline has passed.
 */
export async function applyDecisionTerms(
  ports: VotePorts,
  action: GovernedAction,
  row: ApprovalRow,
): Promise<ApprovalRow> {
  if (row.status !== 'pending' || row.policy_version === action.snapshot.version) return row;
  const asked = applyTerms(row, requiredTerms(action, row));
  if (asked.expires_at === row.expires_at || asked.expires_at > isoTime(ports.clock.now())) return asked;
  const [{ expire }, { channelsOf }] = await Promise.all([
    import('#core/approvals/expire.ts'),
    import('#core/approvals/channels.ts'),
  ]);
  return expire(ports, row, channelsOf(ports, action.snapshot.configuration, row));
}
