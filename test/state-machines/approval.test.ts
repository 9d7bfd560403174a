/** The approval's definition: well formed, and of one mind with the table of transitions. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { evaluate } from '#adapters/local/asl/expressions.ts';
import { transition } from '#core/approvals/approval.ts';
import type { ApprovalStatus } from '#core/contracts/approval.ts';

const validator: (definition: unknown) => { isValid: boolean; errors: unknown[] } = require('asl-validator');

interface Definition {
  readonly States: Readonly<Record<string, { readonly Next?: string; readonly Catch?: { readonly Next: string }[] }>>;
}
const text = readFileSync(join(__dirname, '../../state-machines/approval.asl.json'), 'utf8');
const definition = JSON.parse(text) as Definition & {
  States: { Decided: { Choices: { Condition: string; Next: string }[]; Default: string } };
};

test('[approval.machine] the definition is well formed', () => {
  const arn = 'arn:aws:lambda:eu-central-1:123456789012:function:steps';
  const { isValid, errors } = validator(JSON.parse(text.replaceAll(/\$\{ApprovalStepsArn\}/g, arn)));
  expect([isValid, errors]).toEqual([true, []]);
});

test('[approval.machine] it waits on while the table lets time deny the row, and ends otherwise', async () => {
  const { Choices, Default } = definition.States.Decided;
  for (const status of ['pending', 'approved', 'denied', 'executing', 'consumed'] satisfies ApprovalStatus[]) {
    const scope = { states: { input: { status }, context: {} }, variables: {} };
    const waits = await Promise.all(Choices.map(({ Condition }) => evaluate(Condition, scope)));
    expect([status, waits.includes(true)]).toEqual([status, transition(status, 'timeout') !== undefined]);
  }
  expect(Default).toBe('Done');
});

test('[approval.machine] whatever fails before the decision ends in the step that reads the row', () => {
  for (const name of ['Announce', 'WaitForDecision']) {
    expect(definition.States[name]?.Catch?.map(({ Next }) => Next)).toEqual(['Settle']);
  }
});
