/** A decision is written before anything is done about it; then the call is refused, carried out, or waits for a person. */
import type { DecisionResult } from '#core/contracts/envelope.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import { blocked } from './answers.ts';
import { attempt, recordBlock } from './attempt.ts';
import { type ExecutionMode, executeAction } from './execute-action.ts';
import type { ApprovalCandidate, GovernedAction } from './governed.ts';
import type { ReviewPorts } from './ports.ts';
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
      const { hash } = await recordBlock(ports, action);
      return blocked(action, hash);
    }
    case 'allow': {
      const made = await attempt(ports, action, carry);
      if ('result' in made) return made.result;
      throw new Error('a call that needs no approval was refused by the row of an earlier one');
    }
    case 'review':
      return (await reviewing()).review(ports, action, candidate, carry, wait);
  }
}
