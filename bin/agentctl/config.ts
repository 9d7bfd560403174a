/** `config`: shows the active configuration, and stores a new policy version. */
import { basename } from 'node:path';
import { fields } from '#core/kernel/json-fields.ts';
import { fileBytes } from './call-options.ts';
import { addCommand, addGroup, type Parent } from './command.ts';
import { addConfigCheck } from './config-check.ts';
import { UsageError } from './failure.ts';
import { oneLineText } from './output.ts';
import { showTree } from './tree.ts';

export function addConfig(program: Parent): void {
  const parent = addGroup(program, 'config', 'Check and store the configuration: check, diff, get, put, refresh-keys');
  addConfigCheck(parent);
  addCommand(parent, {
    usage: 'get',
    summary: 'Print the configuration in force as JSON, without secrets',
    examples: ['config get', 'config get --json | jq .version'],
    run: async ({ api, out, globals }) => {
      const answer = await api().call('getConfig');
      const { version, configuration } = fields(answer.json);
      if (globals.json) out.json(answer.text);
      else out.pretty(configuration ?? answer.json);
      if (!globals.json && version !== undefined) out.note(`policy version ${oneLineText(version)}`);
      return 'positive';
    },
  });
  addCommand(parent, {
    usage: 'put <file>',
    summary: 'Store a configuration (YAML or JSON, - for stdin) as a new policy version',
    examples: ['config put config/gateway.yaml'],
    run: async (cli, _options, [file = '']) => {
      const { api, out, globals } = cli;
      const content = fileBytes(file);
      if (content.length === 0) throw new UsageError(`${file} is empty; it must contain a configuration in YAML`);
      // Sent unchanged, so that the gateway can name the line and path of an error. JSON is YAML too. Modules go first,
      // because the gateway refuses a configuration that names a module it does not have.
      const { withModules } = await import('./config-modules.ts');
      const whole = await withModules(cli, content);
      // With digests added, line numbers in the file differ from those in the request.
      const query = file === '-' || whole !== content ? {} : { file: basename(file) };
      const answer = await api().call('putConfig', { query, document: { type: 'application/yaml', content: whole } });
      if (globals.json) out.json(answer.text);
      else showTree(out, answer.json);
      return 'positive';
    },
  });
}
