/** `credentials`: what is in agents' hands, and taking it back (spec §2.6, §4.3). */
import { addCommand, addGroup, type Parent } from './command.ts';
import { wholeNumber } from './globals.ts';
import { fields, list, text } from './json-fields.ts';
import { commandLine } from './shell.ts';
import { showTree } from './tree.ts';

interface PageOptions {
  readonly limit?: number;
  readonly cursor?: string;
}

export function addCredentials(program: Parent): void {
  const parent = addGroup(program, 'credentials', 'Credentials in use: list, revoke');
  addCommand<PageOptions>(parent, {
    usage: 'list',
    summary: 'List active credentials; values are never shown',
    examples: ['credentials list', "credentials list --json | jq -r '.credentials[].id'"],
    options: (command) =>
      command
        .option('--limit <count>', 'at most so many', wholeNumber)
        .option('--cursor <cursor>', 'continue where a list ended'),
    run: async ({ api, out, globals }, { limit, cursor }) => {
      const answer = await api().call('listCredentials', { query: { limit, cursor } });
      if (globals.json) {
        out.json(answer.text);
        return 'positive';
      }
      const page = fields(answer.json);
      const rows = list(page.credentials).map((row) => [row.id, row.type, row.scope, row.session_id, row.expires_at]);
      if (rows.length === 0) out.line('no credential is active');
      else out.table(['id', 'type', 'scope', 'session', 'expires'], rows);
      const more = text(page.cursor);
      if (more) out.line(`more: ${commandLine(['agentctl', 'credentials', 'list', '--cursor', more])}`);
      return 'positive';
    },
  });
  addCommand<Record<string, never>>(parent, {
    usage: 'revoke <id>',
    summary: 'Revoke a credential',
    examples: ['credentials revoke cred-0197a3c2'],
    run: async ({ api, out, globals }, _options, [id = '']) => {
      const answer = await api().call('revokeCredential', { path: { id } });
      if (globals.json) out.json(answer.text);
      else showTree(out, answer.json);
      return 'positive';
    },
  });
}
