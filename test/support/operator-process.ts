/** The operator as a separate process: its log and its exit. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

export interface OperatorProcess {
  log(): string;
  stop(signal: NodeJS.Signals): Promise<void>;
}

/**
 * @param env in addition to this process's: the addresses of the API server and the gateway, and the operator's
 * identity.
 */
export function startOperatorProcess(env: Record<string, string>): OperatorProcess {
  const child = spawn(join(root, 'node_modules/.bin/node'), [join(root, 'bin/operator.ts')], {
    env: { ...process.env, NODE_OPTIONS: '', OPERATOR_RESYNC_SECONDS: '2', OPERATOR_LEASE_SECONDS: '6', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let log = '';
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  return {
    log: () => log,
    stop: async (signal) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
    },
  };
}
