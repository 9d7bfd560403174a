/**
 * The environment of the functions: a store, the other services, a provider and an MCP server; and the functions, each
 * started once.
 */
import { type AttributeValue, type DynamoDBClient, ScanCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import * as z from 'zod';
import type { FunctionName } from '#core/contracts/functions.ts';
import { type TableName, tableEnvironment } from '#core/contracts/tables.ts';
import { routes } from '#features/routes.ts';
import { tables } from '#features/tables.ts';
import { startDynamo } from '../support/dynamo.ts';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers.ts';
import type { Served } from '../support/serve.ts';
import { startStatelessMcp } from '../support/stateless-mcp.ts';
import { type AwsServices, startAwsServices } from './aws-services.ts';
import { type Answer, asCaller } from './front.ts';
import { type Lambda, startLambda } from './lambda.ts';
import { type Provider, startProvider } from './provider.ts';
import { startUpstream, type Upstream } from './upstream.ts';

export const keys = { admin: 'runtime-admin-token', agent: 'runtime-agent-key', human: 'runtime-human-key' } as const;
export const judgeKey = 'runtime-judge-key';
export const slackSecret = 'runtime-slack-secret';
type Caller = keyof typeof keys | undefined;

export interface Call {
  readonly caller?: Caller;
  readonly body?: unknown;
  /** Body sent unchanged, instead of `body`. */
  readonly raw?: string;
  /** Bytes, as API Gateway passes a binary media type; instead of `body`. */
  readonly bytes?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  readonly remainingMs?: number;
  readonly cutAfterBytes?: number;
}

export interface World {
  readonly aws: AwsServices;
  readonly provider: Provider;
  readonly upstream: Upstream;
  /** An MCP server whose tools repeat their input. */
  readonly repeater: Served;
  /** Fake provider that serves a classifier's model; its key is `JUDGE_KEY`. */
  readonly judge: FakeProvider;
  /** Address of the DynamoDB-compatible store. */
  readonly store: string;
  /** Returns the running function with that name. */
  lambda(name: FunctionName): Promise<Lambda>;
  /** Starts another execution environment, which the caller stops. */
  anotherLambda(name: FunctionName, environment?: Readonly<Record<string, string>>): Promise<Lambda>;
  /** Calls a function as API Gateway does; the route is `METHOD /path`. */
  call(name: FunctionName, route: string, call?: Call): Promise<Answer>;
  /** Environment variables that all processes of the deployment share. */
  readonly environment: Readonly<Record<string, string>>;
  /** Returns the items in a table. */
  items(table: TableName): Promise<readonly Record<string, AttributeValue>[]>;
  /** Lets the due times of all started actions pass. */
  passDueTimes(): Promise<void>;
  stop(): Promise<void>;
}

export async function startWorld(): Promise<World> {
  const dynamo = await startDynamo();
  const physical = await dynamo.createTables();
  const aws = await startAwsServices({
    GATEWAY_ADMIN_TOKEN: keys.admin,
    AGENT_KEY: keys.agent,
    HUMAN_KEY: keys.human,
    PROVIDER_KEY: 'provider-key',
    JUDGE_KEY: judgeKey,
    SLACK_SIGNING: slackSecret,
    SLACK_BOT: 'slack-bot-token',
  });
  const provider = await startProvider();
  const upstream = await startUpstream();
  const repeater = await startStatelessMcp('repeater', addRepeating);
  const judge = await startFakeProvider({ kind: 'openai' });
  const environment = { ...surroundings(aws.url, dynamo.endpoint), ...tableNames(physical) };
  const running = new Map<FunctionName, Promise<Lambda>>();

  const lambda = (name: FunctionName): Promise<Lambda> => {
    const started = running.get(name) ?? startLambda(name, environment);
    running.set(name, started);
    return started;
  };
  return {
    aws,
    provider,
    upstream,
    repeater,
    judge,
    store: dynamo.endpoint,
    environment,
    items: async (table) => (await dynamo.client().send(new ScanCommand({ TableName: physical[table] }))).Items ?? [],
    passDueTimes: () => passDueTimes(dynamo.client(), physical.actions),
    lambda,
    anotherLambda: (name, more = {}) => startLambda(name, { ...environment, ...more }),
    async call(name, route, { remainingMs, cutAfterBytes, ...call } = {}) {
      const options = { ...(remainingMs && { remainingMs }), ...(cutAfterBytes && { cutAfterBytes }) };
      return asCaller(await (await lambda(name)).invoke(restEvent(route, call), options));
    },
    async stop() {
      for (const started of running.values()) await (await started).stop();
      await Promise.all([aws.stop(), provider.stop(), upstream.stop(), repeater.stop(), judge.stop()]);
      await dynamo.stop();
    },
  };
}

async function passDueTimes(client: DynamoDBClient, TableName: string): Promise<void> {
  const { Items = [] } = await client.send(
    new ScanCommand({ TableName, FilterExpression: 'attribute_exists(due_at)' }),
  );
  for (const { id } of Items)
    await client.send(
      new UpdateItemCommand({
        TableName,
        Key: { id: id! },
        UpdateExpression: 'SET due_at = :past',
        ExpressionAttributeValues: { ':past': { S: '2000-01-01T00:00:00.000Z' } },
      }),
    );
}

const surroundings = (services: string, dynamo: string) => ({
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  AWS_ENDPOINT_URL: services,
  AWS_ENDPOINT_URL_DYNAMODB: dynamo,
  STAGE: 'runtime',
  GATEWAY_NAME: 'runtime',
  ADMIN_URL: 'https://admin.example',
  CONSOLE_URL: 'https://admin.example/console/',
  GATEWAY_URL: 'https://gateway.example',
  MCP_URL: 'https://mcp.example',
  CONNECTIONS_URL: services,
  OBJECT_BUCKET: 'objects',
  ARCHIVE_BUCKET: 'archive',
  SIGNING_KEY_ID: '00000000-0000-4000-8000-000000000001',
  VOTE_KEY_ID: 'vote-key',
  LOG_KEY_ID: 'log-key',
  APPROVAL_STATE_MACHINE_ARN: 'arn:aws:states:us-east-1:000000000000:stateMachine:approval',
  ROLLOUT_STATE_MACHINE_ARN: 'arn:aws:states:us-east-1:000000000000:stateMachine:rollout',
  WS_WORKER_FUNCTION: 'ws-worker',
  SANDBOX_FUNCTION: 'sandbox',
  SHARED_TRACES: 'on',
  SECRET_KEYS: 'keys',
});

const tableNames = (physical: Readonly<Record<TableName, string>>): Record<string, string> =>
  Object.fromEntries((Object.keys(tables) as TableName[]).map((name) => [tableEnvironment(name), physical[name]]));

/** Returns the event that a REST API's proxy integration passes for a call. */
export function restEvent(route: string, { caller, body, raw, bytes, headers = {} }: Call = {}): object {
  const [httpMethod, target] = route.split(' ') as [string, string];
  const { pathname: path, searchParams } = new URL(target, 'http://gateway.example');
  const { resource, pathParameters } = resourceOf(path);
  const sent: Record<string, string> = { 'content-type': 'application/json', host: 'gateway.example', ...headers };
  if (caller) sent['x-api-key'] = keys[caller];
  return {
    httpMethod,
    path,
    resource,
    pathParameters,
    headers: sent,
    multiValueHeaders: Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, [value]])),
    queryStringParameters: null,
    multiValueQueryStringParameters: Object.fromEntries([...searchParams].map(([name, value]) => [name, [value]])),
    body: bytes ? Buffer.from(bytes).toString('base64') : (raw ?? (body === undefined ? null : JSON.stringify(body))),
    isBase64Encoded: bytes !== undefined,
    requestContext: { requestId: 'api-gateway-request', identity: { sourceIp: '192.0.2.1' } },
  };
}

/** Returns the matching path of the routes table, and the values of its parameters. */
function resourceOf(path: string): { resource: string; pathParameters: Record<string, string> | null } {
  for (const { path: resource } of routes) {
    const names = [...resource.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
    const matched = new RegExp(`^${resource.replaceAll(/\{\w+\}/g, '([^/]+)')}$`).exec(path);
    if (!matched) continue;
    const pathParameters = Object.fromEntries(names.map((name, at) => [name, matched[at + 1] ?? '']));
    return { resource, pathParameters: names.length > 0 ? pathParameters : null };
  }
  throw new Error(`no route for ${path}`);
}

function addRepeating(server: McpServer): void {
  for (const name of ['repeat', 'repeat_later'])
    server.registerTool(
      name,
      { description: 'Repeats a text.', inputSchema: { text: z.string(), nth: z.number().optional() } },
      ({ text }) => ({ content: [{ type: 'text', text }] }),
    );
}
