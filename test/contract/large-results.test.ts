/** Results too large for an entry or for any store: the stored part, and the recorded outcome. */
import { resultSizes } from '#core/actions/kept-result.ts';
import { settle } from '#core/approvals/steps.ts';
import { canonicalize, sha256 } from '#core/kernel/canonical.ts';
import type { ObjectStore } from '#core/kernel/ports.ts';
import { stepPorts } from '#lambdas/step-ports.ts';
import { caller } from '../support/call-endpoint.ts';
import { keys } from '../support/ports.ts';
import { useGateway } from '../support/use-gateway.ts';

const allowed = { protocol: 'git', tool: 'scm.get_file_contents', target: 'acme/web', capability: 'read' };
const reviewed = { protocol: 'git', tool: 'scm.create_pull_request', target: 'acme/web', capability: 'write' };
const token = `ghp_${'a1B2'.repeat(9)}`;
const large = { text: 'é"\\'.repeat(10_000), token, end: true };

let next: () => unknown;
let session = 0;

const gateway = useGateway({
  extra: 'approvals: { on_approval: execute }',
  executors: [{ name: 'git', handles: () => true, execute: async () => next() }],
});
const { entriesOf: entries } = gateway;

const down: ObjectStore = {
  put: () => Promise.reject(new Error('no store')),
  get: () => Promise.reject(new Error('no store')),
};
const portsWith = (results: ObjectStore) => ({ ...gateway.ports, results });

const resultOf = async (name: string) => (await entries(name)).find(({ kind }) => kind === 'result')!.body;

const act = (action: object, ports = gateway.ports) =>
  caller(ports)('POST', '/admin/v1/test-action', { key: keys.agent, body: action });
const record = async (id: string, ports = gateway.ports) =>
  (await caller(ports)('GET', `/admin/v1/approvals/${id}`, { key: keys.human })).body;

/** Makes an allowed call that returns `result`. */
async function run(result: unknown, ports = gateway.ports) {
  const name = `large-${++session}`;
  next = () => result;
  const { body } = await act({ ...allowed, actor: { session: name } }, ports);
  return { name, body };
}

/** Makes an approved call that the state machine runs. */
async function runApproved(result: unknown, ports = gateway.ports) {
  const name = `large-${++session}`;
  next = () => result;
  const action = { ...reviewed, actor: { session: name } };
  const id: string = (await act(action, ports)).body.envelope_id;
  const vote = { key: keys.human, body: { reviewer: 'alice' } };
  await caller(ports)('POST', `/admin/v1/approvals/${id}/approve`, vote);
  await settle(stepPorts(ports), id);
  return { name, id, action };
}

describe('[action.large-result] a large result', () => {
  test('reaches the caller in full; the entry has the digest and size of the stored part, which contains none of its secrets', async () => {
    const { name, body } = await run(large);
    expect(body).toMatchObject({ decision: 'allow', result: { text: large.text, end: true } });
    const { outcome, result, result_sha256, result_bytes } = await resultOf(name);
    expect({ outcome, result }).toEqual({ outcome: 'executed' });
    const stored = await gateway.ports.results.get(String(result_sha256));
    expect(stored?.byteLength).toBe(result_bytes);
    expect(canonicalize(JSON.parse(Buffer.from(stored!).toString()))).toBe(canonicalize(body.result));
    expect(Buffer.from(stored!).toString()).not.toContain(token);
    expect(body).toMatchObject({ result_sha256, result_bytes });
    const verdict = await caller(gateway.ports)('GET', `/admin/v1/evidence/sessions/${name}/verify`, {
      key: keys.human,
    });
    expect(verdict.body).toMatchObject({ valid: true });
  });

  test('is included in the entry up to the size limit, and not a byte beyond it', async () => {
    const most = { text: 'x'.repeat(resultSizes.inlineBytes - '{"text":""}'.length) };
    expect(await resultOf((await run(most)).name)).toMatchObject({ result: most });
    const above = { text: `${most.text}x` };
    const body = await resultOf((await run(above)).name);
    expect(body).toMatchObject({
      result_sha256: sha256(canonicalize(above)),
      result_bytes: resultSizes.inlineBytes + 1,
    });
    expect(body.result).toBeUndefined();
  });

  test('from an approved call is returned to the identical call and on its record, and only referenced in lists', async () => {
    const { id, action } = await runApproved(large);
    const again = (await act(action)).body;
    expect(again).toMatchObject({ decision: 'allow', matched_rule: `approved:${id}`, result: { text: large.text } });
    expect(await record(id)).toMatchObject({ status: 'consumed', outcome: 'executed', result: { text: large.text } });
    const row = await gateway.ports.approvals.find(id);
    expect(row).toMatchObject({ result_sha256: again.result_sha256, result_bytes: again.result_bytes });
    expect(row?.result).toBeUndefined();
    const history = await caller(gateway.ports)('GET', '/admin/v1/approvals/history?status=consumed', {
      key: keys.human,
    });
    const listed = history.body.approvals.find((item: { envelope_id: string }) => item.envelope_id === id);
    expect(listed).toMatchObject({ result_sha256: again.result_sha256 });
    expect(listed.result).toBeUndefined();
  });

  test('above the maximum response size is stored and reported as too large', async () => {
    const huge = { text: 'x'.repeat(resultSizes.answeredBytes) };
    const { body } = await run(huge);
    expect(body).toMatchObject({
      decision: 'allow',
      result_withheld: 'too_large',
      result_bytes: huge.text.length + 11,
    });
    expect(body.result).toBeUndefined();
    expect(await gateway.ports.results.get(body.result_sha256)).toBeDefined();
    const { id, action } = await runApproved(huge);
    expect((await act(action)).body).toMatchObject({ decision: 'allow', result_withheld: 'too_large' });
    expect(await record(id)).toMatchObject({ outcome: 'executed', result_withheld: 'too_large' });
  });

  test('that was removed from the store is reported as missing, and its digest is kept', async () => {
    const { id } = await runApproved(large);
    const { result_sha256 } = (await gateway.ports.approvals.find(id))!;
    const emptied = portsWith({ ...gateway.ports.results, get: async () => undefined });
    expect(await record(id, emptied)).toMatchObject({ outcome: 'executed', result_withheld: 'gone', result_sha256 });
    expect(await record(id, portsWith(down))).toMatchObject({ result_withheld: 'store_unavailable', result_sha256 });
  });
});

