/** Every AWS client, tested with a server that accepts the request and never responds [cloud.store-client]. */
import { readdirSync, readFileSync } from 'node:fs';
import { S3Client } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { archiveBucket } from '#adapters/aws/archive-bucket.ts';
import { lazySecretVersions } from '#adapters/aws/broker-clients.ts';
import { clientBounds, objectBounds, onceWithDeadline } from '#adapters/aws/client-bounds.ts';
import { lazyConnectionPosts } from '#adapters/aws/connection-post.ts';
import { dynamoClient } from '#adapters/aws/dynamodb/client.ts';
import { lazyFunctionInvoke } from '#adapters/aws/function-invoke.ts';
import { lazyKmsSigner } from '#adapters/aws/kms-signer.ts';
import { objectBucket } from '#adapters/aws/object-bucket.ts';
import { secretsManager } from '#adapters/aws/secrets-manager.ts';
import { lazyStepFunctionsClock } from '#adapters/aws/step-functions-clock.ts';
import { lazySts } from '#adapters/aws/sts-client.ts';
import { sandboxFunction } from '#adapters/executors/sandbox-function.ts';
import { configTable } from '#adapters/tables/config-table.ts';
import { over } from '../support/dynamo.ts';
import { fakeHttpService } from '../support/fake-http-service.ts';
import { useStarted } from '../support/use-started.ts';

const silent = useStarted(() => fakeHttpService(() => 'hang'));

/** Returns the product's timeouts, shortened from seconds to a tenth of a second. */
const soon = () => ({
  ...clientBounds({ requestMs: 100, attempts: 2 }),
  endpoint: silent.url,
  region: 'us-east-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
});
const s3 = () => new S3Client({ ...soon(), forcePathStyle: true });
const unavailable = { code: 'service_unavailable' };
const command = { timeoutMs: -14_900, program: 'true', args: [], env: [], root: '', stdin: '' };

const calls: Readonly<Record<string, readonly [() => Promise<unknown>, object]>> = {
  DynamoDB: [() => configTable(over(dynamoClient(soon()), { config: 'config' })).current(), unavailable],
  'S3, objects': [() => objectBucket({ bucket: 'b', client: s3() }).get('a'.repeat(64)), unavailable],
  'S3, archive': [
    () => archiveBucket({ bucket: 'b', client: s3() }).runs('t', 's')[Symbol.asyncIterator]().next(),
    unavailable,
  ],
  'Secrets Manager': [
    () => secretsManager({ secretIds: ['keys'], client: new SecretsManagerClient(soon()) }).get('A'),
    unavailable,
  ],
  'Secrets Manager, versions': [
    () => lazySecretVersions(soon()).get({ secretId: 's', region: undefined, stage: 'AWSCURRENT' } as never),
    { kind: 'timeout' },
  ],
  KMS: [() => lazyKmsSigner('key', soon()).sign(new Uint8Array(1)), unavailable],
  'Step Functions': [() => lazyStepFunctionsClock('arn', soon()).start('e'), unavailable],
  'Lambda, handed over': [() => lazyFunctionInvoke('f', soon())({}), unavailable],
  'Lambda, sandbox': [
    () => sandboxFunction('f', { ...soon(), ...onceWithDeadline })(command as never, undefined),
    { kind: 'timeout', effect: 'unknown' },
  ],
  STS: [
    () => lazySts({ ...soon(), ...onceWithDeadline }, 100).assumeRole({ tags: {}, roleArn: 'arn' } as never),
    { kind: 'timeout' },
  ],
  'connections of API Gateway': [() => lazyConnectionPosts(silent.url, soon(), 100).post('c', 'text'), unavailable],
};

test.each(Object.entries(calls))(
  '[cloud.store-client] %s: a hanging server results in a typed error',
  async (_service, [call, error]) => {
    await expect(call()).rejects.toMatchObject(error);
  },
);

test('[cloud.store-client] a message that may have arrived is not posted a second time', async () => {
  silent.asked.length = 0;
  // The post's own time limit ends it, long after it arrived on a busy machine and before the client would send it
  // again.
  const bounds = { ...soon(), ...clientBounds({ requestMs: 5_000, attempts: 2 }) };
  await expect(lazyConnectionPosts(silent.url, bounds, 500).post('c', 'text')).rejects.toMatchObject(unavailable);
  expect(silent.asked).toHaveLength(1);
});

test('[cloud.store-client] time limits: one second to open a connection, three seconds for a row, eight for a body', () => {
  expect(clientBounds()).toMatchObject({
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true },
  });
  expect(objectBounds()).toMatchObject({ maxAttempts: 2, requestHandler: { requestTimeout: 8_000 } });
  expect(onceWithDeadline).toMatchObject({ maxAttempts: 1, requestHandler: { connectionTimeout: 1_000 } });
});

/** Clients with a timeout of their own: Bedrock uses its own connections, with the timeouts of its provider. */
const bounded = /new (?:sdk\.)?BedrockRuntimeClient\(|clientBounds\(|objectBounds\(|onceWithDeadline/;

test('[cloud.store-client] every SDK client is created with time limits', () => {
  const files = ['adapters/aws', 'adapters/executors', 'adapters/local', 'bin', 'lambdas'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      // The DynamoDB client gets its time limits from its callers.
      .filter((name) => name.endsWith('.ts') && name !== 'dynamodb/client.ts')
      .map((name) => `${folder}/${name}`),
  );
  const made = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/(?:new (?:sdk\.)?\w+Client|dynamoClient)\([^;]*/g)].map(
      ([call]) => `${file}: ${call}`,
    ),
  );
  expect(made.length).toBeGreaterThan(10);
  expect(made.filter((line) => !bounded.test(line))).toEqual([]);
});
