/** Each kind of state and its failures: small machines in the local interpreter. */
import { loadDefinition, type State } from '#adapters/local/asl/definition.ts';
import { createInterpreter } from '#adapters/local/asl/interpreter.ts';
import { fakeTime } from './fake-time.ts';
import { memoryExecutions } from './memory-executions.ts';

const placeholder = (name: string) => `\${${name}}`;
type Invoke = (functionName: string, payload: unknown) => Promise<unknown>;

const machine = (states: Record<string, unknown>, startAt = 'First') =>
  loadDefinition(JSON.stringify({ QueryLanguage: 'JSONata', StartAt: startAt, States: states }), { Fn: 'fn' });
const task = (more: object = {}, resource = 'lambda:invoke') => ({
  Type: 'Task',
  Resource: `arn:aws:states:::${resource}`,
  End: true,
  Arguments: { FunctionName: placeholder('Fn'), Payload: '{% $states.input %}' },
  ...more,
});

function setUp(states: Record<string, unknown>, invoke: Invoke = async () => null) {
  const time = fakeTime();
  const kept = memoryExecutions();
  const reports: string[] = [];
  let ids = 0;
  const interpreter = createInterpreter({
    name: 'test',
    definition: machine(states),
    store: kept.store,
    invoke,
    clock: time.clock,
    timers: time.timers,
    ids: { uuid: () => 'id', randomHex: () => `token-${++ids}` },
    random: () => 0.5,
    report: (message) => void reports.push(message),
  });
  const run = async (input: unknown = {}) => {
    await interpreter.start('x', input);
    await interpreter.idle();
    return kept.row('x')!;
  };
  return { ...time, ...kept, interpreter, reports, run };
}

test('a task receives its arguments and returns its result, with assigned variables', async () => {
  const calls: unknown[] = [];
  const { run } = setUp(
    {
      First: task({
        End: undefined,
        Next: 'Second',
        Assign: { found: '{% $states.result.Payload.sum %}', before: '{% $exists($found) %}' },
        Output: { seen: '{% $states.input.n %}' },
      }),
      Second: {
        Type: 'Pass',
        Output: '{% { "total": $found + $states.input.seen, "first": $not($before) } %}',
        End: true,
      },
    },
    async (name, payload) => {
      calls.push([name, payload]);
      return { sum: 40 };
    },
  );
  expect(await run({ n: 2 })).toMatchObject({ status: 'succeeded', output: { total: 42, first: true } });
  expect(calls).toEqual([['fn', { n: 2 }]]);
});

test('the context contains the execution, the state and the number of attempts', async () => {
  const { run } = setUp({ First: { Type: 'Pass', Output: '{% $states.context %}', End: true } });
  expect((await run({ a: 1 })).output).toMatchObject({
    Execution: { Name: 'x', Input: { a: 1 }, StartTime: '2026-01-01T00:00:00.000Z' },
    State: { Name: 'First', RetryCount: 0 },
  });
});

test.each([
  [3, 'big'],
  [2, 'two'],
  [1, 'other'],
])('a choice takes the first branch whose condition is true: %d → %s', async (n, expected) => {
  const { run } = setUp({
    First: {
      Type: 'Choice',
      Choices: [
        { Condition: '{% $states.input.n > 2 %}', Next: 'End', Output: 'big' },
        { Condition: '{% $states.input.n >= 2 %}', Next: 'End', Output: 'two' },
      ],
      Default: 'End',
      Output: 'other',
    },
    End: { Type: 'Succeed' },
  });
  expect((await run({ n })).output).toBe(expected);
});

test('a choice without a matching branch fails', async () => {
  const { run } = setUp({ First: { Type: 'Choice', Choices: [{ Condition: '{% false %}', Next: 'First' }] } });
  expect(await run()).toMatchObject({ status: 'failed', output: { Error: 'States.NoChoiceMatched' } });
});

test('a Fail state ends the execution with its error, which is reported', async () => {
  const { run, reports } = setUp({ First: { Type: 'Fail', Error: 'Bad', Cause: 'because' } });
  expect(await run()).toMatchObject({ status: 'failed', output: { Error: 'Bad', Cause: 'because' } });
  expect(reports).toEqual([expect.stringContaining('"Bad"')]);
});

test.each([
  ['Seconds', { Seconds: '{% $states.input.s %}' }],
  ['Timestamp', { Timestamp: '2026-01-01T00:00:30Z' }],
])('Wait by %s', async (_, how) => {
  const { run, interpreter, waiting, pass, row } = setUp({ First: { Type: 'Wait', ...how, End: true } });
  expect((await run({ s: 30 })).status).toBe('running');
  expect(waiting()).toEqual([30]);
  pass(30);
  await interpreter.idle();
  expect(row('x')).toMatchObject({ status: 'succeeded', output: { s: 30 } });
});

const failing = (times: number, error = 'Flaky'): Invoke => {
  let left = times;
  return async () => {
    if (left-- > 0) throw Object.assign(new Error('no'), { name: error });
    return 'done';
  };
};

