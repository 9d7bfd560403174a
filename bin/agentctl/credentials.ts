/** `credentials`, `tickets`: lists and revokes credentials of agents and services. */

import { addCommand, addGroup, type Parent } from './command.ts';
import { type Fields, list } from './json-fields.ts';
import { showAnswer } from './operation-command.ts';
import { paged, showMore } from './paging.ts';
import { showTree } from './tree.ts';

interface PageOptions {
  readonly limit?: number;
  readonly cursor?: string;
}

interface Register {
  readonly name: 'credentials' | 'tickets';
  readonly one: string;
  readonly operations: { readonly list: string; readonly revoke: string };
  readonly columns: readonly string[];
  readonly row: (item: Fields) => readonly unknown[];
}

const registers: readonly Register[] = [
  {
    name: 'credentials',
    one: 'credential',
    operations: { list: 'listCredentials', revoke: 'revokeCredential' },
    columns: ['id', 'type', 'scope', 'session', 'expires'],
    row: ({ id, type, scope, session_id, expires_at }) => [id, type, scope, session_id, expires_at],
  },
  {
    name: 'tickets',
    one: 'ticket',
    operations: { list: 'listTickets', revoke: 'revokeTicket' },
    columns: ['id', 'tool', 'resource', 'session', 'expires'],
    row: ({ id, tool, resource, session_id, expires_at }) => [id, tool, resource, session_id, expires_at],
  },
];

export function addCredentials(program: Parent): void {
  for (const register of registers) addRegister(program, register);
}

function addRegister(program: Parent, { name, one, operations, columns, row }: Register): void {
  const parent = addGroup(program, name, `Manage ${name} in use: list, revoke`);
  addCommand<PageOptions>(parent, {
    usage: 'list',
    summary: `List active ${name}; values are never shown`,
    examples: [`${name} list`, `${name} list --json | jq -r '.${name}[].id'`],
    options: paged,
    run: (cli, { limit, cursor }) =>
      showAnswer(cli, operations.list, { query: { limit, cursor } }, (out, page) => {
        out.rows(`no ${one} is active`, columns, list(page[name]).map(row));
        showMore(cli, [name, 'list'], { limit }, page.cursor);
      }),
  });
  addCommand(parent, {
    usage: 'revoke <id>',
    summary: `Revoke a ${one}`,
    examples: [`${name} revoke 0197a3c2-6f51-7e1a-9f60-0a8d5c1b2e3f`],
    run: (cli, _options, [id = '']) => showAnswer(cli, operations.revoke, { path: { id } }, showTree),
  });
}
