/** The OIDC server of `oidc-server.mjs` as tests use it: tokens it issued, and others signed with its keys. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from 'jose';

const root = resolve(__dirname, '../..');

/** Creates a private key with its id, as a server stores it. */
export async function signingKey(kid: string, alg = 'RS256'): Promise<JWK> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return { ...(await exportJWK(privateKey)), kid, alg, use: 'sig' };
}

export interface OidcOptions {
  readonly port?: number;
  readonly keys: readonly JWK[];
  readonly clients: readonly string[];
  /** Claims of access tokens, by client or account. */
  readonly claims?: Readonly<Record<string, object>>;
}

export interface OidcServer {
  readonly issuer: string;
  readonly port: number;
  /** Returns an access token from the client credentials grant. */
  token(client: string, resource: string): Promise<string>;
  stop(): Promise<void>;
}

export async function startOidc(options: OidcOptions): Promise<OidcServer> {
  const clients = options.clients.map((client_id) => ({
    client_id,
    client_secret: `secret-of-${client_id}`,
    token_endpoint_auth_method: 'client_secret_post',
    grant_types: ['client_credentials'],
    response_types: [],
    redirect_uris: [],
  }));
  const child = spawn(
    join(root, 'node_modules/.bin/node'),
    [join(root, 'test/support/oidc-server.mjs'), JSON.stringify({ ...options, clients })],
    { cwd: root, env: { ...process.env, NODE_OPTIONS: '' }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const { issuer } = await ready(child);
  return {
    issuer,
    port: Number(new URL(issuer).port),
    async token(client, resource) {
      const answer = await fetch(`${issuer}/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          client_id: client,
          client_secret: `secret-of-${client}`,
          resource,
          scope: 'gateway',
        }),
      });
      const { access_token } = (await answer.json()) as { access_token: string };
      return access_token;
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function ready(child: ChildProcess): Promise<{ issuer: string }> {
  const killWithUs = () => child.kill('SIGKILL');
  process.once('exit', killWithUs);
  let stderr = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return new Promise((resolved, rejected) => {
    child.once('exit', () => {
      process.off('exit', killWithUs);
      rejected(new Error(`the OIDC server ended: ${stderr}`));
    });
    createInterface({ input: child.stdout! }).on('line', (line) => {
      if (line.startsWith('{"event":"ready"')) resolved(JSON.parse(line));
    });
  });
}

/** Returns a token signed with a server key, in any form that a test needs. */
export const signed = (key: JWK, claims: object, header: Partial<JWTHeaderParameters> = {}): Promise<string> =>
  new SignJWT({ ...claims })
    .setProtectedHeader({ alg: key.alg!, typ: 'at+jwt', ...(key.kid !== undefined && { kid: key.kid }), ...header })
    .sign(key, { crit: { exp: true } } as never);
