/** What a decision asks of the approval of a request that waits already [approval.terms-now]. */
import { applyTerms, type CurrentTerms } from '#core/approvals/terms.ts';
import type { VotePorts } from '#core/approvals/vote.ts';
import { requirementsOf } from '#core/configuration/identity/separation-rules.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { type PolicyDecision, termsOf } from '#core/policy/rules/decide.ts';
import { timeoutSeconds } from './approval-row.ts';
import type { GovernedAction } from './governed.ts';

/** Rules that allow or block the call ask nothing of an approval; a block is said, and met when the approval is used. */
export function requiredTerms(
  { decision, snapshot }: Pick<GovernedAction, 'decision' | 'snapshot'>,
  { tenant, capability, capabilities = [capability], key_owner: owner, queued_at, withheld }: ApprovalRow,
): CurrentTerms {
  const requires = requirementsOf(snapshot.configuration, { tenant, capabilities, owner });
  const asked = { version: snapshot.version, requires, require_passkey: false };
  if (decision.decision === 'block') return { ...asked, obstacle: blockText(decision, snapshot.version, withheld) };
  if (decision.decision !== 'review') return asked;
  const terms = termsOf(decision);
  return {
    ...asked,
    requires: [...requires, ...(terms?.requires ?? [])],
    require_passkey: terms?.require_passkey === true,
    expires_at: isoTime(Date.parse(queued_at) + timeoutSeconds({ decision, snapshot }) * 1000),
  };
}

/** Conditions on values that the row withholds are not certain to hold for the call. */
function blockText({ matched_rule, reason }: PolicyDecision, version: number, withheld: readonly string[]): string {
  const blocks = withheld.length > 0 ? 'may block' : 'blocks';
  return `Version ${version} of the configuration ${blocks} this call (${matched_rule}${reason === undefined ? '' : `: ${reason}`}). An approval does not lift a block.`;
}

/** The request that the identical call waits with, as its decision of now asks; one whose time is over by that is denied for it. */
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
  return expire(ports, row, channelsOf(action.snapshot.configuration, row));
}
