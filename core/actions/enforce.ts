/** A decision is written before anything is done about it; then the call is refused, carried out, or waits for a person. */

import type { DecisionResult } from '#core/contracts/envelope.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { StartedAction } from '#core/contracts/started-action.ts';
import type { Change } from '#core/evidence/ports.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import { blockedBy, sessionBlocked } from '#core/session/risk/assess.ts';
import { blocked } from './answers.ts';
import { decisionDraft, follow, resultDraft } from './entries.ts';
import { type ExecutionMode, executeAction } from './execute-action.ts';
import { type ApprovalCandidate, type GovernedAction, sessionOwner } from './governed.ts';
import type { RecordPorts, ReviewPorts, StartedOutcomePorts } from './ports.ts';
import { endOfStarted, firstOutcome, startOf } from './started.ts';
import { type WaitStrategy, waitingFor } from './wait.ts';

/** What is done once a call is allowed, and how a reviewed call waits in place. */
export interface EnforceOptions {
  /** By default the gateway mints and executes. */
  readonly carry?: ExecutionMode;
  /** By default as `approvals.hold_seconds` says. */
  readonly wait?: WaitStrategy;
}

/** Loaded with the first review: few calls of a model's reply wait, and chat functions start smaller. */
const reviewing = lazyImport(() => import('./review.ts'));

export async function enforce(
  ports: ReviewPorts,
  action: GovernedAction,
  candidate: ApprovalCandidate | undefined,
  { carry = executeAction, wait = waitingFor(action.snapshot.configuration.approvals.hold_seconds) }: EnforceOptions,
): Promise<DecisionResult> {
  switch (action.decision.decision) {
    case 'block': {
      const { entry } = await record(ports, action, 'block');
      await follow(ports, action, entry);
      return blocked(action, entry.hash);
    }
    case 'allow': {
      const start = startOf(ports, action);
      const written = await recordStart(ports, action, start);
      if ('replayed' in written) return written.replayed;
      const { entry, head } = written;
      const started: GovernedAction = { ...action, head, startedId: start?.action.id };
      await assertStillFree(ports, started, entry);
      const [result] = await Promise.all([carry(ports, started, entry.hash), follow(ports, action, entry)]);
      return result;
    }
    case 'review':
      return (await reviewing()).review(ports, action, candidate, carry, wait);
  }
}

/** The decision is written before anything is done about it. */
export async function record(ports: RecordPorts, action: GovernedAction, kind: 'allow' | 'block') {
  const outcome = await commitDecision(ports, action, kind, []);
  if (!outcome.ok) throw new Error(`decision entry refused by ${outcome.failed.type}`);
  return outcome;
}

function commitDecision(ports: RecordPorts, action: GovernedAction, kind: 'allow' | 'block', also: readonly Change[]) {
  const { draft, changes } = decisionDraft(ports, action, kind);
  const owner = sessionOwner(action.principal);
  return ports.ledger.commit({ draft, changes: [...changes, ...also], head: action.head, owner });
}

/** Of requests at the same time under one idempotency key one is started; the others are answered its outcome. */
async function recordStart(
  ports: RecordPorts & StartedOutcomePorts,
  action: GovernedAction,
  start: ReturnType<typeof startOf>,
) {
  const outcome = await commitDecision(ports, action, 'allow', start ? [start] : []);
  if (outcome.ok) return outcome;
  const earlier =
    outcome.failed.type === 'action.start' ? (outcome.current as unknown as StartedAction | undefined) : undefined;
  if (action.callId !== undefined && (await import('./asked-again.ts')).isAskedAgain(action, earlier))
    return record(ports, action, 'allow');
  const replayed = earlier && (await firstOutcome(ports, earlier, action.call_digest));
  if (!replayed) throw new Error(`decision entry refused by ${outcome.failed.type}`);
  return { replayed };
}

/** Scores of concurrent calls add up, so a call that was allowed beside others may find the kill switch tripped afterwards. */
async function assertStillFree(ports: RecordPorts, action: GovernedAction, entry: EvidenceEntry): Promise<void> {
  const { head, standing, snapshot } = action;
  const settings = snapshot.configuration.behavior;
  const stopped = blockedBy(settings, { session: head?.risk, key: standing?.key }, ports.clock.now());
  if (!stopped) return;
  const end = { outcome: 'not_executed', error: stopped.reason } as const;
  const draft = resultDraft(ports, action, undefined, end, undefined);
  await ports.ledger.commit({ draft, changes: endOfStarted(action, end), head });
  throw sessionBlocked(stopped, { envelope_id: action.envelope.envelope_id, evidence_hash: entry.hash });
}
