/**
 * The streaming plane over real HTTP: it responds as the functions do, notices when callers disconnect, drains, and
 * refuses calls without its store.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { request } from 'node:http';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type Check, check } from '../support/checks.ts';
import type { Loose } from '../support/loose.ts';
import { type Plane, startPlane } from './plane-process.ts';
import { keys, type World } from './world.ts';

const chat = '/v1/chat/completions';
const asked = (model: string, stream: boolean) =>
  JSON.stringify({ model, stream, max_tokens: 50, messages: [{ role: 'user', content: 'hello' }] });
const headers = (session: string) => ({
  'content-type': 'application/json',
  'x-api-key': keys.agent,
  'x-session-id': session,
});

export function planeChecks(world: World): Check[] {
  if (!existsSync('features/streaming-plane')) return [];
  const withPlane = async (prove: (plane: Plane) => Promise<void>, more: Readonly<Record<string, string>> = {}) => {
    const plane = await startPlane({ ...world.environment, ...more });
    try {
      await prove(plane);
    } finally {
      await plane.stop();
    }
  };
  const post = (plane: Plane, path: string, session: string, body: string) =>
    fetch(plane.url + path, { method: 'POST', headers: headers(session), body });
  const outcomeOf = async (session: string): Promise<string> => {
    const { body } = await world.call('evidence', `GET /admin/v1/audit?session=${session}`, { caller: 'human' });
    return body.entries.map(({ body: said }: Loose) => said.outcome ?? said.status).join();
  };

  return [
    check(
      '[plane.same-handlers] the container contains the same packs, prices and filters as the functions',
      async () => {
        for (const folder of ['policies', 'plugins'])
          assert.deepEqual(readdirSync(`dist/streaming-plane/${folder}`), readdirSync(`dist/test-action/${folder}`));
      },
    ),
    check(
      '[plane.same-handlers] the streaming plane sends whole and streamed responses, governs actions, counts tokens and lists models',
      () =>
        withPlane(async (plane) => {
          const whole = await post(plane, chat, 'plane-whole', asked('mock', false));
          assert.equal(whole.status, 200);
          assert.equal(((await whole.json()) as Loose).choices[0].message.content, 'Mock reply to: hello');
          const events = await post(plane, '/v1/messages', 'plane-events', asked('mock', true));
          assert.match(await events.text(), /event: message_stop/);
          const counted = await post(plane, '/v1/messages/count_tokens', 'plane-count', asked('mock', false));
          assert.ok(((await counted.json()) as Loose).input_tokens > 0);
          const models = await fetch(`${plane.url}/v1/models`, { headers: headers('plane-models') });
          assert.ok(((await models.json()) as Loose).data.some(({ id }: Loose) => id === 'mock'));
          const stranger = await fetch(`${plane.url}${chat}`, { method: 'POST', body: asked('mock', false) });
          assert.equal(stranger.status, 401);
          const admin = await fetch(`${plane.url}/admin/v1/whoami`, { headers: headers('plane-admin') });
          assert.equal(admin.status, 404);
          const action = {
            protocol: 'git',
            tool: 'scm.list_branches',
            target: 'acme/web',
            capability: 'read',
            actor: { agent: 'runtime', session: 'plane-action' },
          };
          const governed = await post(plane, '/v1/actions', 'plane-action', JSON.stringify(action));
          assert.equal(((await governed.json()) as Loose).decision, 'allow');
          const ofAdmin = await post(plane, '/admin/v1/test-action', 'plane-action', JSON.stringify(action));
          assert.equal(ofAdmin.status, 404);
        }),
    ),
    check('[plane.same-handlers] an SDK-based MCP client initializes and lists tools over the streaming plane', () =>
      withPlane(async (plane) => {
        const client = new Client({ name: 'runtime', version: '1' });
        const transport = new StreamableHTTPClientTransport(new URL(`${plane.url}/mcp`), {
          requestInit: { headers: { 'x-api-key': keys.agent } },
        });
        await client.connect(transport);
        assert.deepEqual((await client.listTools()).tools, []);
        await client.close();
      }),
    ),
    check(
      '[chat.abort] when a caller disconnects, its provider call ends within a second and is recorded as aborted',
      () =>
        withPlane(async (plane) => {
          const leaving = new AbortController();
          const open = await fetch(plane.url + chat, {
            method: 'POST',
            headers: headers('plane-left'),
            body: asked('endless', true),
            signal: leaving.signal,
          });
          const events = open.body!.getReader();
          await events.read();
          const closed = world.provider.nextClosedStream();
          leaving.abort();
          const leftAt = performance.now();
          await closed;
          const took = performance.now() - leftAt;
          assert.ok(took < 1_000, `the provider was let go after ${took} ms`);
          await recorded(() => outcomeOf('plane-left'), /aborted/);
        }),
    ),
    check('[local.drain] on SIGTERM, a call that ends in time gets its whole response, and the process exits 0', () =>
      withPlane(async (plane) => {
        const call = world.provider.holdNext();
        const answer = post(plane, chat, 'plane-finishes', asked('endless', false));
        await call.arrived;
        plane.terminate();
        await refused(plane.url);
        call.release();
        assert.equal((await answer).status, 200);
        assert.equal(await plane.exit, 0);
      }),
    ),
    check('[local.drain] a stream that outlasts the stop timeout is ended, settled and recorded as aborted', () =>
      withPlane(
        async (plane) => {
          const open = await post(plane, chat, 'plane-cut', asked('endless', true));
          const events = open.body!.getReader();
          await events.read();
          const closed = world.provider.nextClosedStream();
          plane.terminate();
          await assert.rejects(async () => {
            while (!(await events.read()).done);
          });
          await closed;
          assert.equal(await plane.exit, 0, plane.log().slice(-1_000));
          assert.match(await outcomeOf('plane-cut'), /aborted/);
        },
        { PLANE_DRAIN_SECONDS: '1' },
      ),
    ),
    check(
      '[error.store-down] without its store, the streaming plane answers 503 but still reports itself healthy',
      () =>
        withPlane(
          async (plane) => {
            const answer = await post(plane, '/v1/messages', 'plane-no-store', asked('mock', false));
            assert.equal(answer.status, 503);
            assert.equal(((await answer.json()) as Loose).type, 'error');
            assert.equal((await fetch(`${plane.url}/health`)).status, 200);
          },
          { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:9' },
        ),
    ),
    check('[auth.host-header] the streaming plane accepts its own names and addresses as Host, and no others', () =>
      withPlane(async (plane) => {
        assert.equal(await statusFor(plane.url, 'plane.example'), 200);
        assert.equal(await statusFor(plane.url, '10.0.3.7:8080'), 200);
        assert.equal(await statusFor(plane.url, 'rebound.example'), 403);
      }),
    ),
  ];
}

/** Polls until the store has the record, since the call is settled after its caller has left. */
async function recorded(look: () => Promise<string>, expected: RegExp): Promise<void> {
  for (let tries = 0; tries < 100; tries++) if (expected.test(await look())) return;
  assert.match(await look(), expected);
}

/** Resolves when nothing listens at the address any more. */
async function refused(url: string): Promise<void> {
  for (;;) {
    const answered = await fetch(`${url}/health`, { headers: { connection: 'close' } }).catch(() => undefined);
    if (!answered) return;
    await answered.text();
  }
}

/** Returns the status for a Host header, which `fetch` does not let callers set. */
const statusFor = (url: string, host: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const sent = request(`${url}/health`, { headers: { host } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.once('error', reject).end();
  });
