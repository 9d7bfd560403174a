/**
 * MCP server behind the deployed gateway. It uses the credential that comes with each call and reports which other
 * requests the credential would allow.
 */
import { createHash } from 'node:crypto';
import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import * as z from 'zod';
import { startStatelessMcp } from '../support/stateless-mcp.ts';
import { clientConfig } from './caller.ts';
import type { Emulator } from './emulator.ts';

export interface Office {
  readonly url: string;
  /** Names of the tools that ran, in order. */
  readonly ran: readonly string[];
  /**
   * Asks the gateway whether a ticket is valid for this resource. The test that runs the server supplies this function.
   */
  redeem: (ticket: string, resource: string) => Promise<unknown>;
  stop(): Promise<void>;
}

/** Tables created by the broker checks. The keys are minted for one of them. */
export const [orders, invoices] = ['cloud-orders', 'cloud-invoices'];

export async function openOffice(emulator: Emulator): Promise<Office> {
  const office = {
    ran: [] as string[],
    redeem: (): Promise<unknown> => Promise.reject(new Error('nobody was told how')),
  };
  return Object.assign(office, await startStatelessMcp('office', (server) => addTools(server, emulator, office)));
}

function addTools(
  server: McpServer,
  emulator: Emulator,
  office: Pick<Office, 'redeem'> & { readonly ran: string[] },
): void {
  const { ran } = office;
  const note = { title: z.string() };
  for (const name of ['read_note', 'delete_note', 'publish_note'])
    server.registerTool(name, { description: `${name}, whatever it holds`, inputSchema: note }, ({ title }) => {
      ran.push(name);
      return said({ name, title });
    });
  server.registerTool(
    'get_order',
    { description: 'reads an order', inputSchema: { table: z.string(), order: z.string() } },
    async ({ table, order }, { requestInfo }) => {
      ran.push('get_order');
      return said(await triedWith(emulator, keysIn(requestInfo?.headers.authorization), table, order));
    },
  );
  server.registerTool(
    'ask_partner',
    { description: 'asks the partner', inputSchema: { question: z.string() } },
    ({ question }, { requestInfo }) => {
      ran.push('ask_partner');
      const token = bearer(requestInfo?.headers.authorization);
      return said({ question, token, token_sha256: createHash('sha256').update(token).digest('hex') });
    },
  );
  server.registerTool(
    'order_paper',
    { description: 'orders paper, on a ticket only', inputSchema: { kind: z.string() } },
    async ({ kind }, { requestInfo }) => {
      const ticket = bearer(requestInfo?.headers.authorization);
      const [first, second] = [await office.redeem(ticket, kind), await office.redeem(ticket, kind)];
      return said({ first, second });
    },
  );
}

const said = (value: object) => ({ content: [{ type: 'text' as const, text: JSON.stringify(value) }] });

const bearer = (header: string | string[] | undefined): string => String(header ?? '').replace(/^Bearer /, '');

function keysIn(header: string | string[] | undefined) {
  const keys = JSON.parse(bearer(header) || '{}') as Record<string, string>;
  const { access_key_id = '', secret_access_key = '', session_token = '' } = keys;
  return { accessKeyId: access_key_id, secretAccessKey: secret_access_key, sessionToken: session_token };
}

/**
 * Tries the call for which the keys were minted and similar calls: reading another table, and writing to the same one.
 */
async function triedWith(
  emulator: Emulator,
  credentials: ReturnType<typeof keysIn>,
  table: string,
  order: string,
): Promise<object> {
  const db = new DynamoDBClient({ ...clientConfig(emulator), credentials, maxAttempts: 1 });
  const Key = { id: { S: order } };
  const TableName = table.split('/').at(-1);
  const attempt = (work: Promise<unknown>) =>
    work.then(
      () => 'allowed',
      (thrown: Error) => thrown.name,
    );
  const found = await db.send(new GetItemCommand({ TableName, Key })).catch(() => undefined);
  return {
    item: found?.Item?.note?.S,
    read: await attempt(db.send(new GetItemCommand({ TableName, Key }))),
    read_other_table: await attempt(db.send(new GetItemCommand({ TableName: invoices!, Key }))),
    write: await attempt(db.send(new PutItemCommand({ TableName, Item: Key }))),
  };
}
