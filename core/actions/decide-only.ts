/** Makes decisions on actions that the caller carries out itself, such as a model's tool calls. */
import { answer } from './answers.ts';
import { type ExecutionMode, recordOutcome } from './execute-action.ts';

/**
 * Returns the decision without minting or executing. Consumes an approval immediately, since its lease would otherwise
 * end as `unknown`.
 */
export const decideOnly: ExecutionMode = async (ports, action, evidence_hash, approvalId) => {
  if (approvalId !== undefined)
    // The call's own row stays open for the outcome reported by its caller.
    await recordOutcome(
      ports,
      { ...action, startedId: undefined },
      { outcome: 'not_executed', kept: {} },
      approvalId,
      [],
    );
  return { ...answer(action), decision: 'allow', evidence_hash };
};
