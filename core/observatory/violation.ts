/** Violations shown in the history: blocked actions, and content filter findings in chat calls. */
import type { Finding } from '#core/contracts/chat.ts';

interface ViolationBase {
  readonly at: string;
  readonly envelope_id: string;
  readonly session_id: string;
  readonly key_id: string;
  readonly agent?: string;
  readonly policy: string;
  readonly matched_rule: string;
}

/** A tool action blocked by a rule. */
interface ActionViolation extends ViolationBase {
  readonly protocol: string;
  readonly tool: string;
  readonly target: string;
  readonly capability: string;
  readonly reason?: string;
}

/** A filter's finding in a chat call, or the block of a whole session. */
export interface ChatViolation extends ViolationBase {
  readonly model: string;
  readonly action: Finding['action'];
  readonly phase?: Finding['phase'];
  readonly type: Finding['type'] | 'behavior';
  /** Number of times the filter matched in the call. */
  readonly count: number;
  /** Keyword, entity or reason, but never the matched text. */
  readonly detail?: string;
}

export type Violation = ActionViolation | ChatViolation;

/** Events of the policy webhook. */
export type PolicyEventName = 'policy_violation' | 'policy_warning';

export interface PolicyEvent {
  readonly evidence_hash: string;
  readonly violation: Violation;
}
