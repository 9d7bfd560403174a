/** Plugin changes and signed indexes, through the handlers. */
import { configuration, keys } from '../../../test/support/ports.ts';
import { useGateway } from '../../../test/support/use-gateway.ts';
import { indexOf, rootKeys, strangerKeys } from './signed-plugins.ts';

const adminToken = 'admin-token-1';
const gateway = useGateway({}, 'test');
const { call } = gateway;

describe('acts', () => {
  const path = '/admin/v1/supply-chain/acts';
  const about = { name: 'keyword-guard', version: '1.2.0', sha256: 'a'.repeat(64) };
  const install = { act: 'install', ...about, kind: 'wasm_filter', signer: 'b'.repeat(64) };

  const acts = async () => (await call('GET', '/admin/v1/supply-chain', { key: adminToken })).body.acts;

  test('[supply-chain.in-force] plugin changes are recorded as evidence, and GET supply-chain lists them, newest first', async () => {
    const refusal = { act: 'refuse', name: 'keyword-guard', reason: 'key_revoked', message: 'key b… is revoked' };
    const answers = [];
    for (const body of [install, { act: 'remove', ...about }, refusal])
      answers.push(await call('POST', path, { key: adminToken, body }));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    const shown = await acts();
    expect(shown).toEqual([
      expect.objectContaining({ ...refusal, at: expect.any(String), evidence_hash: answers[2]!.body.evidence_hash }),
      expect.objectContaining({ act: 'remove', ...about }),
      expect.objectContaining(install),
    ]);
    const { body } = await call('GET', '/admin/v1/audit?kind=admin', { key: adminToken });
    expect(body.entries.map((entry: { body: { action: string } }) => entry.body.action)).toEqual(
      expect.arrayContaining(['plugin.install', 'plugin.remove', 'plugin.refuse']),
    );
  });

  test('[supply-chain.in-force] a change reported late records the time it was made', async () => {
    const done_at = '2026-11-01T10:00:00.000Z';
    await call('POST', path, { key: adminToken, body: { ...install, done_at } });
    expect(await acts()).toEqual([expect.objectContaining({ act: 'install', done_at })]);
  });

  test.each<[string, object]>([
    ['an act that does not exist', { act: 'approve', ...about }],
    ['an install without its signer', { act: 'install', ...about }],
    ['a removal without its digest', { act: 'remove', name: 'keyword-guard', version: '1.2.0' }],
    ['a refusal with a reason of its own', { act: 'refuse', name: 'x', reason: 'looked odd' }],
    ['a name of two lines', { ...install, name: 'keyword\nguard' }],
    ['a name written from right to left', { ...install, name: 'keyword\u202eguard' }],
    ['a name that is too long', { ...install, name: 'k'.repeat(65) }],
    ['a member that is not known', { ...install, verified: true }],
    ['a digest in upper case', { ...install, sha256: 'A'.repeat(64) }],
  ])('[supply-chain.in-force] %s is refused and not recorded', async (_what, body) => {
    const answer = await call('POST', path, { key: adminToken, body });
    expect([answer.status, answer.body.error.type]).toEqual([400, 'invalid_request']);
    expect(await acts()).toEqual([]);
  });

  test.each(Object.entries(keys))(
    '[supply-chain.in-force] the key %s, without platform rights, cannot record a change',
    async (_name, key) => {
      expect((await call('POST', path, { key, body: install })).status).toBe(403);
      expect(await acts()).toEqual([]);
    },
  );
});

test('[supply-chain.sequence] an index older than the active one is refused; a newer one and a new root key are accepted', async () => {
  const under = (file: object, pem = rootKeys.pem.publicKey) =>
    call('PUT', '/admin/v1/config', {
      key: adminToken,
      headers: { 'content-type': 'application/yaml' },
      raw: configuration(`supply_chain: ${JSON.stringify({ root_key: pem, index: file })}`),
    });
  const sequence = (index: number, revocations: number) =>
    indexOf({ index: { sequence: index }, revocations: { sequence: revocations } });
  expect((await under(sequence(6, 6))).status).toBe(201);
  for (const older of [sequence(5, 6), sequence(7, 5)]) {
    const refused = await under(older);
    expect(refused).toMatchObject({ status: 400, body: { error: { type: 'invalid_request' } } });
    expect(refused.body.error.message).toMatch(/supply_chain\.index: found sequence_older/);
  }
  const reused = await under(indexOf({ index: { sequence: 6 }, plugins: [], revocations: { sequence: 6 } }));
  expect(reused.body.error.message).toContain('sequence_reused');
  expect((await under(sequence(7, 6))).status).toBe(201);
  expect((await under(indexOf({}, strangerKeys), strangerKeys.pem.publicKey)).status).toBe(201);
});
