/** The row of a new approval request: the call that reviewers see and the conditions of its approval. */
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { Drift } from '#core/contracts/drift.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { termsOf } from '#core/policy/rules/decide.ts';
import { ownerOf } from './abuse-notes.ts';
import { cardFacts } from './card-facts.ts';
import type { RedactedCall } from './entries.ts';
import type { GovernedAction } from './governed.ts';
import { capabilitiesOf, requiresOf } from './needed-approvals.ts';
import type { GovernPorts } from './ports.ts';

export function approvalRow(
  ports: Pick<GovernPorts, 'clock'>,
  action: GovernedAction,
  safe: RedactedCall,
): Omit<ApprovalRow, 'after_vote'> {
  const { envelope, principal, decision, snapshot } = action;
  const now = ports.clock.now();
  const { protocol, tool, capability, upstream, upstream_tool, definition } = envelope;
  return {
    envelope_id: envelope.envelope_id,
    tenant: envelope.tenant,
    session_id: envelope.actor.session,
    key_id: envelope.key_id,
    ...keyOwner(principal),
    ...(principal.federated && { federated: principal.federated }),
    actor: envelope.actor,
    protocol,
    tool,
    capability,
    upstream,
    upstream_tool,
    ...(definition !== undefined && { definition }),
    target: safe.target,
    justification: safe.justification,
    parameters: safe.parameters,
    ...(safe.sent_with && { sent_with: safe.sent_with }),
    withheld: safe.withheld,
    ...(action.decideOnly && { caller_executes: true as const }),
    call_digest: action.call_digest,
    matched_rule: decision.matched_rule,
    ...(decision.rule_index !== undefined && { rule_index: decision.rule_index }),
    policy_version: snapshot.version,
    ...(termsOf(decision)?.require_passkey && { require_passkey: true as const }),
    ...(termsOf(decision)?.together && { together: true as const }),
    ...separation(action),
    ...cardFacts(action, now, safe.hide),
    ...(safe.task.drift !== undefined && { drift: safe.task.drift as readonly Drift[] }),
    ...(decision.provenance && { sources: decision.provenance.lines }),
    queued_at: isoTime(now),
    expires_at: isoTime(now + timeoutSeconds(action) * 1000),
    status: 'pending',
  };
}

/**
 * Returns the requirements set by the organisation's rules and the deciding rules, for the declared capability and
 * those of the effects.
 */
function separation(action: GovernedAction): Pick<ApprovalRow, 'requires' | 'vote_count' | 'capabilities'> {
  const capabilities = capabilitiesOf(action.envelope, action.effects);
  const requires = requiresOf(action);
  return { vote_count: 0, capabilities, ...(requires.length > 0 && { requires }) };
}

/** Returns the human responsible for the key. People cannot vote on requests from keys that they hold or own. */
function keyOwner(principal: GovernedAction['principal']) {
  const human = ownerOf(principal);
  return human === undefined ? {} : { key_owner: human };
}

/** Returns the shortest approval timeout among the rules that require review of the call. */
export const timeoutSeconds = ({ decision, snapshot }: Pick<GovernedAction, 'decision' | 'snapshot'>): number =>
  Math.min(
    ...(termsOf(decision)?.times ?? [undefined]).map(
      (each) => each ?? snapshot.configuration.approvals.timeout_seconds,
    ),
  );
