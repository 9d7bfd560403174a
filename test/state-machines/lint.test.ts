/**
 * Every state machine definition: valid, complete, all states reachable, every task retried and its failures handled.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadDefinition, type State, type TaskState, waitsForToken } from '#adapters/local/asl/definition.ts';
import { compile, isExpression } from '#adapters/local/asl/expressions.ts';

// The package has no types.
const validate: (definition: object) => { isValid: boolean; errors: unknown[] } = require('asl-validator');

const folder = join(__dirname, '../../state-machines');
const files = readdirSync(folder).filter((name) => name.endsWith('.asl.json'));

/**
 * Tasks without Catch, whose failure fails the execution. This is correct only if something else repairs the result.
 */
const uncaught: Readonly<Record<string, string>> = {
  'approval.asl.json Settle': 'the row is the truth; the sweep denies, releases and ends leases by it',
  'rollout.asl.json Look': 'the sweep judges every open rollout each minute',
};

const ends = (state: State): boolean =>
  state.Type === 'Succeed' || state.Type === 'Fail' || ('End' in state && state.End === true);

/** Returns all states that a state may lead to. */
function targets(state: State): string[] {
  if (state.Type === 'Choice')
    return [...state.Choices.map(({ Next }) => Next), ...(state.Default ? [state.Default] : [])];
  if (state.Type === 'Succeed' || state.Type === 'Fail') return [];
  const caught = state.Type === 'Task' ? (state.Catch ?? []).map(({ Next }) => Next) : [];
  return [...(state.Next ? [state.Next] : []), ...caught];
}

function expressions(value: unknown): string[] {
  if (isExpression(value)) return [value];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(expressions) : [];
}

test('there are definitions', () => {
  expect(files).toContain('approval.asl.json');
});

describe.each(files)('%s', (file) => {
  const text = readFileSync(join(folder, file), 'utf8');
  const placeholders = [...new Set([...text.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name ?? ''))];
  const arn = 'arn:aws:lambda:eu-west-1:123456789012:function:steps';
  const definition = loadDefinition(text, Object.fromEntries(placeholders.map((name) => [name, arn])));
  const states = Object.entries(definition.States);
  const tasks = states.filter((entry): entry is [string, TaskState] => entry[1].Type === 'Task');

  test('is valid Amazon States Language that the local interpreter supports', () => {
    expect(validate(definition)).toMatchObject({ isValid: true, errors: [] });
    expect(placeholders).toEqual(placeholders.filter((name) => name.endsWith('Arn')));
  });

  test.each(states)('%s leads only to states that exist, or ends', (_, state) => {
    for (const target of targets(state)) expect(Object.keys(definition.States)).toContain(target);
    const goesOn = state.Type === 'Choice' || ('Next' in state && state.Next !== undefined);
    expect(ends(state)).toBe(!goesOn);
    if (state.Type === 'Choice') expect(state.Default).toBeDefined();
  });

  test('every state is reachable and can reach an end', () => {
    const reach = (from: string, seen = new Set<string>()): Set<string> => {
      if (seen.has(from)) return seen;
      seen.add(from);
      for (const next of targets(definition.States[from]!)) reach(next, seen);
      return seen;
    };
    expect([...reach(definition.StartAt)].sort()).toEqual(states.map(([name]) => name).sort());
    for (const [name] of states) expect([...reach(name)].some((at) => ends(definition.States[at]!))).toBe(true);
  });

  test.each(tasks)('%s is retried, and its failure is caught or repaired elsewhere', (name, task) => {
    expect(task.Retry?.length).toBeGreaterThan(0);
    const isCaught = task.Catch?.some(({ ErrorEquals }) => ErrorEquals.includes('States.ALL')) ?? false;
    expect(isCaught || uncaught[`${file} ${name}`] !== undefined).toBe(true);
  });

  test.each(tasks)('%s passes its token only to its own step, and has a timeout', (_, task) => {
    const mentions = expressions(task).filter((text) => text.includes('Task.Token'));
    expect(mentions).toHaveLength(waitsForToken(task) ? 1 : 0);
    if (waitsForToken(task)) expect(task.TimeoutSeconds).toBeDefined();
  });

  test.each(expressions(definition))('%s is JSONata', (expression) => {
    expect(() => compile(expression)).not.toThrow();
  });
});
