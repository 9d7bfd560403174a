/** `config`: the configuration in force, and storing another as a new policy version (contract §1). */
import { fileText } from './call-options.ts';
import { addCommand, addGroup, type Parent } from './command.ts';
import { UsageError } from './failure.ts';
import { showTree } from './tree.ts';

export function addConfig(program: Parent): void {
  const parent = addGroup(program, 'config', 'The configuration: get, put');
  addCommand<Record<string, never>>(parent, {
    usage: 'get',
    summary: 'The configuration in force, without secrets, as JSON',
    examples: ['config get', 'config get --json | jq .tool_policies'],
    run: async ({ api, out, globals }) => {
      const answer = await api().call('getConfig');
      if (globals.json) out.json(answer.text);
      else out.pretty(answer.json);
      return 'positive';
    },
  });
  addCommand<Record<string, never>>(parent, {
    usage: 'put <file>',
    summary: 'Store a configuration (YAML or JSON, - for stdin) as a new policy version',
    examples: ['config put config/gateway.yaml'],
    run: async ({ api, out, globals }, _options, [file = '']) => {
      const answer = await api().call('putConfig', { body: await documentIn(file) });
      if (globals.json) out.json(answer.text);
      else showTree(out, answer.json);
      return 'positive';
    },
  });
}

/** JSON is YAML too, and the parser refuses keys that stand twice. */
async function documentIn(file: string): Promise<unknown> {
  const content = fileText(file);
  const { parse } = await import('yaml');
  let document: unknown;
  try {
    document = parse(content, { maxAliasCount: 100 });
  } catch (cause) {
    throw new UsageError(`${file} is not YAML: ${(cause as Error).message.split('\n')[0]}`, cause);
  }
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw new UsageError(`${file} holds no configuration: expected a mapping`);
  }
  return document;
}
