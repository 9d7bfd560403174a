/** KMS signatures: votes are signed with a separate key, evidence with a key that is replaced. */
import assert from 'node:assert/strict';
import { verifyBundle } from '#core/evidence/verify.ts';
import { type Check, check } from '../support/checks.ts';
import { asCaller } from './front.ts';
import { restEvent, type World } from './world.ts';

const action = (target: string, session: string) => ({
  caller: 'agent' as const,
  body: {
    protocol: 'other',
    tool: 'release.publish',
    target,
    capability: 'write',
    actor: { agent: 'runtime', session },
  },
});

export function signatureChecks(world: World): Check[] {
  const act = (target: string, session: string) =>
    world.call('test-action', 'POST /admin/v1/test-action', action(target, session));

  return [
    check(
      '[approval.evidence-decides] approvals signs a vote with the vote key, and test-action reads the public key',
      async () => {
        const { envelope_id } = (await act('acme/votes', 'votes')).body;
        const before = world.aws.calls.length;
        const voted = await world.call('approvals', `POST /admin/v1/approvals/${envelope_id}/approve`, {
          caller: 'human',
          body: { reviewer: 'alice' },
        });
        assert.equal(voted.status, 200, voted.text);
        const { body } = await act('acme/votes', 'votes');
        assert.equal(body.matched_rule, `approved:${envelope_id}`, JSON.stringify(body));
        const kms = world.aws.calls.slice(before).filter((call) => call.startsWith('kms'));
        assert.deepEqual(kms, ['kms.Sign', 'kms.GetPublicKey']);
      },
    ),
    check(
      '[evidence.keys.rotate] after a key change, evidence keeps what the previous key signed and lists both keys',
      async () => {
        const exportOf = (session: string) => `GET /admin/v1/evidence/sessions/${session}/export`;
        const before = (await world.call('evidence', exportOf('votes'), { caller: 'human' })).body;
        assert.equal(before.manifest.signature.key_id, '00000000-0000-4000-8000-000000000001');
        await act('acme/rotated', 'rotated');
        const rotated = await world.anotherLambda('evidence', {
          SIGNING_KEY_ID: '00000000-0000-4000-8000-000000000002',
          SIGNING_KEY_FORMER_IDS: 'arn:aws:kms:us-east-1:000000000000:key/00000000-0000-4000-8000-000000000001',
        });
        try {
          const ask = async (route: string) =>
            (await asCaller(await rotated.invoke(restEvent(route, { caller: 'human' })))).body;
          const { keys } = await ask('GET /admin/v1/evidence/keys');
          const pem = Object.fromEntries(
            keys.map(({ key_id, public_key }: Record<string, string>) => [key_id, public_key]),
          );
          assert.deepEqual(Object.keys(pem), [
            '00000000-0000-4000-8000-000000000002',
            '00000000-0000-4000-8000-000000000001',
          ]);
          for (const [session, key] of [
            ['votes', '00000000-0000-4000-8000-000000000001'],
            ['rotated', '00000000-0000-4000-8000-000000000002'],
          ] as const) {
            const bundle = await ask(exportOf(session));
            assert.equal(bundle.manifest.signature.key_id, key);
            const { valid, broken_link } = await verifyBundle(JSON.stringify(bundle), pem[key]);
            assert.ok(valid, JSON.stringify(broken_link));
            const live = await ask(`GET /admin/v1/evidence/sessions/${session}/verify`);
            assert.equal(live.valid, true, JSON.stringify(live));
          }
        } finally {
          await rotated.stop();
        }
      },
    ),
  ];
}
