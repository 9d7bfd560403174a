/** Policies that are tried out, and the stored version that they were loaded from. */
import type { AnswerOf } from '#core/contracts/operations.ts';

export interface Draft {
  readonly of: AnswerOf<'policyVersion'>;
  /** `tool_policies` as JSON, as far as it is typed. */
  readonly text: string;
}
