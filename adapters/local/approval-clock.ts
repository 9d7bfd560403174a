/** The clock of approvals in the local run: the deployed definition under the local interpreter. */
import { readFile } from 'node:fs/promises';
import type { ApprovalClock } from '#core/approvals/ports.ts';
import { loadDefinition, type StateMachine } from './asl/definition.ts';
import type { Interpreter } from './asl/interpreter.ts';

/** `state-machines/approval.asl.json` with the function's name in place of its ARN. */
export async function approvalDefinition(): Promise<StateMachine> {
  const file = new URL('../../state-machines/approval.asl.json', import.meta.url);
  return loadDefinition(await readFile(file, 'utf8'), { ApprovalStepsArn: 'approval-steps' });
}

export function localApprovalClock(interpreter: Interpreter): ApprovalClock {
  return {
    start: (envelopeId) => interpreter.start(envelopeId, { envelope_id: envelopeId }),
    settle: (taskToken, output) => interpreter.settle(taskToken, output),
  };
}
