/** Actions that the caller does itself once they are allowed, such as the tool calls of a model: here they are decided only. */
import { answer } from './answers.ts';
import { type ExecutionMode, recordOutcome } from './execute-action.ts';

/** Nothing is minted or executed. An approval is used up with the answer: its lease would end as `unknown`. */
export const decideOnly: ExecutionMode = async (ports, action, evidence_hash, approvalId) => {
  if (approvalId !== undefined)
    // The row of the call itself stays open: its caller reports what became of it.
    await recordOutcome(
      ports,
      { ...action, startedId: undefined },
      { outcome: 'not_executed', kept: {} },
      approvalId,
      [],
    );
  return { ...answer(action), decision: 'allow', evidence_hash };
};
