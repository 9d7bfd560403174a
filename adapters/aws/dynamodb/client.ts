/**
 * The functions' DynamoDB client. It sends row operations itself, because the SDK's middleware takes five sixths of a
 * call's processor time and loading the SDK takes a third of a function's startup. If a response is unusual, the SDK is
 * loaded and resends the request, because it knows what to retry, when, and with which clock.
 */
import { randomUUID } from 'node:crypto';
import type { DynamoDBClient, DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { httpCall } from '#adapters/http/provider-http.ts';
import { dayMs } from '#core/kernel/durations.ts';
import { signedHeaders } from '../signed-headers.ts';
import { type Access, accessOfFunction, watchAccess } from './access.ts';
import { dynamoSdk, RowCommand, type TransactionInput, TransactWriteItemsCommand } from './commands.ts';
import { fromWire, toWire } from './wire.ts';

interface DynamoAnswer {
  readonly status: number;
  readonly requestId: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Timeouts in the SDK's form; 0 means no timeout. */
interface RequestBounds {
  /** Maximum time to open a connection, in milliseconds. */
  readonly connectionTimeout?: number;
  /** Maximum time until the response is complete, in milliseconds. */
  readonly requestTimeout?: number;
}

/** A batch of reads returns at most 16 MB; a longer response is left to the SDK. */
const maxAnswerBytes = 32 * 1024 * 1024;

type SendCommand = (...given: unknown[]) => Promise<object>;

/**
 * @param options those of the SDK's client; `maxAttempts` includes the first attempt, which this client makes without
 * the SDK
 */
export function dynamoClient({
  maxAttempts = 3,
  ...options
}: DynamoDBClientConfig & { maxAttempts?: number }): DynamoDBClient {
  const bounds = (options.requestHandler ?? {}) as RequestBounds;
  const [connectTimeoutMs, requestMs] = [bounds.connectionTimeout || dayMs, bounds.requestTimeout || dayMs];
  let access = options.endpoint || options.credentials ? undefined : accessOfFunction(process.env);
  let sdk: Promise<DynamoDBClient> | undefined;

  async function connected(): Promise<DynamoDBClient> {
    const { DynamoDBClient } = await dynamoSdk();
    const client = new DynamoDBClient({ ...options, maxAttempts: Math.max(1, maxAttempts - 1) });
    watchAccess(client, (found) => {
      access = found;
    });
    return client;
  }

  async function ask({ target, region, credentials, clockOffset }: Access, operation: string, body: string) {
    const { protocol, hostname, port } = target;
    const host = port === undefined ? hostname : `${hostname}:${port}`;
    const headers = {
      host,
      'content-type': 'application/x-amz-json-1.0',
      'content-length': String(Buffer.byteLength(body)),
      'x-amz-target': `DynamoDB_20120810.${operation}`,
      'user-agent': 'agent-governance-gateway',
    };
    const at = new Date(Date.now() + clockOffset);
    const scope = { service: 'dynamodb', region, credentials: await credentials(), at };
    const signed = signedHeaders({ path: '/', headers, body }, scope);
    const reply = await httpCall({
      url: `${protocol}//${host}/`,
      headers: signed,
      body,
      once: true,
      signal: AbortSignal.timeout(requestMs),
      connectTimeoutMs,
      firstByteTimeoutMs: requestMs,
      idleTimeoutMs: requestMs,
    });
    const parsed = fromWire(await reply.text(maxAnswerBytes)) as DynamoAnswer['body'];
    return { status: reply.status, requestId: reply.headers['x-amzn-requestid'] ?? '', body: parsed };
  }

  async function send(given: object, ...others: unknown[]): Promise<object> {
    const command = repeatable(given);
    const again = async () => {
      sdk ??= connected();
      const client = await sdk;
      return (client.send as SendCommand).call(client, command, ...others);
    };
    if (!(command instanceof RowCommand) || access === undefined || others.length > 0) return again();
    let answer: DynamoAnswer;
    try {
      answer = await ask(access, command.operation, toWire(command.input));
    } catch {
      return again();
    }
    if (answer.status === 200) return { $metadata: metadataOf(answer), ...answer.body };
    const refusal = refusalOf(answer);
    if (refusal) throw refusal;
    return again();
  }

  return { send, destroy: () => void sdk?.then((client) => client.destroy()) } as unknown as DynamoDBClient;
}

/** Adds a token, so that a repeated transaction is applied only once. */
function repeatable(command: object): object {
  if (!(command instanceof TransactWriteItemsCommand)) return command;
  const input = command.input as TransactionInput;
  if (input.ClientRequestToken !== undefined) return command;
  return new TransactWriteItemsCommand({ ...input, ClientRequestToken: randomUUID() });
}

const metadataOf = ({ status, requestId }: DynamoAnswer) => ({ httpStatusCode: status, requestId, attempts: 1 });

const answersToConditions: ReadonlySet<string> = new Set([
  'ConditionalCheckFailedException',
  'TransactionCanceledException',
]);

/** Returns the error for a refusal that is an ordinary result of a condition, with the SDK's name for it. */
function refusalOf(answer: DynamoAnswer): Error | undefined {
  const { __type, message, Message, Item, CancellationReasons } = answer.body;
  const name = String(__type).split('#').at(-1) ?? '';
  if (!answersToConditions.has(name)) return undefined;
  return Object.assign(new Error(String(message ?? Message ?? '')), {
    name,
    $fault: 'client',
    $metadata: metadataOf(answer),
    ...(Item !== undefined && { Item }),
    ...(CancellationReasons !== undefined && { CancellationReasons }),
  });
}
