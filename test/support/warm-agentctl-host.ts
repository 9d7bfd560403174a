/**
 * The process that `warm-agentctl.ts` starts. It runs one command line after another, each with its own variables,
 * folder and streams.
 */
import { createReadStream, mkdtempSync, openSync, type ReadStream, rmSync, writeFileSync } from 'node:fs';
import { globalAgent as plainAgent } from 'node:http';
import { globalAgent as secureAgent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { compiledFile } from '../../bin/compiled.ts';
import type { CommandLine, Ran } from './warm-agentctl.ts';

const temporary = tmpdir();
const program = join(import.meta.dirname, '../../bin/agentctl.ts');
const { main } = (await import(
  compiledFile('agentctl') ?? '../../bin/agentctl/start.ts'
)) as typeof import('../../bin/agentctl/start.ts');

process.on('disconnect', () => process.exit());
process.on('message', async (line: CommandLine) => process.send?.(await run(line)));

async function run({ args, env, cwd, stdin = '', together }: CommandLine): Promise<Ran> {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.argv.splice(1, process.argv.length, program, ...args);
  const input = inputOf(stdin);
  const out = new Collected();
  const err = together ? out : new Collected();
  for (const [name, value] of Object.entries({ stdin: input, stdout: out, stderr: err }))
    Object.defineProperty(process, name, { value, configurable: true });
  const code = await main(args);
  input.destroy();
  // Like a new process, the next command must not find open connections.
  for (const agent of [plainAgent, secureAgent]) agent.destroy();
  return { code, out: out.text, err: together ? '' : err.text };
}

class Collected extends Writable {
  readonly #chunks: Buffer[] = [];

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}

/** Returns a stream with a descriptor, from which commands may also read synchronously. */
function inputOf(text: string): ReadStream {
  if (text === '') return createReadStream('', { fd: openSync('/dev/null', 'r') });
  const folder = mkdtempSync(join(temporary, 'agentctl-stdin-'));
  writeFileSync(join(folder, 'stdin'), text);
  const fd = openSync(join(folder, 'stdin'), 'r');
  rmSync(folder, { recursive: true });
  return createReadStream('', { fd });
}
