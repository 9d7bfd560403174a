/** An operator's shell in the emulator. It runs commands as a page shows them, with options kept as in `cdk.json`. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stepsOf } from '../support/shell-blocks.ts';
import { addressOf, type Keys } from './caller.ts';
import { contextOf, gateway, type Outputs } from './deployment.ts';
import type { Emulator } from './emulator.ts';
import { type Environment, run } from './processes.ts';

export class OperatorShell {
  readonly #env: Environment;
  readonly #home: string;
  /** Options that an operator would keep in `cdk.json`. In the test, that file belongs to the repository. */
  #options: Readonly<Record<string, unknown>>;

  constructor(emulator: Emulator, { GatewayServices }: Outputs, { admin }: Pick<Keys, 'admin'>) {
    this.#home = join(emulator.scratch, 'operator');
    this.#options = contextOf(emulator, gateway);
    const AGENTCTL_URL = addressOf(emulator, GatewayServices.AdminApiId);
    this.#env = { ...emulator.env, HOME: this.#home, AGENTCTL_URL, AGENTCTL_KEY: admin };
  }

  /** @returns standard output. @throws an error with the end of the output if the command fails. */
  async run(command: string): Promise<string> {
    await mkdir(this.#home, { recursive: true });
    const own = { requireApproval: 'never', progress: 'events', outputsFile: join(this.#home, 'outputs.json') };
    await writeFile(join(this.#home, '.cdk.json'), JSON.stringify({ ...own, context: this.#options }));
    return run('bash', ['-c', `set -euo pipefail\n${command}`], { env: this.#env });
  }

  /** Deploys with a command from a page, and keeps its options. @returns the outputs of the stores stack. */
  async deploy(command: string): Promise<Readonly<Record<string, string>>> {
    await this.run(command);
    const given = [...command.matchAll(/ -c (\w+)=(\S+)/g)].map(([, name, value]) => [name, value]);
    this.#options = { ...this.#options, ...Object.fromEntries(given) };
    const outputs = JSON.parse(await readFile(join(this.#home, 'outputs.json'), 'utf8'));
    return outputs[`${gateway.name}-stores`] ?? {};
  }

  /** Removes options from those that `cdk.json` would contain. */
  forget(...names: readonly string[]): void {
    this.#options = Object.fromEntries(Object.entries(this.#options).filter(([name]) => !names.includes(name)));
  }
}

const howTo = (page: string): Promise<string> => readFile(`docs/how-to/${page}.md`, 'utf8');

/** Returns the commands in the shell blocks of a how-to page, without comments. */
export async function commandsOf(page: string): Promise<readonly string[]> {
  return stepsOf(await howTo(page)).map(({ command }) => command.replaceAll(/\s+# .*$/gm, ''));
}

/** Returns the commands in the cells of the table row that describes a change, in order. */
export async function commandsOfRow(page: string, change: string): Promise<readonly string[]> {
  const row = (await howTo(page)).split('\n').find((line) => line.startsWith(`| \`${change}\``)) ?? '';
  return [...row.matchAll(/`((?:npx|aws|\.\/agentctl) [^`]+)`/g)].map(([, command]) => command!);
}
