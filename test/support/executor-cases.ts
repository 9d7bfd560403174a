/**
 * Shared parts of executor tests: configuration, envelopes, credentials, a fake Git host, a proxy that cuts
 * connections.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import type { ConfigurationFile } from '#core/contracts/config.ts';
import type { ActionEnvelope } from '#core/contracts/envelope.ts';
import type { IssuedCredential } from '#core/execution/credentials/ports.ts';
import type { ExecutorConfiguration } from '#core/execution/executors/executors.ts';
import { configurationSchema } from '#features/configuration.ts';
import { type Asked, type Behaviour, fakeHttpService } from './fake-http-service.ts';

/** Clients for a function that reaches no outside service. */
export const noClients = {
  http: undefined,
  postgres: undefined,
  dataApi: undefined,
  shell: undefined,
  shellWords: undefined,
  commandSlots: undefined,
};

export const configured = (sections: Partial<Record<keyof ConfigurationFile, unknown>>): ExecutorConfiguration =>
  configurationSchema.parse({ version: 1, tenants: [{ id: 't', api_keys: ['k'] }], ...sections });

export const envelopeOf = (
  protocol: string,
  tool: string,
  target: string,
  capability: string,
  parameters: Record<string, unknown> = {},
): ActionEnvelope => ({
  protocol,
  tool,
  target,
  capability,
  parameters,
  envelope_id: 'e1',
  tenant: 't',
  key_id: 'k',
  justification: '',
  actor: { agent: 'a', session: 's' },
});

export const credentialOf = (secret: string, broker = 'scm'): IssuedCredential => ({
  record: {
    id: 'c1',
    tenant: 't',
    session_id: 's',
    envelope_id: 'e1',
    broker,
    type: 'test',
    scope: 'test',
    degraded: false,
    issued_at: '2026-01-01T00:00:00.000Z',
    expires_at: '2026-01-01T00:10:00.000Z',
  },
  secret,
});

export const someSha = 'a'.repeat(40);

/** Returns the part of GitHub's REST API needed for one repository, `acme/web`; `instead` may override responses. */
export const fakeRepositoryHost = (instead: (asked: Asked) => Behaviour | undefined = () => undefined) =>
  fakeHttpService((asked) => instead(asked) ?? answerOf(asked));

function answerOf({ method, path, headers, body }: Asked): Behaviour {
  const call = `${method} ${path.replace(/\?.*$/, '')}`;
  const sent = (body === '' ? {} : JSON.parse(body)) as Record<string, unknown>;
  const answers: Record<string, Behaviour> = {
    'GET /repos/acme/web': { body: { full_name: 'acme/web', default_branch: 'main', private: true } },
    'GET /repos/acme/web/contents/src/a%20b.ts': {
      body: { path: 'src/a b.ts', sha: someSha, size: 5, type: 'file', encoding: 'base64', content: 'aGVs\nbG8=' },
    },
    'GET /repos/acme/web/contents/echo.txt': {
      body: { path: 'echo.txt', type: 'file', encoding: 'base64', content: btoa(headers.authorization ?? '') },
    },
    'GET /repos/acme/web/branches': {
      headers: { link: '<http://elsewhere.invalid/?page=2>; rel="next"' },
      body: [{ name: 'main', commit: { sha: someSha }, protected: true, junk: 'x'.repeat(100) }],
    },
    'GET /repos/acme/web/git/ref/heads/main': { body: { object: { sha: someSha } } },
    'GET /repos/acme/web/git/ref/heads/feature/x': { body: { object: { sha: someSha } } },
    [`GET /repos/acme/web/git/commits/${someSha}`]: { body: { tree: { sha: 'b'.repeat(40) } } },
    'POST /repos/acme/web/git/refs': { status: 201, body: { ref: sent.ref } },
    'POST /repos/acme/web/git/trees': { status: 201, body: { sha: 'c'.repeat(40) } },
    'POST /repos/acme/web/git/commits': { status: 201, body: { sha: 'd'.repeat(40) } },
    'PATCH /repos/acme/web/git/refs/heads/feature/x': { body: { ref: 'refs/heads/feature/x' } },
    'PUT /repos/acme/web/contents/docs/a.md': {
      status: 201,
      body: { content: { path: 'docs/a.md', sha: someSha }, commit: { sha: someSha, html_url: 'https://git.test/c' } },
    },
    'POST /repos/acme/web/pulls': {
      status: 201,
      body: {
        number: 7,
        html_url: 'https://git.test/acme/web/pull/7',
        title: sent.title,
        state: 'open',
        head: { ref: sent.head, sha: someSha },
        base: { ref: sent.base, sha: someSha },
        user: { login: 'bot' },
      },
    },
  };
  return answers[call] ?? { status: 404, body: { message: 'Not Found' } };
}

/** Forwards a TCP port and ends both sides once the client has sent `word`. */
export async function cuttingProxy(port: number, word: string) {
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    for (const side of [client, upstream]) side.on('error', () => {});
    client.on('data', (chunk) => {
      if (!chunk.includes(word)) return void upstream.write(chunk);
      client.destroy();
      upstream.destroy();
    });
    upstream.on('data', (chunk) => void client.write(chunk));
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    stop: () => new Promise((closed) => server.close(closed)),
  };
}

/** Waits for a condition, checking it on each turn of the event loop. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Returns the error that a promise was rejected with. */
export const faultOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (value) => {
      throw new Error(`expected a failure, got ${JSON.stringify(value)}`);
    },
    (thrown: unknown) => thrown,
  );
