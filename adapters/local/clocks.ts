/** Approval and rollout clocks in a local run: the deployed definitions, run by the local interpreter. */
import { readFile } from 'node:fs/promises';
import type { ApprovalClock } from '#core/approvals/ports.ts';
import type { RolloutClock } from '#core/models/rollouts/ports.ts';
import { loadDefinition, type StateMachine } from './asl/definition.ts';
import type { Interpreter } from './asl/interpreter.ts';

/** State machines, each with the function that runs its steps. */
export const machines = {
  approval: { function: 'approval-steps', placeholder: 'ApprovalStepsArn' },
  rollout: { function: 'sweep', placeholder: 'SweepArn' },
} as const;
export type MachineName = keyof typeof machines;

/** Loads a file from `state-machines/`, replacing its ARN placeholder with the function's name. */
export async function definitionOf(name: MachineName): Promise<StateMachine> {
  const file = new URL(`../../state-machines/${name}.asl.json`, import.meta.url);
  const { placeholder, function: performing } = machines[name];
  return loadDefinition(await readFile(file, 'utf8'), { [placeholder]: performing });
}

export const localApprovalClock = (interpreter: Interpreter): ApprovalClock => ({
  start: (envelopeId, name = envelopeId) => interpreter.start(name, { envelope_id: envelopeId }),
  settle: (taskToken, output) => interpreter.settle(taskToken, output),
});

export const localRolloutClock = (interpreter: Interpreter): RolloutClock => ({
  start: (id) => interpreter.start(id, {}),
});
