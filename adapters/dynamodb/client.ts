/**
 * The DynamoDB client of the functions. Credentials, signature, connections and time-outs are those of the SDK's
 * client. Its middleware is skipped for operations on rows, because it takes five sixths of a call's processor time. If
 * an answer is unusual, the SDK's client sends the request again: it knows what to retry, when, and with which clock.
 */
import { randomUUID } from 'node:crypto';
import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  type DynamoDBClientConfig,
  TransactionCanceledException,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { fromWire, rowOperations, toWire } from './operations.ts';

type Signer = Awaited<ReturnType<DynamoDBClient['config']['signer']>>;

interface Command {
  readonly constructor: unknown;
  readonly input: object;
}

/** Endpoint of the SDK's requests. */
interface Target {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number | undefined;
  readonly path: string;
}

interface Answer {
  readonly status: number;
  readonly requestId: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** @param options those of the SDK's client; `maxAttempts` includes the first attempt, which the SDK does not make */
export function dynamoClient({
  maxAttempts = 3,
  ...options
}: DynamoDBClientConfig & { maxAttempts?: number }): DynamoDBClient {
  const sdk = new DynamoDBClient({ ...options, maxAttempts: Math.max(1, maxAttempts - 1) });
  const { config } = sdk;
  let target: Target | undefined;
  let signer: Promise<Signer> | undefined;
  // Regions, endpoints of the environment and accounts decide the endpoint: the SDK sends the first request and
  // reveals it.
  sdk.middlewareStack.add(
    (next) => (args) => {
      target ??= targetOf(args.request as Target);
      return next(args);
    },
    { step: 'finalizeRequest', priority: 'high', name: 'targetMiddleware' },
  );

  async function ask({ protocol, hostname, port, path }: Target, operation: string, body: string): Promise<Answer> {
    signer ??= config.signer();
    const headers = {
      host: port === undefined ? hostname : `${hostname}:${port}`,
      'content-type': 'application/x-amz-json-1.0',
      'content-length': String(Buffer.byteLength(body)),
      'x-amz-target': `DynamoDB_20120810.${operation}`,
      'user-agent': 'agent-governance-gateway',
    };
    const unsigned = { method: 'POST', protocol, hostname, port, path, query: {}, headers, body };
    const signingDate = new Date(Date.now() + config.systemClockOffset);
    const request = await (await signer).sign(unsigned as never, { signingDate });
    const { response } = await config.requestHandler.handle(request as never);
    const text = config.utf8Encoder(await config.streamCollector(response.body));
    return {
      status: response.statusCode,
      requestId: response.headers['x-amzn-requestid'] ?? '',
      body: fromWire(text) as Answer['body'],
    };
  }

  async function send(command: Command, ...others: unknown[]): Promise<object> {
    const operation = rowOperations.get(command.constructor);
    const asks = operation === undefined ? command : repeatable(command);
    const again = () => (sdk.send as (...given: unknown[]) => Promise<object>).call(sdk, asks, ...others);
    if (operation === undefined || target === undefined || others.length > 0) return again();
    let answer: Answer;
    try {
      answer = await ask(target, operation, toWire(asks.input));
    } catch {
      return again();
    }
    if (answer.status === 200) return { $metadata: metadataOf(answer), ...answer.body };
    const refusal = refusalOf(answer);
    if (refusal) throw refusal;
    return again();
  }

  return { send, destroy: () => sdk.destroy() } as unknown as DynamoDBClient;
}

const targetOf = ({ protocol, hostname, port, path }: Target): Target => ({ protocol, hostname, port, path });

/** Adds a token, so that a repeated transaction is carried out once. */
function repeatable(command: Command): Command {
  if (!(command instanceof TransactWriteItemsCommand) || command.input.ClientRequestToken !== undefined) return command;
  return new TransactWriteItemsCommand({ ...command.input, ClientRequestToken: randomUUID() });
}

const metadataOf = ({ status, requestId }: Answer) => ({ httpStatusCode: status, requestId, attempts: 1 });

/** Returns the error of a refusal that is an ordinary answer to a condition. */
function refusalOf(answer: Answer): Error | undefined {
  const { __type, message, Message, Item, CancellationReasons } = answer.body;
  const given = { message: String(message ?? Message ?? ''), $metadata: metadataOf(answer) };
  switch (String(__type).split('#').at(-1)) {
    case 'ConditionalCheckFailedException':
      return new ConditionalCheckFailedException({ ...given, ...(Item !== undefined && { Item: Item as never }) });
    case 'TransactionCanceledException':
      return new TransactionCanceledException({ ...given, CancellationReasons: CancellationReasons as never });
    default:
      return undefined;
  }
}
