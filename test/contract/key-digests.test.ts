/** Keys stored in secrets, over a real store: digests are stored with the configuration, and looking up a caller reads no secret. */
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { bootstrapAdminToken } from '#adapters/aws/dynamodb/bootstrap.ts';
import { secretsManager } from '#adapters/aws/secrets-manager.ts';
import { configTable } from '#adapters/tables/config-table.ts';
import { authenticate } from '#core/configuration/identity/authenticate.ts';
import { createSnapshots } from '#core/configuration/store/snapshots.ts';
import { refreshKeys, rollback, storeVersion } from '#core/configuration/store/versions.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { configurationSchema } from '#features/lazy-configuration.ts';
import { loadConfiguration } from '#features/load-configuration.ts';
import { over, startDynamo } from '../support/dynamo.ts';
import { scriptedAws } from '../support/scripted-aws.ts';
import { useStarted } from '../support/use-started.ts';
import { base, handClock, memoryObjects, packs } from '../unit/configuration/memory.ts';

const dynamo = useStarted(() => startDynamo());
const aws = useStarted(() => scriptedAws());

const text = base().replace(
  '[{ key: agent-key-of-16-chars }]',
  '[{ key_env: CI_KEY, name: ci }, { key_env: OTHER_KEY, name: other }]',
);
const bundle = (values: object) => ({ body: { SecretString: JSON.stringify(values) } });

let deployments = 0;

/**
 * Creates a deployment: the part that stores configurations reads the bundle `keys`; the part that serves callers reads
 * no secret.
 */
async function deployment() {
  const { config } = await dynamo.createTables(`keys-${++deployments}-`);
  const configStore = { ...configTable(over(dynamo.client(), { config })), schema: configurationSchema };
  const [objects, clock] = [memoryObjects(), handClock()];
  const client = new SecretsManagerClient(aws.client);
  const secrets = secretsManager({ secretIds: ['keys'], client, now: clock.now });
  const deps = { configStore, objects, clock, secrets };
  let changes = 0;
  const snapshots = createSnapshots({
    configStore,
    objects,
    clock,
    changed: () => {
      changes++;
      secrets.forget();
    },
  });
  const { configuration } = await loadConfiguration(text, { packs });
  const known = async (key: string) => {
    const { identities } = await snapshots.current();
    try {
      return authenticate({ 'x-api-key': key }, identities).name;
    } catch {
      return undefined;
    }
  };
  return { config, configStore, clock, deps, snapshots, configuration, known, client, changes: () => changes };
}

test('[auth.keys-by-digest] key digests are resolved once when the configuration is stored; looking up a caller reads no secret', async () => {
  const { clock, deps, configuration, known, configStore } = await deployment();
  aws.answers(bundle({ CI_KEY: 'ci-key-of-16-characters\n', OTHER_KEY: ' ' }));
  await storeVersion(deps, configuration, 'test', 'api');
  expect(aws.asked).toHaveLength(1);
  for (let second = 0; second < 60; second += 5) {
    clock.wind(5_000);
    expect(await known('ci-key-of-16-characters')).toBe('ci');
  }
  expect(aws.asked).toHaveLength(1);
  const { keys } = (await configStore.inForce())!;
  expect(keys).toEqual({ digests: { CI_KEY: sha256('ci-key-of-16-characters') }, revision: 1 });
  // The public view of a version contains no digest of a key.
  expect(JSON.stringify([await configStore.current(), await configStore.list()])).not.toContain(keys.digests.CI_KEY);
});

test('[auth.keys-by-digest] a key replaced or removed in its secret takes effect within five seconds of refresh-keys', async () => {
  const { clock, deps, configuration, known, changes } = await deployment();
  aws.answers(bundle({ CI_KEY: 'first-key', OTHER_KEY: 'other-key' }), bundle({ CI_KEY: 'second-key' }));
  await storeVersion(deps, configuration, 'test', 'api');
  expect([await known('first-key'), await known('other-key')]).toEqual(['ci', 'other']);
  deps.secrets.forget();
  expect(await refreshKeys(deps)).toMatchObject({
    row: { version: 1 },
    keys: 1,
    warnings: expect.arrayContaining(['OTHER_KEY is not set: its key entry is skipped.']),
  });
  clock.wind(5_000);
  expect([await known('first-key'), await known('second-key'), await known('other-key')]).toEqual([
    undefined,
    'ci',
    undefined,
  ]);
  expect(changes()).toBe(1); // cached secret values are read again, too
});

test('[auth.keys-by-digest] a rollback resolves the restored keys, and if a secret is unreadable, no version is stored', async () => {
  const { deps, configuration, configStore } = await deployment();
  aws.answers(bundle({ CI_KEY: 'first-key' }));
  await storeVersion(deps, configuration, 'test', 'api');
  deps.secrets.forget();
  aws.answers({ status: 500, body: { __type: 'InternalServiceError' } });
  await expect(rollback(deps, 1, 'test')).rejects.toMatchObject({ code: 'service_unavailable' });
  expect((await configStore.current())?.version).toBe(1);
  aws.answers(bundle({ CI_KEY: 'now-key' }));
  expect(await rollback(deps, 1, 'test')).toMatchObject({ version: 2 });
  expect((await configStore.inForce())?.keys).toEqual({ digests: { CI_KEY: sha256('now-key') }, revision: 2 });
});

test('[auth.keys-by-digest] bootstrap registers the token before and after a configuration exists, and replaces it', async () => {
  const { config, clock, deps, configuration, known, client, configStore } = await deployment();
  const name = config.replace(/-config$/, '');
  const bootstrap = (token: string) => {
    aws.answers(bundle({ GATEWAY_ADMIN_TOKEN: token }));
    return bootstrapAdminToken({ db: dynamo.client(), secrets: client, name });
  };
  await bootstrap('first-admin-token-1');
  expect(aws.asked[0]?.body).toBe(JSON.stringify({ SecretId: `${name}/admin` }));
  expect(await configStore.adminTokenSha256()).toBe(sha256('first-admin-token-1'));
  aws.answers(bundle({ GATEWAY_ADMIN_TOKEN: 'one-that-functions-read' }));
  await storeVersion(deps, configuration, 'test', 'api');
  expect([await known('first-admin-token-1'), await known('one-that-functions-read')]).toEqual([
    'admin-token',
    undefined,
  ]);
  await bootstrap('second-admin-token-2');
  clock.wind(5_000);
  expect([await known('first-admin-token-1'), await known('second-admin-token-2')]).toEqual([undefined, 'admin-token']);
  await expect(bootstrap('short')).rejects.toMatchObject({ message: expect.not.stringContaining('short') });
});
