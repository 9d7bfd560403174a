/**
 * Uses an approval for one call: the approval must fit exactly this call and be in evidence, and it is taken only once.
 */
import { type UnusableReason, unusableReason } from '#core/approvals/approval.ts';
import { isMadeByGateway } from '#core/approvals/choose-waiting.ts';
import { shownDigest } from '#core/approvals/shown-call.ts';
import { isVoteInEvidence } from '#core/approvals/vote-in-evidence.ts';
import { approversStillCount } from '#core/configuration/identity/separation-of-duties.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { DecisionResult } from '#core/contracts/envelope.ts';
import { rpcCodes } from '#core/kernel/errors.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { answer } from './answers.ts';
import { attempt } from './attempt.ts';
import { hasApprovedCredential } from './card-facts.ts';
import { withhold } from './entries.ts';
import type { ExecutionMode } from './execute-action.ts';
import type { GovernedAction } from './governed.ts';
import { readResult } from './kept-result.ts';
import type { ApprovalUsePorts, GovernPorts } from './ports.ts';

type Use =
  | { readonly result: DecisionResult }
  | { readonly why: UnusableReason; readonly row: ApprovalRow | undefined };

/**
 * Uses the approval for this call if evidence contains it.
 * @param keeps only checks that the approval fits, and leaves it unused.
 * @param isChanged returns whether the tool has changed since the request; called only if the approval fits.
 */
export async function useApproval(
  ports: ApprovalUsePorts,
  action: GovernedAction,
  row: ApprovalRow | undefined,
  { carry, keeps = false }: { readonly carry: ExecutionMode; readonly keeps?: boolean | undefined },
  isChanged?: () => Promise<boolean>,
): Promise<Use> {
  const why = await whyNot(ports, action, row);
  if (!row || why !== undefined) return { why: why ?? 'unknown_approval', row };
  if (await isChanged?.()) return { why: 'upstream_changed', row };
  if (keeps) return { result: { ...answer(action), decision: 'allow', matched_rule: approvedRule(row) } };
  const made = await attempt(ports, action, carry, { row, by: executedBy(action, row) });
  if ('result' in made) return made;
  return { why: (made.row && (await whyNot(ports, action, made.row))) ?? 'already_used', row: made.row };
}

/**
 * Returns who executes the call. Under `on_approval: execute` the gateway makes it once for all identical calls,
 * whether the state machine or a caller gets there first [approval.on-approval.execute].
 */
function executedBy({ snapshot, decideOnly }: GovernedAction, row: ApprovalRow): 'caller' | 'gateway' {
  const callerExecutes = decideOnly === true || row.caller_executes === true;
  return isMadeByGateway(snapshot.configuration.approvals, callerExecutes) ? 'gateway' : 'caller';
}

/** Returns why this approval cannot be used for the call; undefined if it can be used and evidence contains it. */
async function whyNot(
  ports: ApprovalUsePorts,
  action: GovernedAction,
  row: ApprovalRow | undefined,
): Promise<UnusableReason | undefined> {
  const { envelope, decision, call_digest } = action;
  const why = unusableReason(row, {
    call_digest,
    key_id: envelope.key_id,
    session_id: envelope.actor.session,
    matched_rule: decision.matched_rule,
    now: isoTime(ports.clock.now()),
  });
  if (!row) return why;
  if (why === undefined && !hasApprovedCredential(action, row)) return 'policy_changed';
  const shown = () => shownDigest({ ...envelope, ...withhold(ports, action) });
  if (!(await isVoteInEvidence(ports, row, why, call_digest, shown))) return 'not_in_evidence';
  return why ?? (approversStillCount(row, action.snapshot) ? undefined : 'policy_changed');
}

const approvedRule = ({ envelope_id }: ApprovalRow): string => `approved:${envelope_id}`;

/** Returns the stored result if the gateway already made the call under `on_approval: execute`. */
export async function storedResult(
  ports: Pick<GovernPorts, 'results' | 'telemetry'>,
  action: GovernedAction,
  row: ApprovalRow,
  why: UnusableReason,
): Promise<DecisionResult | undefined> {
  // If the call were allowed here, the caller would make it a second time.
  if (action.decideOnly) return undefined;
  if (why !== 'already_used' || row.executed_by !== 'gateway' || row.status !== 'consumed') return undefined;
  return {
    ...answer(action),
    decision: 'allow',
    matched_rule: approvedRule(row),
    ...(row.evidence_hash !== undefined && { evidence_hash: row.evidence_hash }),
    ...(await readResult(ports, row)),
    ...(row.outcome !== 'executed' && { error: outcomeAnswer(row) }),
  };
}

/** Returns the error for a call that failed or may have failed; such a call is never reported as done. */
const outcomeAnswer = ({ tool, outcome = 'unknown' }: ApprovalRow) => ({
  code: rpcCodes.upstreamFailed,
  message: `${tool} was approved; its execution ended as ${outcome}.`,
  data: { tool, outcome },
});
