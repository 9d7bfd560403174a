/**
 * Client of the embedded DynamoDB that we started ourselves. The commands of the hot path go over loopback as the JSON
 * they already are: on the wire a command's input is its body and the reply's body is its output, so what the SDK does
 * around them (endpoints, signatures that are not checked, schemas, middleware: three quarters of a call's CPU) is left out.
 * Everything else, and whatever holds bytes, is the SDK's own. On AWS and for any other server the SDK does it all.
 */
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import {
  BatchGetItemCommand,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  DynamoDBServiceException,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ResourceNotFoundException,
  TransactionCanceledException,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';

/** Their inputs and outputs hold texts, numbers and attribute values only: nothing that JSON writes otherwise. */
const plainCommands = new Map<unknown, string>([
  [BatchGetItemCommand, 'BatchGetItem'],
  [DeleteItemCommand, 'DeleteItem'],
  [GetItemCommand, 'GetItem'],
  [PutItemCommand, 'PutItem'],
  [QueryCommand, 'Query'],
  [TransactWriteItemsCommand, 'TransactWriteItems'],
  [UpdateItemCommand, 'UpdateItem'],
]);

/** A restart of the server takes less than the 1.5 s of the pauses between attempts. */
const maxAttempts = 6;
const firstPauseMs = 50;
const unresponsiveMs = 30_000;

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Gives the client of an embedded server its short way. */
export function throughShortWay(client: DynamoDBClient, endpoint: string): DynamoDBClient {
  const { hostname, port } = new URL(endpoint);
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const viaSdk = client.send.bind(client) as (command: Command, ...rest: unknown[]) => unknown;
  const destroyed = client.destroy.bind(client);

  const send = (command: Command, ...rest: unknown[]): unknown => {
    const operation = plainCommands.get(command.constructor);
    if (operation === undefined || rest.length > 0 || holdsBytes(command.input)) return viaSdk(command, ...rest);
    return answerTo(operation, JSON.stringify(repeatable(operation, command.input)));
  };

  async function answerTo(operation: string, body: string): Promise<unknown> {
    for (let attempts = 1; ; attempts++) {
      let fault: unknown;
      try {
        const { status, text } = await post(operation, body);
        if (status === 200) return { $metadata: { httpStatusCode: status, attempts }, ...parsed(text) };
        fault = exceptionOf(status, text, attempts);
        if (!passes(fault as DynamoDBServiceException)) throw fault;
      } catch (thrown) {
        if (thrown === fault) throw thrown;
        fault = thrown;
      }
      if (attempts === maxAttempts) throw fault;
      await new Promise((resolve) => setTimeout(resolve, firstPauseMs * 2 ** (attempts - 1)));
    }
  }

  function post(operation: string, body: string): Promise<Answer> {
    const headers = { ...standing, 'x-amz-target': `DynamoDB_20120810.${operation}` };
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const call = request({ agent, hostname, port, method: 'POST', path: '/', headers, timeout: unresponsiveMs });
    call.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.once('error', reject);
    });
    call.once('timeout', () => call.destroy(new Error(`The embedded DynamoDB said nothing for ${unresponsiveMs} ms.`)));
    call.on('error', reject);
    call.end(body);
    return promise;
  }

  return Object.assign(client, {
    send,
    destroy: () => {
      agent.destroy();
      destroyed();
    },
  });
}

interface Command {
  readonly input: object;
}

/** The server wants to see a signature and does not check it: it is ours, and listens to this machine only. */
const standing = {
  'content-type': 'application/x-amz-json-1.0',
  'x-amz-date': '20260101T000000Z',
  authorization: `AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=${'0'.repeat(64)}`,
};

/** A transaction whose answer was lost is sent again under the same token, so that it is not done twice. */
const repeatable = (operation: string, input: object): object =>
  operation === 'TransactWriteItems' && !(input as { ClientRequestToken?: string }).ClientRequestToken
    ? { ...input, ClientRequestToken: randomUUID() }
    : input;

function holdsBytes(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (ArrayBuffer.isView(value)) return true;
  for (const member of Object.values(value)) if (typeof member === 'object' && holdsBytes(member)) return true;
  return false;
}

/** Bytes that the SDK has written come back as bytes. An attribute that is named `B` holds an object, never a text. */
const parsed = (text: string): object =>
  text.includes('"B') && /"BS?":/.test(text)
    ? JSON.parse(text, (name, value) => {
        if (name === 'B' && typeof value === 'string') return new Uint8Array(Buffer.from(value, 'base64'));
        if (name !== 'BS' || !Array.isArray(value)) return value;
        return value.map((bytes) => new Uint8Array(Buffer.from(bytes, 'base64')));
      })
    : JSON.parse(text);

/** Those that callers distinguish by class; the rest are distinguished by name. */
const exceptions = {
  ConditionalCheckFailedException,
  ResourceNotFoundException,
  TransactionCanceledException,
};

/** As the SDK throws it: named by its type, with the members of the body (`Item`, `CancellationReasons`). */
function exceptionOf(status: number, text: string, attempts: number): DynamoDBServiceException {
  const { __type = '', message, Message, ...rest } = bodyOf(text);
  const name = String(__type).split('#').at(-1) || 'Unknown';
  const said = {
    message: String(message ?? Message ?? 'UnknownError'),
    $metadata: { httpStatusCode: status, attempts },
  };
  const fault = status < 500 ? 'client' : 'server';
  const Known = exceptions[name as keyof typeof exceptions];
  return Object.assign(Known ? new Known(said) : new DynamoDBServiceException({ ...said, name, $fault: fault }), rest);
}

function bodyOf(text: string): Record<string, unknown> {
  try {
    return parsed(text) as Record<string, unknown>;
  } catch {
    return { message: text.slice(0, 200) };
  }
}

/** Whether the same call may succeed a moment later. */
const passes = ({ name, $fault }: DynamoDBServiceException): boolean =>
  $fault === 'server' ||
  ['ProvisionedThroughputExceededException', 'ThrottlingException', 'RequestLimitExceeded'].includes(name);
