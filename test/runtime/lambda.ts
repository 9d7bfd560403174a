/** One execution environment: a built bundle under AWS's runtime interface client, in its own process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { FunctionSpec } from '#core/contracts/function-spec.ts';
import type { FunctionName } from '#core/contracts/functions.ts';
import { functions } from '#features/functions.ts';
import { type Posted, startRuntimeApi } from './runtime-api.ts';

const client = resolve('test/runtime/client/node_modules/aws-lambda-ric/index.mjs');
const nativeClient = resolve('test/runtime/native-client.cjs');

export interface Lambda {
  readonly name: FunctionName;
  invoke(event: unknown, options?: { remainingMs?: number; cutAfterBytes?: number }): Promise<Posted>;
  /** Resolves when the bundle is loaded and waits for its first invocation. */
  readonly loaded: Promise<void>;
  /** Suspends the process, as Lambda does between invocations. */
  freeze(): void;
  thaw(): void;
  kill(): Promise<void>;
  /** Resolves once the process has ended. */
  readonly gone: Promise<unknown>;
  /** Returns the process's peak memory so far, in MB (Linux). */
  peakMemoryMb(): number;
  /** Returns the log that the process has written so far. */
  log(): string;
  stop(): Promise<void>;
}

export async function startLambda(name: FunctionName, environment: Readonly<Record<string, string>>): Promise<Lambda> {
  const api = await startRuntimeApi();
  const spec: FunctionSpec = functions[name];
  const child = spawn(process.execPath, [...heapOf(spec), '--require', nativeClient, client], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH ?? '',
      ...environment,
      AWS_LAMBDA_RUNTIME_API: api.address,
      AWS_LAMBDA_NODEJS_USE_ALTERNATIVE_CLIENT_1: 'true',
      AWS_LAMBDA_FUNCTION_NAME: name,
      AWS_LAMBDA_FUNCTION_VERSION: '1',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(spec.memoryMb),
      AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${name}`,
      AWS_LAMBDA_LOG_STREAM_NAME: 'tested',
      LAMBDA_TASK_ROOT: resolve(`dist/${name}`),
      _HANDLER: 'index.handler',
    },
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (log += chunk));
  const gone = once(child, 'exit');

  return {
    name,
    invoke: (event, options) =>
      Promise.race([
        api.invoke(event, options),
        gone.then(([code, signal]) => {
          throw new Error(`${name} ended (${code ?? signal})\n${api.initError() ?? ''}\n${log.slice(-2_000)}`);
        }),
      ]),
    loaded: api.loaded,
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    kill: () => ended(child, gone),
    gone,
    peakMemoryMb: () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024,
    log: () => log,
    async stop() {
      await ended(child, gone);
      await api.stop();
    },
  };
}

/**
 * Returns the heap options that a Lambda runtime gives Node.js: nine tenths of the memory, and a twentieth for the
 * young generation.
 */
const heapOf = ({ memoryMb }: FunctionSpec): string[] => [
  `--max-old-space-size=${Math.floor(memoryMb * 0.9)}`,
  `--max-semi-space-size=${Math.floor(memoryMb * 0.05)}`,
];

async function ended(child: ChildProcess, gone: Promise<unknown>): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  await gone;
}
