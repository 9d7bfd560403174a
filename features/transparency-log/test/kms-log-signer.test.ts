/** The log's keys on AWS, tested against a scripted server. */
import { generateKeyPairSync, sign, verify } from 'node:crypto';
import { logKeyOf } from '#core/evidence/transparency/note.ts';
import { awsError, scriptedAws } from '../../../test/support/scripted-aws.ts';
import { useStarted } from '../../../test/support/use-started.ts';
import { kmsLogSigner, logKeyIds } from '../adapters/kms-log-signer.ts';

const server = useStarted(() => scriptedAws());

describe('[transparency.log] the log key', () => {
  const keys = generateKeyPairSync('ed25519');
  const spki = keys.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');

  it('signs the message itself with Ed25519, and is named after its digest and the tenant', async () => {
    const message = Buffer.from('origin\n1\nroot\n');
    server.answers(
      { body: { PublicKey: spki } },
      { body: { Signature: sign(null, message, keys.privateKey).toString('base64') } },
    );
    const log = await kmsLogSigner({ keyId: 'log-1', former: [], overlaps: false }, server.client)('a/b');
    expect(log).toMatchObject(logKeyOf(keys.publicKey, 'a/b'));
    expect(verify(null, message, log.publicKey, await log.sign(message))).toBe(true);
    expect(JSON.parse(server.asked[1]!.body)).toEqual({
      KeyId: 'log-1',
      Message: message.toString('base64'),
      MessageType: 'RAW',
      SigningAlgorithm: 'ED25519_SHA_512',
    });
  });

  it('[transparency.log] keeps its name when rotated, and the previous key also signs for a transition period', async () => {
    const next = generateKeyPairSync('ed25519');
    const nextSpki = next.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
    server.answers({ body: { PublicKey: nextSpki } }, { body: { PublicKey: spki } });
    const environment = { LOG_KEY_ID: 'log-2', LOG_KEY_FORMER_IDS: 'arn:log-1' };
    const ids = logKeyIds({ ...environment, LOG_KEY_OVERLAP: 'on' })!;
    const both = await kmsLogSigner(ids, server.client)('t');
    expect(both.name).toBe(logKeyOf(keys.publicKey, 't').name);
    expect([both.beside!.id, both.former]).toEqual([logKeyOf(keys.publicKey, 't').id, undefined]);
    server.answers({ body: { PublicKey: nextSpki } }, { body: { PublicKey: spki } });
    const after = await kmsLogSigner(logKeyIds(environment)!, server.client)('t');
    expect([after.beside, after.former!.map(({ id }) => id)]).toEqual([undefined, [both.beside!.id]]);
    expect(logKeyIds({})).toBeUndefined();
  });

  it('fails if KMS fails, and retries on the next call', async () => {
    server.answers(awsError('DisabledException'), { body: { PublicKey: spki } });
    const signer = kmsLogSigner({ keyId: 'log-1', former: [], overlaps: false }, server.client);
    await expect(signer('t')).rejects.toMatchObject({ code: 'service_unavailable' });
    expect((await signer('t')).name).toMatch(/^agent-governance-gateway\/[0-9a-f]{16}\/t$/);
  });
});
