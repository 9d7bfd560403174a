/**
 * Git-host app broker. If an installation is configured, the app's token stays in the gateway and is exchanged for an
 * installation token limited to the grant's one repository and permissions. Its type is `scm_app_jwt`, the name in the
 * spec. Otherwise the app's own token is issued: it expires but is not narrowed, and its record notes that.
 */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import { RecentMap } from '#core/kernel/recent-map.ts';
import { brokerError, mintingRefused, unavailable } from './fault.ts';
import type { BrokerPorts, BrokerSettings, CredentialBroker, GitHostTokens, InstallationToken } from './ports.ts';
import { maxCredentialSeconds, newRecord, withEarlierExpiry } from './record.ts';

type ScmAppSettings = Omit<BrokerSettings<'scm_app'>, 'generated_key'>;

const type = 'scm_app_jwt';

export function scmAppBroker(settings: ScmAppSettings, ports: BrokerPorts): CredentialBroker {
  const { name, installation_id: installationId, api_url: apiUrl } = settings;
  if (installationId === undefined) return wholeApp(settings, ports);
  if (apiUrl === undefined) return unusableBroker(name, 'its api_url is not configured');
  const gitHost = ports.clients?.gitHost;
  if (!gitHost) return unusableBroker(name, 'this function cannot call a Git host');
  return oneRepository(settings, ports, gitHost, { installationId, apiUrl: apiUrl.replace(/\/+$/, '') });
}

/** Returns a broker for the app's own token. A signed token cannot be revoked; it only expires. */
function wholeApp(settings: ScmAppSettings, ports: BrokerPorts): CredentialBroker {
  const note =
    'The app token itself, not narrowed to a repository or to permissions, because no installation is configured.';
  const kind = { type, degraded: true, longestSeconds: longestAppTokenSeconds, note };
  return {
    name: settings.name,
    calledBack: 'never',
    async issue(envelope, grant) {
      const key = await appKey(settings, ports);
      const record = newRecord(ports, envelope, grant, kind);
      const until = Date.parse(record.expires_at);
      return { record, secret: await appToken(key, settings.app_id, record.id, ports.clock.now(), until) };
    },
    async revoke() {},
  };
}

/** Lifetime of the app's token, which is used immediately. */
const appTokenMs = 120_000;

function oneRepository(
  settings: ScmAppSettings,
  ports: BrokerPorts,
  gitHost: GitHostTokens,
  { apiUrl, installationId }: { readonly apiUrl: string; readonly installationId: string },
): CredentialBroker {
  const { name } = settings;
  const kind = { type, degraded: false, longestSeconds: maxCredentialSeconds };
  const failed = (thrown: unknown): never => {
    throw brokerError(name, 'the Git host', thrown);
  };
  return {
    name,
    calledBack: 'by_value',

    async issue(envelope, grant) {
      const repository = repositoryOf(envelope.target);
      if (!repository) throw mintingRefused(name, 'its target is not a repository in the form owner/name');
      const permissions = permissionsOf(grant.scope);
      if (!permissions)
        throw unavailable(name, `the scope "${grant.scope}" is not a list of permissions such as contents:read`);
      const key = await appKey(settings, ports);
      const record = newRecord(ports, envelope, grant, kind);
      const now = ports.clock.now();
      const appJwt = await appToken(key, settings.app_id, record.id, now, now + appTokenMs);
      const asked = { apiUrl, appJwt, installationId, repositories: [repository.name], permissions };
      const minted = await gitHost.mint(asked).catch(failed);
      const why = excess(minted, repository.full, permissions);
      if (why !== undefined) {
        await gitHost.revoke(apiUrl, minted.token).catch(() => {});
        throw unavailable(name, `the Git host returned a token ${why}`);
      }
      return { record: withEarlierExpiry(record, minted.expires_at), secret: minted.token };
    },

    /**
     * Revokes a token by its value, which only the token's holder has. If the value is missing, the token is left to
     * expire.
     */
    async revoke(_record, secret) {
      if (secret === undefined) return;
      await gitHost.revoke(apiUrl, secret).catch(failed);
    },
  };
}

/**
 * Returns a broker that refuses all actions because its configuration is not usable. It does not fall back to the app's
 * own token.
 */
const unusableBroker = (name: string, why: string): CredentialBroker => ({
  name,
  calledBack: 'by_value',
  issue: () => Promise.reject(unavailable(name, why)),
  revoke: () => Promise.resolve(),
});

