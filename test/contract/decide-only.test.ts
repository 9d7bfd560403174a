/** `decide_only`: the caller carries the action out; the gateway decides and records. */
import { caller } from '../support/call-endpoint.ts';
import { keys, type TestPorts, testPorts } from '../support/ports.ts';

let gateway: TestPorts;
let call: ReturnType<typeof caller>;

beforeAll(async () => {
  gateway = await testPorts();
  call = caller(gateway.ports);
});
afterAll(() => gateway.stop());

const ask = (body: object) =>
  call('POST', '/admin/v1/test-action', { key: keys.agent, body: { ...body, decide_only: true } });
const command = (line: string) => ({
  ...{ protocol: 'shell', tool: 'shell.run', target: '', capability: 'execute', parameters: { command: line } },
  actor: { session: 'coding-1' },
});

test('[action.decide-only] an allowed action is recorded and not executed', async () => {
  const { body } = await ask(command('git status'));
  expect(body).toMatchObject({ decision: 'allow', evidence_hash: expect.any(String) });
  expect(body).not.toHaveProperty('result');
  expect(body).not.toHaveProperty('credential');
});

test('[action.decide-only] an approval is used up by the one call it is for', async () => {
  const held = await ask(command('npm install left-pad'));
  expect(held.body.decision).toBe('review');
  const id = held.body.envelope_id;
  await call('POST', `/admin/v1/approvals/${id}/approve`, { key: keys.human, body: { reviewer: 'alice' } });
  expect((await ask(command('npm install left-pad'))).body).toMatchObject({
    ...{ decision: 'allow', matched_rule: `approved:${id}` },
  });
  expect((await ask(command('npm install left-pad'))).body.decision).toBe('review');
});

test('[action.decide-only] [action.claims-only-tighten] the name of a tool says more than its caller', async () => {
  const { body } = await ask({ protocol: 'mcp', tool: 'delete_repo', target: 'a/b', capability: 'read' });
  expect(body.decision).toBe('block');
});

test('[action.decide-only] an upstream beside it is refused', async () => {
  const { status, body } = await ask({ ...command('ls'), upstream: 'github' });
  expect([status, body.error.message]).toEqual([400, expect.stringContaining('Leave one of them out')]);
});

describe('[action.decide-only] beside an executor that takes every call', () => {
  const executed = jest.fn(async () => ({ ran: true }));
  const executors = [{ name: 'shell', handles: () => true, execute: executed }];
  const askOf = async (extra: string) => {
    const made = await testPorts({ extra, executors });
    const send = caller(made.ports);
    const body = { ...command('git status'), decide_only: true };
    const { status, body: answer } = await send('POST', '/admin/v1/test-action', { key: keys.agent, body });
    await made.stop();
    return { status, answer };
  };

  test('the executor is not called', async () => {
    const { answer } = await askOf('');
    expect([answer.decision, answer.result, executed.mock.calls]).toEqual(['allow', undefined, []]);
  });

  test('it is refused where the gateway would execute what is approved', async () => {
    const { status, answer } = await askOf('approvals: { on_approval: execute }');
    expect([status, answer.error.message]).toEqual([400, expect.stringContaining('on_approval: release')]);
  });
});
