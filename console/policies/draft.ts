/** Draft policies, and the stored version that they were loaded from. */
import type { AnswerOf } from '#core/operations/endpoints.ts';
import type { Read } from './written.ts';

export interface Draft {
  readonly of: AnswerOf<'policyVersion'>;
  /** Text of `tool_policies` as YAML, possibly incomplete. */
  readonly text: string;
  readonly read: Read;
}