describe('[action.large-result] the outcome is recorded', () => {
  test('if the object store is down, the caller gets the result, and later readers see why it is missing', async () => {
    const { name, body } = await run(large, portsWith(down));
    expect(body).toMatchObject({ decision: 'allow', result: { text: large.text } });
    const kept = { result_withheld: 'store_unavailable', result_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) };
    expect(await resultOf(name)).toMatchObject({ outcome: 'executed', ...kept });

    const { id, name: approved, action } = await runApproved(large, portsWith(down));
    expect(await resultOf(approved)).toMatchObject({ outcome: 'executed', ...kept });
    expect(await record(id)).toMatchObject({ status: 'consumed', outcome: 'executed', ...kept });
    const again = (await act(action)).body;
    expect(again).toMatchObject({ decision: 'allow', ...kept });
    expect(again.result).toBeUndefined();
  });

  test.each<[string, unknown, string]>([
    ['a lone surrogate', { text: '\ud800' }, 'not_json'],
    ['a number beyond every double', { count: Number.POSITIVE_INFINITY }, 'not_json'],
    ['nesting without end', nested(50_000), 'not_json'],
    ['a flood of secrets', { tokens: Array.from({ length: 2_500 }, (_, i) => `${token}${i}`) }, 'too_many_secrets'],
  ])('for a result with %s', async (_, result, reason) => {
    const { name, body } = await run(result);
    expect(body).toMatchObject({ decision: 'allow', result_withheld: reason });
    expect(await resultOf(name)).toMatchObject({ outcome: 'executed', result_withheld: reason });
  });

  test.each<[string, unknown]>([
    ['numbers the store has no room for', { id: 2 ** 60, tiny: 1e-300 }],
    ['more levels than the store takes', nested(40)],
    ['a member called __proto__', JSON.parse('{"__proto__":{"polluted":true},"null":null}')],
    ['nothing but a text', 'done'],
  ])('together with the result: %s', async (_, result) => {
    const { id, name, action } = await runApproved(result);
    expect((await resultOf(name)).result).toEqual(result);
    expect((await record(id)).result).toEqual(result);
    expect((await act(action)).body.result).toEqual(result);
    expect((await act({ ...action, approval_ref: id })).body.result).toEqual(result);
  });

  test('for a failure with long text, of which the beginning is kept', async () => {
    const name = `large-${++session}`;
    next = () => {
      throw new Error(`no \ud800 ${token} ${'x'.repeat(500_000)}`);
    };
    const { body } = await act({ ...allowed, actor: { session: name } });
    const { outcome, error } = await resultOf(name);
    expect(outcome).toBe('failed');
    expect(String(error)).toHaveLength(4_096);
    expect(String(error)).not.toContain(token);
    expect(body.error.message).toBe(error);
  });
});

function nested(levels: number): unknown {
  let value: unknown = 'deep';
  for (let i = 0; i < levels; i++) value = [value];
  return value;
}
