/** Finds the configured database for a SQL action, and its login. */
import type { SqlDatabaseEntry } from '#core/contracts/config.ts';
import type { ActionEnvelope } from '#core/contracts/envelope.ts';
import type { IssuedCredential } from '#core/execution/credentials/ports.ts';
import type { SecretStore } from '#core/kernel/ports.ts';
import { callRefused, ExecutionFault, needsCredential } from '../fault.ts';
import type { PostgresServer } from '../ports.ts';

/**
 * Returns the database named by a call, or the only one if there is just one. Returns undefined if none matches or the
 * choice is ambiguous.
 */
export function databaseOf(
  { target, parameters }: Pick<ActionEnvelope, 'target' | 'parameters'>,
  databases: readonly SqlDatabaseEntry[],
): SqlDatabaseEntry | undefined {
  const { database } = parameters;
  if (database !== undefined) return databases.find(({ name }) => name === database);
  return databases.find((each) => isNamedBy(each, target)) ?? (databases.length === 1 ? databases[0] : undefined);
}

/**
 * Refuses a target that is an address or names another database.
 * @throws ExecutionFault `refused`
 */
export function assertTarget(target: string, chosen: SqlDatabaseEntry, databases: readonly SqlDatabaseEntry[]): void {
  if (isNamedBy(chosen, target)) return;
  const other = databases.find((each) => each !== chosen && isNamedBy(each, target));
  if (other) throw callRefused(`the target names database ${other.name}, the parameters ${chosen.name}`);
  if (/[:/@\\\s]/.test(target.trim().replace(/"(?:[^"]|"")*"/g, '')))
    throw callRefused(
      `the target is an address that database ${chosen.name} does not have`,
      'Name the database or a table.',
    );
}

const isNamedBy = ({ name, host, port, resource_arn }: SqlDatabaseEntry, target: string): boolean =>
  [name, resource_arn, host, host && `${host}:${port}`].includes(target.trim());

/**
 * Returns the server together with its login, which is the minted credential or the user of the configured URL.
 * @throws ExecutionFault `no_credential`, `refused`
 */
export async function serverOf(
  entry: SqlDatabaseEntry,
  credential: IssuedCredential | undefined,
  secrets: SecretStore,
): Promise<{ server: PostgresServer; configured: readonly string[] }> {
  const { name, tls, ca_env } = entry;
  const place = await databaseAddress(entry, secrets);
  const login = credential ? loginOf(credential.secret, place) : place;
  if (!login.user) throw needsCredential(`database ${name}`);
  const ca = ca_env === undefined ? undefined : await secretAt(ca_env, secrets);
  if (ca_env !== undefined && !ca) throw new ExecutionFault('unreachable', `${ca_env} contains no certificate`);
  const server = {
    host: place.host,
    port: place.port,
    database: place.database,
    tls,
    user: login.user,
    password: login.password,
    ca: ca?.replaceAll('\\n', '\n'),
  };
  return { server, configured: place.password === '' ? [] : [place.password] };
}

/** Reads a secret. If the store fails, nothing has been sent yet, so the effect is `none`. */
const secretAt = (name: string, secrets: SecretStore): Promise<string | undefined> =>
  secrets.get(name).catch(() => {
    throw new ExecutionFault('unreachable', `the secret ${name} could not be read`);
  });

type DatabaseAddress = Omit<PostgresServer, 'tls' | 'ca'>;

async function databaseAddress(
  { name, url_env, host, port, database }: SqlDatabaseEntry,
  secrets: SecretStore,
): Promise<DatabaseAddress> {
  if (url_env === undefined) return { host: host!, port, database: database!, user: '', password: '' };
  const url = await secretAt(url_env, secrets);
  if (!url) throw new ExecutionFault('unreachable', `database ${name} has no address: ${url_env} contains no value`);
  const place = placeFrom(url);
  if (!place)
    throw new ExecutionFault('unreachable', `database ${name} has no address: ${url_env} contains no postgres:// URL`);
  return place;
}

function placeFrom(text: string): DatabaseAddress | undefined {
  const url = URL.parse(text);
  if (!url || !/^postgres(?:ql)?:$/.test(url.protocol) || url.hostname === '') return undefined;
  try {
    const [user, password, database] = [url.username, url.password, url.pathname.slice(1)].map(decodeURIComponent);
    const host = decodeURIComponent(url.hostname).replace(/^\[|\]$/g, '');
    return { host, port: Number(url.port || 5432), database: database || user!, user: user!, password: password! };
  } catch {
    return undefined;
  }
}

/** Parses a login: user name and password as JSON, or a URL, which must point to exactly this server. */
function loginOf(secret: string, place: DatabaseAddress): Pick<DatabaseAddress, 'user' | 'password'> {
  const whole = /^postgres(?:ql)?:/.test(secret) ? placeFrom(secret) : undefined;
  if (whole) {
    const same = whole.host === place.host && whole.port === place.port && whole.database === place.database;
    if (!same) throw callRefused('the credential is for a different database than the configured one');
    return whole;
  }
  try {
    const { username, user, password } = JSON.parse(secret) as Record<string, unknown>;
    const login = username ?? user;
    if (typeof login === 'string' && typeof password === 'string') return { user: login, password };
  } catch {
    // The error is reported below, since the parser's message would quote the secret.
  }
  throw callRefused(
    'the credential does not contain a user name and a password',
    'A database needs {"username", "password"} or a URL.',
  );
}
