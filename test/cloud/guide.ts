/**
 * The first deployment in `docs/how-to/deploy-to-aws.md`, with the commands on that page. The run has already built the
 * bundles and the bootstrap stack; API addresses are those of the emulator. Like the page, it needs `aws` and `jq`.
 */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Check, check } from '../support/checks.ts';
import { addressOf, type Keys } from './caller.ts';
import type { Outputs } from './deployment.ts';
import type { Emulator } from './emulator.ts';
import { commandsOf, OperatorShell } from './operator-shell.ts';

/**
 * Quotes text for the shell, because the emulator puts punctuation into the token although the template excludes it.
 */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const madeByTheRun = /^npm run bundle|^npx cdk bootstrap/;

export async function guideChecks(emulator: Emulator, outputs: Outputs, keys: Keys): Promise<Check[]> {
  const shell = new OperatorShell(emulator, outputs, keys);
  const all = await commandsOf('deploy-to-aws');
  const commands = all.slice(0, all.findIndex((command) => command.startsWith('curl ')) + 1);
  const { AdminApiId, GatewayApiId } = outputs.GatewayServices;
  const file = join(emulator.scratch, 'my-gateway.yaml');
  const placeholders = new Map([
    ['<AdminUrl>', addressOf(emulator, AdminApiId)],
    ['<GatewayUrl>', addressOf(emulator, GatewayApiId)],
    ['my-gateway.yaml', file],
  ]);
  const typed = async (command: string): Promise<string> => {
    let here = command;
    for (const [placeholder, value] of placeholders) here = here.replaceAll(placeholder, value);
    assert.doesNotMatch(here, /<[A-Za-z][A-Za-z ]*>/, 'a placeholder without a value');
    return shell.run(here);
  };
  /** Runs a command and returns the value that a reader would copy into the next command. */
  const copied = async (command: string, printed: string) => {
    if (command.includes('agent-governance/admin'))
      placeholders.set('<admin token>', quoted(JSON.parse(printed).GATEWAY_ADMIN_TOKEN));
    if (!command.includes('put-secret-value')) return;
    const read =
      'aws secretsmanager get-secret-value --secret-id agent-governance/keys --query SecretString --output text';
    placeholders.set('<key>', JSON.parse(await shell.run(read)).GATEWAY_AGENT_KEY);
  };
  return [
    check('[docs.commands] the guide contains the commands for a first deployment', async () => {
      assert.ok(commands.length >= 8, commands.join('\n'));
      const text = await readFile('config/gateway.yaml', 'utf8');
      const own = text.replace(', generated_key: true', '');
      assert.notEqual(own, text, 'the broker of the shipped file has a generated key');
      await writeFile(file, `${own}\nserver: { max_body_bytes: 5000000 }\n`);
    }),
    ...commands
      .filter((command) => !madeByTheRun.test(command))
      .map((command) =>
        check(`[docs.commands] the guide: ${command.split('\n')[0]}`, async () => {
          const printed = await typed(command);
          await copied(command, printed);
          if (command.startsWith('curl ')) assert.match(printed, /data: \[DONE\]/);
        }),
      ),
  ];
}
