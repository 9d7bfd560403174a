/** Functions that are not called over HTTP: state machine steps, schedules, streams, WebSocket events, the sandbox. */
import assert from 'node:assert/strict';
import type { FunctionName } from '#core/contracts/functions.ts';
import { type Check, check } from '../support/checks.ts';
import type { Loose } from '../support/loose.ts';
import { keys, type World } from './world.ts';

export function eventChecks(world: World): Check[] {
  const result = async (name: FunctionName, event: unknown): Promise<Loose> => {
    const { kind, bytes } = await (await world.lambda(name)).invoke(event);
    assert.equal(kind, 'answer', bytes.toString());
    return JSON.parse(bytes.toString() || 'null');
  };
  const pending = async (): Promise<string> => {
    const { body } = await world.call('approvals', 'GET /admin/v1/approvals', { caller: 'human' });
    return body.pending[0].envelope_id;
  };

  return [
    check('approval-steps announces an approval, stores its task token and finds it still pending', async () => {
      const envelope_id = await pending();
      const { seconds_left } = await result('approval-steps', { step: 'announce', envelope_id });
      assert.ok(seconds_left > 0 && seconds_left <= 1800, String(seconds_left));
      assert.deepEqual(await result('approval-steps', { step: 'hold', envelope_id, task_token: 'token' }), {});
      const { kind, bytes } = await (await world.lambda('approval-steps')).invoke({ step: 'settle', envelope_id });
      assert.deepEqual([kind, JSON.parse(bytes.toString()).errorType], ['error', 'ApprovalPending']);
    }),
    check('approval-steps fails on an unknown step, so that the state machine notices', async () => {
      const { kind, bytes } = await (await world.lambda('approval-steps')).invoke({ step: 'execute' });
      assert.equal(kind, 'error');
      assert.match(JSON.parse(bytes.toString()).errorType, /Error/);
    }),
    check('sweep and notify run on their schedules', async () => {
      for (const name of ['sweep', 'notify'] as const) await result(name, {});
    }),
    check('project archives entries from the evidence stream', async () => {
      const entry = { version: 1, tenant: 'default', session_id: 'projected', index: 0, kind: 'allow' };
      const archived = {
        ...entry,
        timestamp: '2026-01-01T00:00:00.000Z',
        envelope_id: 'e',
        actor: { key_id: 'k' },
        body: {},
      };
      const image = { entry: { S: JSON.stringify({ ...archived, previous_hash: '', hash: '0'.repeat(64) }) } };
      const record = { eventName: 'INSERT', dynamodb: { SequenceNumber: '1', NewImage: image } };
      const before = world.aws.calls.filter((call) => call === 's3.PUT').length;
      assert.deepEqual(await result('project', { Records: [record] }), { batchItemFailures: [] });
      assert.ok(world.aws.calls.filter((call) => call === 's3.PUT').length > before, 'nothing was archived');
    }),
    check('ws hands a WebSocket call over to ws-worker, which responds to it', async () => {
      const requestContext = { connectionId: 'c1', domainName: 'ws.example', requestId: 'r1' };
      const opened = await result('ws', {
        requestContext: { ...requestContext, routeKey: '$connect' },
        headers: { 'x-api-key': keys.agent },
      });
      assert.equal(opened.statusCode, 200, opened.body);
      const body = { model: 'mock', stream: true, max_tokens: 20, messages: [{ role: 'user', content: 'hello' }] };
      const message = JSON.stringify({ type: 'chat.completions', id: 'call-1', body });
      await result('ws', { requestContext: { ...requestContext, routeKey: '$default' }, body: message });
      const handed = world.aws.invocations.at(-1);
      assert.ok(handed, `nothing was handed over: ${world.aws.posts.at(-1)}`);
      await result('ws-worker', JSON.parse(handed));
      const last = JSON.parse(world.aws.posts.at(-1) ?? '{}');
      assert.equal((last.messages?.at(-1) ?? last).type, 'done');
      assert.ok(
        world.aws.posts.some((post) => post.includes('hello')),
        'the answer was not posted',
      );
    }),
    check('sandbox runs a command', async () => {
      const command = { argv: ['echo', 'ran'], timeoutMs: 10_000, maxOutputBytes: 1_000, maxProcesses: 10, env: [] };
      const { result: ran, fault } = await result('sandbox', command);
      assert.equal(ran?.stdout, 'ran\n', JSON.stringify(fault));
    }),
  ];
}
