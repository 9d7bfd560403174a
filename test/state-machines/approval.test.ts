/** The approval state machine's definition: well formed, and consistent with the table of transitions. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assumed } from '../../bench/cost/calls.ts';

const validator: (definition: unknown) => { isValid: boolean; errors: unknown[] } = require('asl-validator');

interface Definition {
  readonly StartAt: string;
  readonly States: Readonly<
    Record<
      string,
      {
        readonly Next?: string;
        readonly End?: boolean;
        readonly Retry?: readonly object[];
        readonly Catch?: { readonly Next: string }[];
      }
    >
  >;
}
const text = readFileSync(join(__dirname, '../../state-machines/approval.asl.json'), 'utf8');
const definition = JSON.parse(text) as Definition;

test('[approval.machine] the definition is well formed', () => {
  const arn = 'arn:aws:lambda:eu-central-1:123456789012:function:steps';
  const { isValid, errors } = validator(JSON.parse(text.replaceAll(/\$\{ApprovalStepsArn\}/g, arn)));
  expect([isValid, errors]).toEqual([true, []]);
});

test('[approval.machine] if the step finds no decision, the machine keeps waiting and does not retry the step', () => {
  const { Settle } = definition.States;
  expect(Settle?.Retry?.[0]).toEqual({ ErrorEquals: ['ApprovalPending'], MaxAttempts: 0 });
  expect(Settle?.Catch).toEqual([expect.objectContaining({ ErrorEquals: ['ApprovalPending'], Next: 'Breathe' })]);
  expect([Settle?.End, Settle?.Next]).toEqual([true, undefined]);
});

test('[cost.table] an approval takes the number of transitions assumed in the cost calculation', () => {
  const path = [definition.StartAt];
  for (let next = definition.States[path[0]!]?.Next; next; next = definition.States[next]?.Next) path.push(next);
  expect(path).toEqual(['Announce', 'WaitForDecision', 'Settle']);
  expect(path.length + 1).toBe(assumed.transitions);
});

test('[approval.machine] any failure before the decision leads to the step that reads the row', () => {
  for (const name of ['Announce', 'WaitForDecision']) {
    expect(definition.States[name]?.Catch?.map(({ Next }) => Next)).toEqual(['Settle']);
  }
});
