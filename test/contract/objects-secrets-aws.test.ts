/** Requests of the S3 and Secrets Manager adapters, and how responses are handled. */
import { S3Client } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { objectBounds } from '#adapters/aws/client-bounds.ts';
import { objectBucket } from '#adapters/aws/object-bucket.ts';
import { secretsManager } from '#adapters/aws/secrets-manager.ts';
import { environmentSecrets } from '#adapters/local/environment-secrets.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { fakeHttpService } from '../support/fake-http-service.ts';
import { awsError, scriptedAws } from '../support/scripted-aws.ts';
import { useStarted } from '../support/use-started.ts';

const aws = useStarted(() => scriptedAws(), 'test');

const bytes = new TextEncoder().encode('content');
const digest = sha256(bytes);
const xml = (code: string, status: number) => ({
  status,
  contentType: 'application/xml',
  body: `<Error><Code>${code}</Code><Message>${code}</Message></Error>`,
});

describe('objects in S3', () => {
  const bucket = () => objectBucket({ bucket: 'b', client: new S3Client({ ...aws.client, forcePathStyle: true }) });

  test('are stored under their digest unless already present, with the digest for S3 to check', async () => {
    aws.answers({ body: '' });
    expect(await bucket().put(bytes)).toBe(digest);
    expect(aws.asked[0]).toMatchObject({
      method: 'PUT',
      path: expect.stringContaining(`/b/sha256/${digest.slice(0, 2)}/${digest}`),
    });
    expect(aws.asked[0]?.headers).toMatchObject({
      'if-none-match': '*',
      'x-amz-checksum-sha256': Buffer.from(digest, 'hex').toString('base64'),
    });
  });

  test('are stored only once: an object that is already present counts as success', async () => {
    aws.answers(xml('PreconditionFailed', 412));
    expect(await bucket().put(bytes)).toBe(digest);
  });

  test('[action.large-result] storing is given up if S3 never responds, and pending work continues', async () => {
    const silent = await fakeHttpService(() => 'hang');
    const client = new S3Client({ ...aws.client, ...objectBounds(100), endpoint: silent.url, forcePathStyle: true });
    await expect(objectBucket({ bucket: 'b', client }).put(bytes)).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    expect(silent.asked).toHaveLength(2);
    await silent.stop();
  });

  test('storing is retried while another writer is storing the same object', async () => {
    aws.answers(xml('ConditionalRequestConflict', 409), { body: '' });
    expect(await bucket().put(bytes)).toBe(digest);
    expect(aws.asked).toHaveLength(2);
  });

  test('are read back, and reading fails if they do not match their digest', async () => {
    aws.answers(
      { body: 'content', contentType: 'application/octet-stream' },
      { body: 'contents' },
      xml('NoSuchKey', 404),
    );
    const store = bucket();
    expect(await store.get(digest)).toEqual(bytes);
    await expect(store.get(digest)).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(await store.get(digest)).toBeUndefined();
    expect(await store.get('../another')).toBeUndefined();
  });

  test('an object that S3 rejects causes an error', async () => {
    aws.answers(xml('AccessDenied', 403));
    await expect(bucket().put(bytes)).rejects.toMatchObject({ code: 'service_unavailable' });
  });
});

describe('secrets in Secrets Manager', () => {
  const open = (secretIds: string[], now = () => 0) =>
    secretsManager({ secretIds, client: new SecretsManagerClient(aws.client), now });
  const secret = (values: unknown) => ({ body: { SecretString: JSON.stringify(values) } });

  test('[secrets.kept] are found in their bundle, which is read once every five minutes', async () => {
    aws.answers(secret({ A: 'one' }), secret({ A: 'two' }));
    let now = 0;
    const store = open(['keys'], () => now);
    expect([await store.get('A'), await store.get('B'), await store.get('toString')]).toEqual([
      'one',
      undefined,
      undefined,
    ]);
    now = 299_999;
    expect(await store.get('A')).toBe('one');
    now = 300_000;
    expect(await store.get('A')).toBe('two');
    expect(aws.asked).toHaveLength(2);
    expect(aws.asked[0]?.body).toBe('{"SecretId":"keys"}');
  });

  test('[secrets.kept] are read again if the stored configuration has changed or a provider has rejected a key', async () => {
    aws.answers(secret({ A: 'one' }), secret({ A: 'two' }), secret({ A: 'three' }));
    let now = 0;
    const store = open(['keys'], () => now);
    expect(await store.get('A')).toBe('one');
    store.forget();
    expect(await store.get('A')).toBe('two');
    // If many calls are refused, the secret is not read again for each of them.
    store.refused?.();
    expect(await store.get('A')).toBe('two');
    now = 10_000;
    store.refused?.();
    expect(await store.get('A')).toBe('three');
    expect(aws.asked).toHaveLength(3);
  });

  test('a secret without a value counts as missing', async () => {
    aws.answers({ body: { SecretString: '' } }, { body: {} });
    expect([await open(['new']).get('A'), await open(['newer']).get('A')]).toEqual([undefined, undefined]);
  });

  test('secrets in a missing or unreadable bundle count as missing', async () => {
    aws.answers(awsError('AccessDeniedException'), awsError('ResourceNotFoundException'));
    expect(await open(['brokers']).get('A')).toBeUndefined();
    expect(await open(['gone']).get('A')).toBeUndefined();
  });

  test('secrets that cannot be read cause an error and are read again', async () => {
    aws.answers(awsError('InternalServiceError', 500), secret({ A: 'one' }));
    const store = open(['keys']);
    await expect(store.get('A')).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(await store.get('A')).toBe('one');
  });

  test('a malformed bundle is refused, and the error does not quote any value', async () => {
    aws.answers({ body: { SecretString: 'plain s3cret' } });
    await expect(open(['keys']).get('A')).rejects.toMatchObject({
      code: 'service_unavailable',
      message: expect.not.stringContaining('s3cret'),
    });
  });
});

test('environment secrets: only allowed names are read, they take precedence over generated ones, and an empty value counts as missing', async () => {
  const store = environmentSecrets(
    { A: 'real', EMPTY: '', PATH: '/bin', AWS_SECRET_ACCESS_KEY: 'x' },
    { A: 'made', B: 'made', EMPTY: 'made' },
  );
  const values = await Promise.all(
    ['A', 'B', 'EMPTY', 'PATH', 'AWS_SECRET_ACCESS_KEY', 'constructor', 'NONE'].map((name) => store.get(name)),
  );
  expect(values).toEqual(['real', 'made', 'made', undefined, undefined, undefined, undefined]);
});