test('Retry backs off up to its maximum delay, with jitter, and counts attempts per retrier', async () => {
  const retry = {
    ErrorEquals: ['States.ALL'],
    IntervalSeconds: 2,
    BackoffRate: 3,
    MaxAttempts: 4,
    MaxDelaySeconds: 10,
    JitterStrategy: 'FULL',
  };
  const { run, interpreter, waiting, pass, row } = setUp({ First: task({ Retry: [retry] }) }, failing(4));
  await run();
  const delays: number[] = [];
  for (let tries = 0; tries < 4; tries++) {
    delays.push(...waiting());
    pass(10);
    await interpreter.idle();
  }
  expect(delays).toEqual([1, 3, 5, 5]); // half of 2, 6, 10, 10
  expect(row('x')).toMatchObject({ status: 'succeeded', output: { Payload: 'done' } });
});

test('Retry gives up after its maximum attempts, and Catch then receives the error', async () => {
  const { run, interpreter, pass, row } = setUp(
    {
      First: task({
        End: undefined,
        Next: 'Second',
        Retry: [{ ErrorEquals: ['Other'] }, { ErrorEquals: ['Flaky'], MaxAttempts: 1 }],
        Catch: [
          { ErrorEquals: ['Other'], Next: 'First' },
          { ErrorEquals: ['States.TaskFailed'], Next: 'Second', Assign: { why: '{% $states.errorOutput.Error %}' } },
        ],
      }),
      Second: { Type: 'Pass', Output: '{% { "why": $why, "input": $states.input } %}', End: true },
    },
    failing(2),
  );
  await run();
  pass(1);
  await interpreter.idle();
  expect(row('x')).toMatchObject({
    status: 'succeeded',
    output: { why: 'Flaky', input: { Error: 'Flaky', Cause: '{"errorType":"Flaky","errorMessage":"no"}' } },
  });
});

test('an execution with neither Retry nor Catch fails with the error', async () => {
  const { run } = setUp({ First: task() }, failing(1));
  expect(await run()).toMatchObject({ status: 'failed', output: { Error: 'Flaky' } });
});

test('a plain task that takes too long times out', async () => {
  const states = {
    First: task({ TimeoutSeconds: 5, Catch: [{ ErrorEquals: ['States.Timeout'], Next: 'Late' }] }),
    Late: { Type: 'Succeed' },
  };
  const invoked = Promise.withResolvers<void>();
  const never = new Promise(() => {});
  const { interpreter, pass, waiting, row } = setUp(states, () => {
    invoked.resolve();
    return never;
  });
  await interpreter.start('x', {});
  await invoked.promise;
  expect(waiting()).toEqual([5]);
  pass(5);
  await interpreter.idle();
  expect(row('x')).toMatchObject({ status: 'succeeded', output: { Error: 'States.Timeout' } });
});

describe('expressions', () => {
  test.each([
    ['no value', '{% $states.input.missing %}'],
    ['a type error', '{% 1 + "a" %}'],
    ['no JSONata', '{% ( %}'],
    ['a function', '{% function($x) { $x } %}'],
  ])('an expression with %s fails the state', async (_, expression) => {
    const { run } = setUp({ First: { Type: 'Pass', Output: expression, End: true } });
    expect(await run()).toMatchObject({ status: 'failed', output: { Error: 'States.QueryEvaluationError' } });
  });

  test('an error in the arguments is caught like any other error', async () => {
    const states = {
      First: task({
        Arguments: { FunctionName: 'fn', Payload: '{% $nothing %}' },
        Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Caught' }],
      }),
      Caught: { Type: 'Succeed' },
    };
    expect(await setUp(states).run()).toMatchObject({
      status: 'succeeded',
      output: { Error: 'States.QueryEvaluationError' },
    });
  });

  test('a timeout value that is not a number of seconds is also caught as an error', async () => {
    const states = {
      First: task(
        { TimeoutSeconds: '{% "soon" %}', Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Caught' }] },
        'lambda:invoke.waitForTaskToken',
      ),
      Caught: { Type: 'Succeed' },
    };
    expect((await setUp(states).run()).status).toBe('succeeded');
  });
});

describe('definitions that are rejected when loaded', () => {
  const load = (state: Partial<State> | object) => () => machine({ First: state });
  test.each([
    ['an unknown type', load({ Type: 'Map' }), /Type Map/],
    ['an unknown resource', load({ ...task(), Resource: 'arn:aws:states:::sqs:sendMessage' }), /Resource/],
    ['JSONPath', () => loadDefinition('{"StartAt":"A","States":{}}', {}), /JSONata/],
    ['a placeholder without value', () => loadDefinition(`{"StartAt":"${placeholder('Nobody')}"}`, {}), /\$\{Nobody\}/],
  ])('%s', (_, loading, says) => {
    expect(loading).toThrow(says);
  });
});
