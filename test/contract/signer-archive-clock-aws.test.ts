/** Signer and archive on AWS, tested against a scripted server. */
import { createHash, generateKeyPairSync, sign, verify } from 'node:crypto';
import { S3Client } from '@aws-sdk/client-s3';
import { archiveBucket } from '#adapters/aws/archive-bucket.ts';
import { formerKeyIds, lazyKmsSigner } from '#adapters/aws/kms-signer.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import { awsError, scriptedAws } from '../support/scripted-aws.ts';
import { useStarted } from '../support/use-started.ts';

const server = useStarted(() => scriptedAws());

describe('the KMS signer', () => {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signer = () => lazyKmsSigner('key-1', server.client);
  const spki = keys.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');

  it('requests a signature over the digest and returns one that verifies with the public key', async () => {
    const message = Buffer.alloc(10_000, 'm');
    server.answers(
      { body: { Signature: sign('sha256', message, keys.privateKey).toString('base64') } },
      { body: { PublicKey: spki } },
    );
    const made = signer();
    const signature = Buffer.from(await made.sign(message), 'base64');
    expect(verify('sha256', message, await made.publicKey(), signature)).toBe(true);
    expect(JSON.parse(server.asked[0]!.body)).toEqual({
      KeyId: 'key-1',
      Message: createHash('sha256').update(message).digest('base64'),
      MessageType: 'DIGEST',
      SigningAlgorithm: 'ECDSA_SHA_256',
    });
  });

  it('caches the public key but not a failure', async () => {
    server.answers(awsError('KMSInternalException', 500), { body: { PublicKey: spki } });
    const made = signer();
    await expect(made.publicKey()).rejects.toMatchObject({ code: 'service_unavailable' });
    const pem = await made.publicKey();
    expect(pem).toContain('-----BEGIN PUBLIC KEY-----');
    expect(await made.publicKey()).toBe(pem);
    expect(server.asked).toHaveLength(2);
  });

  it('[evidence.keys.rotate] lists the earlier signing keys under the ids used in their signatures', async () => {
    const former = 'arn:aws:kms:eu-west-1:123456789012:key/1234-abcd';
    server.answers({ body: { PublicKey: spki } }, { body: { PublicKey: spki } });
    const made = lazyKmsSigner('key-1', server.client, formerKeyIds({ SIGNING_KEY_FORMER_IDS: former }));
    const { keys: listed, successions } = await made.keys!();
    expect([listed.map(({ key_id }) => key_id), successions]).toEqual([['key-1', '1234-abcd'], []]);
    expect(server.asked.map(({ body }) => JSON.parse(body).KeyId).sort()).toEqual([former, 'key-1'].sort());
    expect(formerKeyIds({})).toEqual([]);
  });

  it('[evidence.keys.rotate] publishes a statement that a key follows the previous one, signed by both while the previous one is enabled', async () => {
    const former = 'arn:aws:kms:eu-west-1:123456789012:key/first';
    const [key, signed] = [{ body: { PublicKey: spki } }, (text: string) => ({ body: { Signature: btoa(text) } })];
    const environment = { SIGNING_KEY_FORMER_IDS: former, SIGNING_KEY_LINKED_IDS: former };
    const [all, linked] = [formerKeyIds(environment), formerKeyIds(environment, 'SIGNING_KEY_LINKED_IDS')];
    const made = lazyKmsSigner('second', server.client, all, linked);
    server.answers(key, key, awsError('DisabledException'));
    const { keys: listed, successions: none } = await made.keys!();
    expect([listed.map(({ key_id }) => key_id), none]).toEqual([['second', 'first'], []]);
    server.answers(signed('before'), signed('after'));
    const [succession] = (await made.keys!()).successions;
    expect(succession).toMatchObject({
      previous: { key_id: 'first' },
      next: { key_id: 'second' },
      signatures: { previous: btoa('before'), next: btoa('after') },
    });
    const requests = server.asked.map(({ body }) => JSON.parse(body) as { KeyId: string; Message: string });
    expect(requests.map(({ KeyId }) => KeyId)).toEqual([former, 'second']);
    expect(new Set(requests.map(({ Message }) => Message)).size).toBe(1);
    // Once signed, the statement is kept.
    expect((await made.keys!()).successions).toEqual([succession]);
    expect(server.asked).toHaveLength(2);
  });

  it.each(['AccessDeniedException', 'DisabledException'])('refuses on %s', async (name) => {
    server.answers(awsError(name));
    await expect(signer().sign(Buffer.from('m'))).rejects.toMatchObject({ code: 'service_unavailable' });
  });
});

describe('the archive bucket', () => {
  const entry: EvidenceEntry = {
    version: 1,
    tenant: 'a/b',
    session_id: 's:1',
    index: 7,
    timestamp: '2026-01-01T00:00:00.000Z',
    kind: 'allow',
    envelope_id: 'e',
    actor: { key_id: 'k' },
    body: {},
    previous_hash: '0'.repeat(64),
    hash: 'a'.repeat(64),
  };
  const archive = () =>
    archiveBucket({ client: new S3Client({ ...server.client, forcePathStyle: true }), bucket: 'archive' });
  const xmlError = (status: number, code: string) => ({
    status,
    contentType: 'application/xml',
    body: `<Error><Code>${code}</Code></Error>`,
  });

  it('stores the canonical entry under its position and hash unless that name is taken', async () => {
    server.answers({ body: '' });
    await archive().keep([entry]);
    const [asked] = server.asked;
    expect(asked?.method).toBe('PUT');
    expect(decodeURIComponent(asked!.path)).toContain(`/archive/a%2Fb/s%3A1/000000000007-${'a'.repeat(64)}.json`);
    expect(asked?.headers['if-none-match']).toBe('*');
    expect(asked?.body).toContain(canonicalize(entry));
  });

  it('treats an entry that is already stored as a success', async () => {
    server.answers(xmlError(412, 'PreconditionFailed'));
    await expect(archive().keep([entry])).resolves.toBeUndefined();
  });

  it('throws on any other error so that the batch is retried', async () => {
    server.answers(xmlError(403, 'AccessDenied'));
    await expect(archive().keep([entry])).rejects.toThrow();
  });
});
