/**
 * The AWS services that the functions call: secrets, objects, the signing key, state machines, function invocations and
 * WebSocket posts. One HTTP server; every call is recorded by name.
 */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { signDigest } from './digest-signature.ts';

interface Reply {
  readonly status?: number;
  readonly body?: string | Buffer | object;
}

/**
 * One bundle that holds every secret by name. Roles, which this tier does not test, control which function may read
 * which bundle.
 */
export type Secrets = Readonly<Record<string, string>>;

export interface AwsServices {
  readonly url: string;
  /** Call names in order, e.g. `states.StartExecution`, `s3.PUT`, `connections.POST`. */
  readonly calls: string[];
  /** Bodies posted to WebSocket connections. */
  readonly posts: string[];
  /** Objects in the buckets, by path. */
  readonly objects: Map<string, Buffer>;
  /** Payloads of asynchronous invocations. */
  readonly invocations: string[];
  /** Closes every connection, as the remote side does after a long pause. */
  dropConnections(): void;
  stop(): Promise<void>;
}

export async function startAwsServices(secrets: Secrets): Promise<AwsServices> {
  const calls: string[] = [];
  const posts: string[] = [];
  const invocations: string[] = [];
  const objects = new Map<string, Buffer>();
  const signingKeys = new Map<string, ReturnType<typeof newKey>>();
  /** Returns one key for each id; an ARN names the same key as the id at its end. */
  const key = (named = '') => {
    const id = named.slice(named.lastIndexOf('/') + 1);
    const found = signingKeys.get(id) ?? newKey(id);
    signingKeys.set(id, found);
    return found;
  };

  /** Handlers for calls of the JSON protocols, by `X-Amz-Target`. */
  const targets: Readonly<Record<string, (input: Record<string, string>) => object>> = {
    'secretsmanager.GetSecretValue': () => ({ SecretString: JSON.stringify(secrets) }),
    'TrentService.Sign': ({ Message = '', KeyId, SigningAlgorithm }) => ({
      Signature: signature(Buffer.from(Message, 'base64'), key(KeyId).privateKey, SigningAlgorithm).toString('base64'),
    }),
    'TrentService.GetPublicKey': ({ KeyId }) => ({
      PublicKey: key(KeyId).publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    }),
    'AWSStepFunctions.StartExecution': ({ stateMachineArn = '', name = '' }) => ({
      executionArn: `${stateMachineArn}:${name}`,
      startDate: 0,
    }),
    'AWSStepFunctions.SendTaskSuccess': () => ({}),
  };

  const object = (method: string, path: string, bytes: Buffer): Reply => {
    if (method === 'PUT') objects.set(path, bytes);
    const found = objects.get(path);
    return found ? { body: method === 'PUT' ? '' : found } : { status: 404, body: noSuchKey };
  };

  /** Lists the keys with a prefix, in order, as ListObjectsV2 does. */
  const listing = (bucket: string, prefix: string): string => {
    const folder = bucket.endsWith('/') ? bucket : `${bucket}/`;
    const keys = [...objects.keys()].filter((path) => path.startsWith(folder));
    const below = keys
      .map((path) => decodeURIComponent(path.slice(folder.length)))
      .filter((key) => key.startsWith(prefix));
    const contents = below.sort().map((key) => `<Contents><Key>${key}</Key></Contents>`);
    return `<ListBucketResult><IsTruncated>false</IsTruncated>${contents.join('')}</ListBucketResult>`;
  };

  const answer = async (request: IncomingMessage): Promise<Reply> => {
    const bytes = await buffer(request);
    const { method = '', url = '', headers } = request;
    const target = headers['x-amz-target']?.toString();
    if (target !== undefined) {
      calls.push(target.replace(/^(TrentService|AWSStepFunctions)/, (service) => services[service] ?? service));
      const known = targets[target];
      return known
        ? { body: known(JSON.parse(bytes.toString())) }
        : { status: 400, body: { __type: 'UnknownOperation' } };
    }
    if (url.includes('/@connections/')) {
      calls.push(`connections.${method}`);
      if (method === 'POST') posts.push(bytes.toString());
      return { body: {} };
    }
    if (url.startsWith('/2015-03-31/functions/')) {
      calls.push('lambda.Invoke');
      invocations.push(bytes.toString());
      return { status: 202, body: '' };
    }
    calls.push(`s3.${method}`);
    const { pathname, searchParams } = new URL(url, 'http://s3.test');
    if (searchParams.get('list-type') === '2') return { body: listing(pathname, searchParams.get('prefix') ?? '') };
    return object(method, pathname, bytes);
  };

  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const { status = 200, body = '' } = await answer(request);
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' });
    response.end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    objects,
    posts,
    invocations,
    dropConnections: () => server.closeAllConnections(),
    stop() {
      server.closeAllConnections();
      return new Promise((stopped) => server.close(() => stopped()));
    },
  };
}

const newKey = (id: string) =>
  id === 'log-key' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-256' });
const signature = (message: Buffer, key: KeyObject, algorithm: string | undefined): Buffer =>
  algorithm === 'ED25519_SHA_512' ? sign(null, message, key) : signDigest(message, key);
const services: Readonly<Record<string, string>> = { TrentService: 'kms', AWSStepFunctions: 'states' };
const noSuchKey = '<Error><Code>NoSuchKey</Code><Message>no such key</Message></Error>';
