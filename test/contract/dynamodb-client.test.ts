/**
 * The functions' DynamoDB client over HTTP: one signed request per call, and the SDK's retries for unusual responses.
 */

import { Sha256 } from '@aws-crypto/sha256-js';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SignatureV4 } from '@smithy/signature-v4';
import { accessOfFunction } from '#adapters/aws/dynamodb/access.ts';
import { dynamoClient } from '#adapters/aws/dynamodb/client.ts';
import { GetItemCommand, TransactWriteItemsCommand } from '#adapters/aws/dynamodb/commands.ts';
import { type Asked, type Behaviour, fakeHttpService } from '../support/fake-http-service.ts';
import { useStarted } from '../support/use-started.ts';

const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret-key', sessionToken: 'session-token' };
const get = new GetItemCommand({ TableName: 'rows', Key: { id: { S: 'a' } } });
const write = new TransactWriteItemsCommand({
  TransactItems: [{ Put: { TableName: 'rows', Item: { id: { S: 'a' } } } }],
});
const fine: Behaviour = { body: {} };
const refused = (type: string): Behaviour => ({
  status: 400,
  body: { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: 'refused by the test' },
});

let client: DynamoDBClient;
/** Behaviours for the next requests; afterwards every request succeeds. */
let next: Behaviour[] = [];
let first: number;

const service = useStarted(() => {
  next = [];
  return fakeHttpService(() => next.shift() ?? fine);
}, 'test');
beforeEach(async () => {
  client = dynamoClient({ endpoint: service.url, region: 'eu-west-1', credentials });
  await client.send(get);
  first = service.asked.length;
});
afterEach(async () => {
  client.destroy();
});

const asked = (): readonly Asked[] => service.asked.slice(first);

test('[cloud.store-client] a call makes one request, signed for its region', async () => {
  await client.send(get);
  expect(asked()).toHaveLength(1);
  const [{ headers, body }] = asked() as [Asked];
  expect(JSON.parse(body)).toEqual(get.input);
  expect(headers['user-agent']).toBe('agent-governance-gateway');
  const { authorization, connection: _, ...signed } = headers as Record<string, string>;
  const names = /SignedHeaders=([^,]+)/.exec(authorization!)![1]!.split(';');
  expect(names).toEqual(expect.arrayContaining(['host', 'x-amz-date', 'x-amz-security-token', 'x-amz-target']));
  const at = signed['x-amz-date']!.replace(/(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/, '$1-$2-$3T$4:$5:$6Z');
  const signer = new SignatureV4({
    region: 'eu-west-1',
    service: 'dynamodb',
    sha256: Sha256,
    credentials,
    applyChecksum: false,
  });
  const again = await signer.sign(
    {
      method: 'POST',
      protocol: 'http:',
      hostname: '127.0.0.1',
      port: service.port,
      path: '/',
      query: {},
      body,
      headers: Object.fromEntries(
        names
          .filter((name) => !name.startsWith('x-amz-') || name === 'x-amz-target')
          .map((name) => [name, signed[name]!]),
      ),
    },
    { signingDate: new Date(at) },
  );
  expect(authorization).toBe(again.headers.authorization);
});

const asFunction = {
  AWS_LAMBDA_FUNCTION_NAME: 'chat',
  AWS_REGION: 'eu-west-1',
  AWS_ACCESS_KEY_ID: credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  AWS_SESSION_TOKEN: credentials.sessionToken,
};

test('[cloud.store-client] a function sends its first request without the SDK', async () => {
  const before = { ...process.env };
  Object.assign(process.env, asFunction, { AWS_ENDPOINT_URL_DYNAMODB: service.url });
  const own = dynamoClient({});
  process.env = before;
  await own.send(get);
  expect(asked().map(({ headers }) => headers['user-agent'])).toEqual(['agent-governance-gateway']);
  own.destroy();
});

test.each([
  [{}, 'https:', 'dynamodb.eu-west-1.amazonaws.com', undefined],
  [{ AWS_REGION: 'mx-central-1' }, 'https:', 'dynamodb.mx-central-1.amazonaws.com', undefined],
  [{ AWS_ENDPOINT_URL: 'http://localhost:4566' }, 'http:', 'localhost', 4566],
])('[cloud.store-client] with %j, a function sends requests to %s//%s', (more, protocol, hostname, port) => {
  expect(accessOfFunction({ ...asFunction, ...more })?.target).toEqual({ protocol, hostname, port });
});

test.each([
  { AWS_LAMBDA_FUNCTION_NAME: '' },
  { AWS_ACCESS_KEY_ID: '' },
  { AWS_REGION: 'us-gov-west-1' },
  { AWS_REGION: 'cn-north-1' },
  { AWS_USE_FIPS_ENDPOINT: 'true' },
  { AWS_PROFILE: 'other' },
  { AWS_ENDPOINT_URL: 'https://proxy.example/dynamodb' },
])('[cloud.store-client] with %j, the SDK determines where the table is', (more) => {
  expect(accessOfFunction({ ...asFunction, ...more })).toBeUndefined();
});

const passing: [what: string, behaviour: Behaviour][] = [
  ['a cut connection', 'cut'],
  ['an answer that ends in the middle', 'half'],
  ['an answer that is not JSON', { body: '<html>' }],
  ['a fault of the service', { status: 500, body: {} }],
  ['a throttled request', refused('ThrottlingException')],
  ['a busy table', refused('ProvisionedThroughputExceededException')],
];

test.each(passing)('[cloud.store-client] after %s, the SDK resends the request', async (_what, behaviour) => {
  next = [behaviour];
  expect(await client.send(get)).toMatchObject({ $metadata: { httpStatusCode: 200 } });
  expect(asked().map(({ body }) => JSON.parse(body))).toEqual([get.input, get.input]);
});

test('[cloud.store-client] a resent transaction has the same token as the first request', async () => {
  next = ['cut'];
  await client.send(write);
  const [lost, done] = asked().map(({ body }) => JSON.parse(body).ClientRequestToken);
  expect(lost).toMatch(/^[0-9a-f-]{36}$/);
  expect(done).toBe(lost);
});

test('[cloud.store-client] a call makes at most three requests', async () => {
  next = Array.from({ length: 9 }, () => refused('ThrottlingException'));
  await expect(client.send(get)).rejects.toMatchObject({ name: 'ThrottlingException' });
  expect(asked()).toHaveLength(3);
});

test.each(['ConditionalCheckFailedException', 'TransactionCanceledException'])(
  '[cloud.store-client] %s is a final answer, and nothing is resent',
  async (name) => {
    next = [refused(name)];
    await expect(client.send(write)).rejects.toMatchObject({ name, message: 'refused by the test', $fault: 'client' });
    expect(asked()).toHaveLength(1);
  },
);

test("[cloud.store-client] a request that gets no response ends within the SDK's time limits", async () => {
  const bounds = { requestHandler: { requestTimeout: 100, throwOnRequestTimeout: true } };
  const bounded = dynamoClient({ endpoint: service.url, region: 'eu-west-1', credentials, ...bounds });
  await bounded.send(get);
  first = service.asked.length;
  next = ['hang', 'hang', 'hang'];
  await expect(bounded.send(get)).rejects.toMatchObject({ name: 'TimeoutError' });
  expect(asked()).toHaveLength(3);
  bounded.destroy();
});

test('[cloud.store-client] a setting that can never be valid is refused, and the error names it', async () => {
  next = Array.from({ length: 9 }, () => refused('ValidationException'));
  await expect(client.send(get)).rejects.toMatchObject({ name: 'ValidationException', message: 'refused by the test' });
});
