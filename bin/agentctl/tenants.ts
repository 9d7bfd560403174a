/** `tenants` and `keys`: tenants and keys that are rows, in addition to those of the configuration. */
import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { sha256 } from '#core/kernel/canonical.ts';
import { parseStrictBytes } from '#core/kernel/json.ts';
import { collectValues, fileBytes } from './call-options.ts';
import { addCommand, addGroup, type Parent } from './command.ts';
import { wholeNumber } from './globals.ts';
import { fields, list } from './json-fields.ts';
import { showAnswer } from './operation-command.ts';
import { paged, showMore } from './paging.ts';
import { showTree } from './tree.ts';

interface PageOptions {
  readonly limit?: number;
  readonly cursor?: string;
}

interface KeyOptions {
  readonly sha256?: string;
  readonly name?: string;
  readonly role?: string;
  readonly kind?: string;
  readonly person?: string;
  readonly owner?: string;
  readonly model?: readonly string[];
}

export function addTenants(program: Parent): void {
  const parent = addGroup(program, 'tenants', 'Manage tenants that are not in the configuration: list, put, remove');
  addCommand<PageOptions>(parent, {
    usage: 'list',
    summary: 'List tenants that are stored outside the configuration',
    examples: ['tenants list', "tenants list --json | jq -r '.tenants[].id'"],
    options: paged,
    run: (cli, { limit, cursor }) =>
      showAnswer(cli, 'listTenantRows', { query: { limit, cursor } }, (out, page) => {
        const rows = list(page.tenants).map(({ id, settings, revision, changed_at, removed_at }) => [
          ...[id, fields(settings).name, revision, changed_at, removed_at],
        ]);
        out.rows(
          'no tenant is stored outside the configuration',
          ['id', 'name', 'revision', 'changed', 'removed'],
          rows,
        );
        showMore(cli, ['tenants', 'list'], { limit }, page.cursor);
      }),
  });
  addCommand<{ readonly file?: string; readonly revision?: number }>(parent, {
    usage: 'put <tenant>',
    summary: 'Create a tenant, or change the given revision of one',
    examples: ['tenants put acme', 'tenants put acme --file acme.json --revision 1'],
    options: (command: Command) =>
      command
        .option('--file <file>', 'settings as JSON, as under tenants of the configuration without id and api_keys')
        .option('--revision <number>', 'revision to change; without it the tenant must be new', wholeNumber),
    run: (cli, { file, revision }, [tenant = '']) => {
      const settings = file === undefined ? {} : parseStrictBytes(fileBytes(file));
      const body = { settings, ...(revision !== undefined && { revision }) };
      return showAnswer(cli, 'putTenantRow', { path: { tenant }, body }, showTree);
    },
  });
  addCommand(parent, {
    usage: 'remove <tenant>',
    summary: 'Remove a tenant; its keys stop within 5 seconds',
    examples: ['tenants remove acme'],
    run: (cli, _options, [tenant = '']) => showAnswer(cli, 'removeTenantRow', { path: { tenant } }, showTree),
  });
}

export function addKeys(program: Parent): void {
  const parent = addGroup(program, 'keys', 'Manage keys that are not in the configuration: list, add, revoke');
  addCommand<PageOptions>(parent, {
    usage: 'list <tenant>',
    summary: 'List stored keys of a tenant by id; the keys themselves are never shown',
    examples: ['keys list acme'],
    options: paged,
    run: (cli, { limit, cursor }, [tenant = '']) =>
      showAnswer(cli, 'listTenantKeys', { path: { tenant }, query: { limit, cursor } }, (out, page) => {
        const rows = list(page.keys).map(({ key_id, settings, changed_at, revoked_at }) => {
          const { name, role, kind, person, owner } = fields(settings);
          return [key_id, name, role, kind, person ?? owner, changed_at, revoked_at];
        });
        const columns = ['id', 'name', 'role', 'kind', 'human', 'changed', 'revoked'];
        out.rows('this tenant has no stored key', columns, rows);
        showMore(cli, ['keys', 'list', tenant], { limit }, page.cursor);
      }),
  });
  addCommand<KeyOptions>(parent, {
    usage: 'add <tenant>',
    summary: 'Add a key: generate it and print it once, or store the SHA-256 of your own',
    examples: ['keys add acme --name builder --owner bob', 'keys add acme --kind human --person alice --role admin'],
    options: (command: Command) =>
      command
        .option('--sha256 <digest>', 'SHA-256 of a key that you generated')
        .option('--name <name>', 'name shown in lists and evidence')
        .option('--role <role>', 'viewer, operator or admin (default: operator)')
        .option('--kind <kind>', 'agent, human or service (default: agent)')
        .option('--person <id>', 'person that a human key belongs to')
        .option('--owner <id>', 'person who is responsible for an agent or a service')
        .option('--model <glob>', 'models that the key may use (repeatable)', collectValues),
    run: async (cli, { sha256: digest, model, ...settings }, [tenant = '']) => {
      const key = digest === undefined ? randomBytes(32).toString('hex') : undefined;
      const key_sha256 = digest ?? sha256(key!);
      const body = { key_sha256, settings: { ...settings, ...(model && { allowed_models: model }) } };
      const answer = fields((await cli.api().call('addTenantKey', { path: { tenant }, body })).json);
      const shown = { ...answer, ...(key !== undefined && { key }) };
      if (cli.globals.json) cli.out.json(JSON.stringify(shown));
      else showTree(cli.out, shown);
      return 'positive';
    },
  });
  addCommand(parent, {
    usage: 'revoke <tenant> <key_id>',
    summary: 'Revoke a key; it stops within 5 seconds',
    examples: ['keys revoke acme 5e884898da280471'],
    run: (cli, _options, [tenant = '', key_id = '']) =>
      showAnswer(cli, 'revokeTenantKey', { path: { tenant, key_id } }, showTree),
  });
}
