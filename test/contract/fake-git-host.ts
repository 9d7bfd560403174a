/** A Git host's REST API as used by an app: its JWT is checked, and tokens are narrowed as on GitHub. */
import { type KeyObject, verify } from 'node:crypto';
import { type LoopbackAnswer, type LoopbackCall, loopback } from '../support/loopback.ts';

export interface FakeInstallation {
  readonly appId: string;
  readonly publicKey: KeyObject;
  readonly id: string;
  readonly owner: string;
  readonly repositories: readonly string[];
  readonly permissions: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export interface FakeToken {
  readonly token: string;
  readonly repositories: readonly string[];
  readonly permissions: Readonly<Record<string, string>>;
}

export async function fakeGitHost(installation: FakeInstallation) {
  const { appId, publicKey, id, owner, now } = installation;
  const alive = new Map<string, FakeToken>();
  /** Wrong values that the host returns, to test that they are not trusted. */
  const lies: { repositories?: readonly string[] | undefined; permissions?: Record<string, string> }[] = [];
  let made = 0;

  const server = await loopback((call) => {
    const bearer = /^Bearer (.+)$/.exec(call.headers.authorization ?? '')?.[1] ?? '';
    if (call.method === 'POST' && call.path === `/app/installations/${id}/access_tokens`) return mint(call, bearer);
    if (call.method === 'DELETE' && call.path === '/installation/token') {
      return alive.delete(bearer) ? { status: 204 } : message(401, 'Bad credentials');
    }
    return message(404, 'Not Found');
  });

  function mint(call: LoopbackCall, jwt: string): LoopbackAnswer {
    if (!isFresh(jwt)) return message(401, 'A JSON web token could not be decoded');
    const asked = JSON.parse(call.body) as { repositories: string[]; permissions: Record<string, string> };
    if (!asked.repositories.every((name) => installation.repositories.includes(name))) {
      return message(422, 'There is at least one repository that does not exist or is not accessible');
    }
    const granted = Object.entries(asked.permissions).every(([name, level]) => covers(name, level));
    if (!granted) return message(422, 'The permissions requested are not granted to this installation.');
    const token = { token: `ghs_${String(++made).padStart(36, 'a')}`, ...asked };
    alive.set(token.token, token);
    const repositories = asked.repositories.map((name) => `${owner}/${name}`);
    const shown = { repositories, permissions: { ...asked.permissions, metadata: 'read' }, ...lies.shift() };
    return {
      status: 201,
      body: {
        token: token.token,
        expires_at: new Date(now() + 3600_000).toISOString().replace(/\.\d+Z/, 'Z'),
        permissions: shown.permissions,
        repository_selection: 'selected',
        ...(shown.repositories && { repositories: shown.repositories.map((full_name) => ({ full_name })) }),
      },
    };
  }

  const covers = (name: string, level: string) =>
    installation.permissions[name] === 'write' || installation.permissions[name] === level;

  /** Checks a JWT as GitHub does: RS256, signed by the app, not from the future, valid for at most ten minutes. */
  function isFresh(jwt: string): boolean {
    const [header = '', claims = '', signature = ''] = jwt.split('.');
    const signed = verify('sha256', Buffer.from(`${header}.${claims}`), publicKey, Buffer.from(signature, 'base64url'));
    if (!signed) return false;
    const { iss, iat, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>;
    const seconds = now() / 1000;
    return iss === appId && Number(iat) <= seconds && Number(exp) > seconds && Number(exp) - Number(iat) <= 600;
  }

  return { ...server, alive, lies };
}

const message = (status: number, text: string): LoopbackAnswer => ({ status, body: { message: text } });
