/** A gateway with its own configuration, for checks that cannot use the shared one. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from '../../bench/host.ts';
import type { Loose } from '../support/loose.ts';

export interface OwnGateway {
  readonly url: string;
  readonly gatewayUrl: string;
  /** Calls the admin API and throws an error unless the status is `expected` (200). */
  call(key: string, method: string, path: string, body?: unknown, expected?: number): Promise<Loose>;
  end(): Promise<void>;
}

/** @param prepare fills the state folder before the gateway starts. */
export async function ownGateway(
  configuration: string,
  prepare: (state: string) => Promise<void> = async () => {},
): Promise<OwnGateway> {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-own-'));
  const [config, state] = [join(folder, 'gateway.yaml'), join(folder, 's')];
  await writeFile(config, configuration);
  await prepare(state);
  const ports = ['--gateway-port', '0', '--admin-port', '0', '--mcp-port', '0', '--no-edge'];
  const child = await startChild('bin/local.ts', ['--config', config, '--state', state, ...ports]);
  const url = String(child.ready.admin_url);
  return {
    url,
    gatewayUrl: String(child.ready.gateway_url),
    call: async (key, method, path, body, expected = 200) => {
      const answer = await fetch(`${url}/admin/v1/${path}`, {
        method,
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      assert.equal(answer.status, expected, `${method} ${path}: ${text.slice(0, 500)}`);
      return JSON.parse(text) as Loose;
    },
    end: async () => {
      await child.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
