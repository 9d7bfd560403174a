/** Notifications from the delivery stream; a click is acknowledged while its vote is being stored. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { type Check, check } from '../support/checks.ts';
import { asCaller } from './front.ts';
import { storeGate } from './store-gate.ts';
import { type Call, restEvent, slackSecret, type World } from './world.ts';

export function slackChecks(world: World): Check[] {
  const asked = async (session: string): Promise<string> => {
    const { body } = await world.call('test-action', 'POST /admin/v1/test-action', {
      caller: 'agent',
      body: {
        protocol: 'git',
        tool: 'scm.create_pull_request',
        target: 'acme/web',
        capability: 'write',
        actor: { agent: 'runtime', session },
      },
    });
    return body.envelope_id;
  };
  const signed = (payload: object): Call => {
    const raw = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
    const timestamp = String(Math.floor(Date.now() / 1000));
    return {
      raw,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-slack-request-timestamp': timestamp,
        'x-slack-signature': `v0=${createHmac('sha256', slackSecret).update(`v0:${timestamp}:${raw}`).digest('hex')}`,
      },
    };
  };
  const response_url = `${world.upstream.url}/response`;
  const account = { team: { id: 'T01' }, user: { id: 'U01' } };
  const click = (id: string, trigger_id: string): Call =>
    signed({
      type: 'block_actions',
      ...account,
      trigger_id,
      response_url,
      actions: [{ action_id: 'approve', value: id, action_ts: '1.2' }],
    });
  const submission = (envelope_id: string, dialog: string): Call => {
    const private_metadata = JSON.stringify({ envelope_id, verdict: 'approve', response_url });
    const state = { values: { comment: { comment: { value: 'fine' } } } };
    return signed({
      type: 'view_submission',
      ...account,
      view: { id: dialog, callback_id: 'vote', private_metadata, state },
    });
  };
  const route = 'POST /callbacks/slack';
  const statusOf = async (id: string) =>
    (await world.call('approvals', `GET /admin/v1/approvals/${id}`, { caller: 'human' })).body.status;

  return [
    check('notify sends each message from the deliveries stream once', async () => {
      const id = await asked('notified');
      await (await world.lambda('approval-steps')).invoke({ step: 'announce', envelope_id: id });
      const items = await world.items('deliveries');
      const Records = items
        .filter(({ envelope_id }) => envelope_id?.S === id)
        .map((NewImage) => ({ eventName: 'INSERT', dynamodb: { NewImage } }));
      const notify = await world.lambda('notify');
      const delivered = async () => JSON.parse((await notify.invoke({ Records })).bytes.toString());
      assert.deepEqual(await delivered(), { delivered: 1 });
      assert.deepEqual(await delivered(), { delivered: 0 });
      assert.equal(world.upstream.calls.filter((body) => body.includes(id)).length, 1);
    }),
    check(
      'approval-callback acknowledges a dialog before recording the vote, without reporting an outcome',
      async () => {
        const id = await asked('clicked-early');
        const gate = await storeGate(world.store, { kind: 'approve', when: 'before' });
        const slow = await world.anotherLambda('approval-callback', { AWS_ENDPOINT_URL_DYNAMODB: gate.url });
        try {
          const answer = asCaller(await slow.invoke(restEvent(route, submission(id, 'early'))));
          assert.deepEqual([answer.status, answer.text], [200, '']);
          await gate.stopped;
          assert.equal(await statusOf(id), 'pending');
        } finally {
          await slow.stop();
          await gate.close();
        }
      },
    ),
    check('approval-callback records the vote after the acknowledgement, then posts the outcome', async () => {
      const id = await asked('clicked');
      assert.equal((await world.call('approval-callback', route, click(id, 'ordinary'))).status, 200);
      const answer = await world.call('approval-callback', route, submission(id, 'ordinary'));
      assert.deepEqual([answer.status, answer.text], [200, '']);
      // An environment takes its next event only after it has finished the work for the previous one.
      assert.equal((await world.call('approval-callback', route, submission(id, 'ordinary'))).status, 409);
      assert.ok(world.upstream.calls.some((body) => body.includes('"trigger_id":"ordinary"')));
      assert.equal(await statusOf(id), 'approved');
      assert.ok(world.upstream.calls.some((body) => body.includes('scm.create_pull_request: approved by alice.')));
    }),
  ];
}