const repositoryPattern = /^([A-Za-z0-9][A-Za-z0-9_-]{0,99})\/([A-Za-z0-9._-]{1,100})$/;

function repositoryOf(target: string): { readonly full: string; readonly name: string } | undefined {
  const [full, , name] = repositoryPattern.exec(target) ?? [];
  return full === undefined || name === undefined || name === '.' || name === '..' ? undefined : { full, name };
}

const permissionPattern = /^([a-z][a-z_]{0,63}):(read|write|admin)$/;

/** Parses `pull_requests:write,contents:read` as permissions. Returns undefined if any part is invalid. */
function permissionsOf(scope: string): Readonly<Record<string, string>> | undefined {
  const permissions = new Map<string, string>();
  for (const part of scope.split(',')) {
    const [, permission, level] = permissionPattern.exec(part.trim()) ?? [];
    if (permission === undefined || level === undefined || permissions.has(permission)) return undefined;
    permissions.set(permission, level);
  }
  return Object.fromEntries(permissions);
}

/** Permission that hosts add to every token. */
const always: Readonly<Record<string, string>> = { metadata: 'read' };
const levels = ['none', 'read', 'write', 'admin'];

/**
 * Returns how a token grants more than requested. Repositories are requested without their owner, so a target with a
 * different owner could match a repository of the same name in the installation.
 */
function excess(
  { repositories, permissions }: InstallationToken,
  repository: string,
  asked: Readonly<Record<string, string>>,
): string | undefined {
  const [only, ...others] = repositories ?? [];
  if (only === undefined || others.length > 0 || only.toLowerCase() !== repository.toLowerCase())
    return 'that is not for the one repository of this action';
  const allowed = { ...always, ...asked };
  const broader = Object.entries(permissions).find(
    ([name, level]) => !levels.includes(level) || levels.indexOf(level) > levels.indexOf(allowed[name] ?? 'none'),
  );
  return broader && 'with more permissions than the grant';
}

/** Seconds by which `iat` is backdated, since the host's clock may be behind. */
const skewSeconds = 60;
/** Longest lifetime from `iat` that Git hosts accept. */
const longestAppTokenSeconds = 600;
const shortestKeyBits = 2048;

/** Returns a signed app token. @param untilMs latest expiry. The host's own limit also applies. */
function appToken(key: KeyObject, appId: string, id: string, nowMs: number, untilMs: number): Promise<string> {
  const issued = Math.floor(nowMs / 1000) - skewSeconds;
  return new SignJWT({})
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
    .setIssuer(appId)
    .setJti(id)
    .setIssuedAt(issued)
    .setExpirationTime(Math.min(Math.floor(untilMs / 1000), issued + longestAppTokenSeconds))
    .sign(key);
}

/**
 * Returns the app's private key. @throws GatewayError `service_unavailable` if the secret is not an RSA key of
 * sufficient length.
 */
async function appKey(
  { name, private_key_env }: { readonly name: string; readonly private_key_env: string },
  { secrets }: Pick<BrokerPorts, 'secrets'>,
): Promise<KeyObject> {
  const pem = await secrets.get(private_key_env);
  if (!pem) throw unavailable(name, `${private_key_env} contains no key`);
  const key = parseKey(private_key_env, pem);
  if (!key) throw unavailable(name, `${private_key_env} contains no readable PEM key`);
  const { modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === 'rsa' && modulusLength >= shortestKeyBits) return key;
  throw unavailable(name, `${private_key_env} contains no RSA key of at least ${shortestKeyBits} bits`);
}

/**
 * The last key parsed from each secret, cached because parsing costs more than the rest of a mint. A rotated secret
 * replaces its key.
 */
const parsedKeys = new RecentMap<string, { readonly pem: string; readonly key: KeyObject }>({ max: 64 });

function parseKey(secret: string, pem: string): KeyObject | undefined {
  const known = parsedKeys.get(secret);
  if (known?.pem === pem) return known.key;
  const key = readKey(pem);
  if (key) parsedKeys.set(secret, { pem, key });
  return key;
}

/**
 * Parses a PEM key. Environment files often contain it on one line, with line breaks written as `\\n`. Parser errors
 * are dropped.
 */
function readKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem.replaceAll('\\n', '\n'));
  } catch {
    return undefined;
  }
}
