/** MCP servers as child processes of a test: built with the official SDKs, over HTTP and stdio. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const root = resolve(__dirname, '../..');
export const node = join(root, 'node_modules/.bin/node');
export const fixtureFile = join(root, 'test/support/mcp-fixture.ts');

export interface McpServer {
  readonly url: string;
  /** Returns every tool call that the server received, as `[name, arguments]`. */
  calls(): [string, Record<string, unknown>][];
  /** Changes the tool descriptions; `null` removes a tool. */
  describe(changes: Readonly<Record<string, object | null>>): void;
  /** Makes the server forget all sessions, as after a restart. */
  forget(): Promise<void>;
  stop(): Promise<void>;
}

export interface ServerOptions {
  /**
   * `2025`: sessions, SDK 1.x. `2026`: stateless, with older clients served without a session, SDK 2.x. `sse`: the
   * older transport.
   */
  readonly kind?: '2025' | '2026' | 'sse';
  readonly name?: string;
}

export async function startMcpServer({ kind = '2025', name = 'fixture' }: ServerOptions = {}): Promise<McpServer> {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-fixture-'));
  const [toolsFile, callsFile] = [join(folder, 'tools.json'), join(folder, 'calls')];
  writeFileSync(toolsFile, '{}');
  writeFileSync(callsFile, '');
  const file = kind === '2026' ? join(root, 'test/support/mcp-fixture-2026.ts') : fixtureFile;
  const child = spawn(node, [file, kind === 'sse' ? 'sse' : 'http'], {
    cwd: root,
    env: { ...process.env, NODE_OPTIONS: '', FIXTURE_TOOLS: toolsFile, FIXTURE_CALLS: callsFile, FIXTURE_NAME: name },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const killWithUs = () => child.kill('SIGKILL');
  process.once('exit', killWithUs);
  const url = await firstLine(child);
  return {
    url,
    calls: () =>
      readFileSync(callsFile, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
    describe: (changes) => writeFileSync(toolsFile, JSON.stringify(changes)),
    forget: async () => void (await fetch(new URL('/forget', url))),
    stop: async () => {
      process.off('exit', killWithUs);
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function firstLine(child: ChildProcess): Promise<string> {
  let stderr = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return new Promise((found, failed) => {
    child.once('exit', (code) => failed(new Error(`the fixture ended with ${code}:\n${stderr}`)));
    createInterface({ input: child.stdout! }).once('line', found);
  });
}
