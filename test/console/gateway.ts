/** The gateway behind the pages: a real local process that can go down and come back at the same address. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LocalKeys } from '../../adapters/local/keys-file.ts';
import { type Child, startChild } from '../../bench/host.ts';
import type { ReadyEvent } from '../../bin/local/banner.ts';
import type { Loose } from '../support/loose.ts';

export interface ConsoleGateway {
  readonly url: string;
  readonly gatewayUrl: string;
  readonly keys: LocalKeys;
  /** The address printed at the first start, with the one-time sign-in link. */
  readonly signInUrl: string;
  call(key: string, method: string, path: string, body?: unknown): Promise<{ status: number; body: Loose }>;
  /** Makes a request that waits for approval and returns its id. */
  review(request: Readonly<Record<string, unknown>>): Promise<string>;
  down(): Promise<void>;
  up(): Promise<void>;
  end(): Promise<void>;
}

const surfaces = ['gateway', 'admin', 'mcp'] as const;

export async function consoleGateway(): Promise<ConsoleGateway> {
  const state = await mkdtemp(join(tmpdir(), 'gateway-console-'));
  const start = (ports: readonly string[]): Promise<Child> =>
    startChild('bin/local.ts', [
      ...['--state', state, '--no-edge'],
      ...surfaces.flatMap((name, at) => [`--${name}-port`, ports[at] ?? '0']),
    ]);
  let child = await start([]);
  const ready = child.ready as unknown as ReadyEvent;
  const ports = [ready.gateway_url, ready.admin_url, ready.mcp_url].map((url) => new URL(url).port);
  const keys = JSON.parse(readFileSync(ready.keys_file ?? '', 'utf8')) as LocalKeys;
  const url = ready.admin_url;
  const call: ConsoleGateway['call'] = async (key, method, path, body) => {
    const answer = await fetch(`${url}/admin/v1/${path}`, {
      method,
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: await answer.json() };
  };
  return {
    url,
    gatewayUrl: ready.gateway_url,
    keys,
    signInUrl: /http:\S+#sign-in=\S+/.exec(child.banner ?? '')?.[0] ?? '',
    call,
    review: async (request) => {
      const { status, body } = await call(keys.agent, 'POST', 'test-action', request);
      if (status !== 200 || body.decision !== 'review')
        throw new Error(`not a review: ${status} ${JSON.stringify(body)}`);
      return body.envelope_id;
    },
    down: () => child.stop(),
    up: async () => {
      child = await start(ports);
    },
    end: async () => {
      await child.stop();
      await rm(state, { recursive: true, force: true });
    },
  };
}
