/** `tenants` and `keys`: tenants and keys stored as rows, in addition to those in the configuration. */
import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { sha256 } from '#core/kernel/canonical.ts';
import { parseStrictBytes } from '#core/kernel/json.ts';
import { fields } from '#core/kernel/json-fields.ts';
import { collectValues, fileBytes } from './call-options.ts';
import { addCommand, type Parent } from './command.ts';
import { wholeNumber } from './globals.ts';
import { groupOf, showAnswer } from './operation-command.ts';
import { showTree } from './tree.ts';

interface KeyOptions {
  readonly sha256?: string;
  readonly name?: string;
  readonly role?: string;
  readonly kind?: string;
  readonly person?: string;
  readonly owner?: string;
  readonly model?: readonly string[];
}

export const addTenants = groupOf(
  'tenants',
  'Manage tenants that are not in the configuration: list, put, remove',
  'listTenantRows',
  addPut,
);

export const addKeys = groupOf(
  'keys',
  'Manage keys that are not in the configuration: list, add, revoke',
  'listTenantKeys',
  addAdd,
);

function addPut(parent: Parent): void {
  addCommand<{ readonly file?: string; readonly revision?: number }>(parent, {
    usage: 'put <tenant>',
    summary: 'Create a tenant, or change the given revision of one',
    examples: ['tenants put acme', 'tenants put acme --file acme.json --revision 1'],
    options: (command: Command) =>
      command
        .option('--file <file>', 'settings as JSON, as under tenants in the configuration but without id and api_keys')
        .option('--revision <number>', 'revision to change; without it the tenant must be new', wholeNumber),
    run: (cli, { file, revision }, [tenant = '']) => {
      const settings = file === undefined ? {} : parseStrictBytes(fileBytes(file));
      const body = { settings, ...(revision !== undefined && { revision }) };
      return showAnswer(cli, 'putTenantRow', { path: { tenant }, body }, showTree);
    },
  });
}

function addAdd(parent: Parent): void {
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
}
