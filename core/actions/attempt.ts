/**
 * Attempts an allowed call, new or approved: marks the decision, drafts the entry, takes the approval, commits,
 * executes and follows up.
 */
import { takeForExecution } from '#core/approvals/execution.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { DecisionResult } from '#core/contracts/envelope.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { StartedAction } from '#core/contracts/started-action.ts';
import type { Change } from '#core/evidence/ports.ts';
import { blockedBy, sessionBlocked } from '#core/session/risk/assess.ts';
import { isEachDriftShown } from '#core/session/tasks/accepted.ts';
import { decisionDraft, follow, resultDraft } from './entries.ts';
import { type ExecutionMode, holderOf } from './execute-action.ts';
import { type GovernedAction, sessionOwner } from './governed.ts';
import type { ExecutionPorts, RecordPorts } from './ports.ts';
import { endOfStarted, firstOutcome, isAskedAgain, startOf } from './started.ts';

/** An approval that an attempt uses up. */
interface ApprovalUse {
  readonly row: ApprovalRow;
  readonly by: NonNullable<ApprovalRow['executed_by']>;
}

type Attempt =
  | { readonly result: DecisionResult }
  /** The call was not made. `row` is the approval's current row. */
  | { readonly row: ApprovalRow | undefined };

/**
 * Makes the call once. Of concurrent attempts under one approval or idempotency key, only one is carried out; the
 * others get its outcome.
 * @param use absent for a call that needs no approval.
 */
export async function attempt(
  ports: ExecutionPorts,
  action: GovernedAction,
  carry: ExecutionMode,
  use?: ApprovalUse,
): Promise<Attempt> {
  const id = use?.row.envelope_id;
  const marked = id === undefined ? action : withRule(action, `approved:${id}`);
  const start = startOf(ports, marked, id);
  const changes = [...(use ? [takeFor(ports, action, use)] : []), ...(start ? [start] : [])];
  let outcome = await commitDecision(ports, marked, 'allow', changes, use && usedBy(action, use.row));
  let startedId = start?.action.id;
  if (!outcome.ok) {
    const isStarted = outcome.failed.type === 'action.start';
    const earlier = isStarted ? (outcome.current as unknown as StartedAction | undefined) : undefined;
    if (isAskedAgain(action, earlier)) {
      if (use) return { row: undefined };
      outcome = await record(ports, action, 'allow');
      startedId = undefined;
    } else {
      const result = earlier && (await firstOutcome(ports, earlier, action.call_digest));
      return result ? { result } : { row: outcome.current as ApprovalRow | undefined };
    }
  }
  const { entry, head } = outcome;
  const started: GovernedAction = { ...marked, head, startedId };
  if (!use) await assertStillFree(ports, started, entry.hash);
  const [result] = await Promise.all([carry(ports, started, entry.hash, id), follow(ports, action, entry)]);
  return { result };
}

const withRule = (action: GovernedAction, matched_rule: string): GovernedAction => ({
  ...action,
  decision: { ...action.decision, matched_rule },
});

/** Returns the entry members that describe the approval used by the call. */
const usedBy = ({ decision: { matched_rule: rule, drift = [] } }: GovernedAction, row: ApprovalRow) => ({
  approval_ref: row.envelope_id,
  rule,
  ...(isEachDriftShown(drift, row.drift) && { accepts_drift: true }),
});

/** Returns the change that takes the approval, on condition that its row still contains this call and rule. */
const takeFor = (
  { clock }: ExecutionPorts,
  { envelope, call_digest, decision: { matched_rule } }: GovernedAction,
  { row, by }: ApprovalUse,
): Change => takeForExecution(holderOf(envelope, row.envelope_id), by, clock.now(), { call_digest, matched_rule });

/** Records a block and counts it against the session and key. */
export async function recordBlock(ports: RecordPorts, action: GovernedAction): Promise<EvidenceEntry> {
  const { entry } = await record(ports, action, 'block');
  await follow(ports, action, entry);
  return entry;
}

/** Writes a decision without conditional changes. */
async function record(ports: RecordPorts, action: GovernedAction, kind: 'allow' | 'block') {
  const outcome = await commitDecision(ports, action, kind, []);
  if (!outcome.ok) throw new Error(`decision entry refused by ${outcome.failed.type}`);
  return outcome;
}

/** Writes the decision entry. Must run before the call is carried out. */
export function commitDecision(
  ports: RecordPorts,
  action: GovernedAction,
  kind: 'allow' | 'block',
  also: readonly Change[],
  extra?: Record<string, unknown>,
) {
  const { draft, changes } = decisionDraft(ports, action, kind, extra);
  const owner = sessionOwner(action.principal);
  return ports.ledger.commit({ draft, changes: [...also, ...changes], head: action.head, owner });
}

/** Throws if the kill switch has tripped in the meantime, since the scores of concurrent calls add up. */
async function assertStillFree(ports: RecordPorts, action: GovernedAction, evidence_hash: string): Promise<void> {
  const { head, standing, snapshot, envelope } = action;
  const settings = snapshot.configuration.behavior;
  const stopped = blockedBy(settings, { session: head?.risk, key: standing?.key }, ports.clock.now());
  if (!stopped) return;
  const end = { outcome: 'not_executed', error: stopped.reason } as const;
  const draft = resultDraft(ports, action, undefined, end, undefined);
  await ports.ledger.commit({ draft, changes: endOfStarted(action, end), head });
  throw sessionBlocked(stopped, { envelope_id: envelope.envelope_id, evidence_hash });
}
