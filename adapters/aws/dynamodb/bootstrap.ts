/**
 * Stores the digest of the platform administrator's token, which no function may read [auth.keys-by-digest]. The
 * deploying operator runs it with separate permissions: to read this one secret, and to put and update items in this
 * one table.
 */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { configTable, putAdminToken } from '#adapters/tables/config-table.ts';
import { defaultAdminTokenName } from '#core/contracts/config/secret-names.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import { dynamoStore } from './store.ts';

interface Bootstrap {
  readonly db: DynamoDBClient;
  readonly secrets: SecretsManagerClient;
  /** The deployment's name, which prefixes its tables and secrets. */
  readonly name: string;
}

/**
 * Stores the digest. If run again after the token was replaced, it replaces the digest, and the old token stops working
 * within five seconds.
 */
export async function bootstrapAdminToken({ db, secrets, name }: Bootstrap): Promise<{ sha256: string }> {
  const { SecretString } = await secrets.send(new GetSecretValueCommand({ SecretId: `${name}/admin` }));
  const digest = sha256(tokenIn(SecretString, `${name}/admin`));
  const options = { store: dynamoStore({ client: db, tables: { config: `${name}-config` } }) };
  await putAdminToken(options, digest);
  const store = configTable(options);
  for (let tries = 0; tries < 8; tries++) {
    const held = await store.inForce();
    if (!held) return { sha256: digest };
    const digests = { ...held.keys.digests, [defaultAdminTokenName]: digest };
    if (await store.replaceKeys(held.row.version, { digests, revision: held.keys.revision + 1 }))
      return { sha256: digest };
  }
  throw new GatewayError('conflict', 'The configuration kept changing while the digest was stored; try again.');
}

/** Returns the token. Error messages never contain the text, which is secret. */
function tokenIn(text: string | undefined, secretId: string): string {
  let held: unknown;
  try {
    held = JSON.parse(text ?? '');
  } catch {
    held = undefined;
  }
  const token = (held as Record<string, unknown> | null | undefined)?.[defaultAdminTokenName];
  if (typeof token === 'string' && token.trim().length >= 16) return token.trim();
  throw invalidRequest(
    `The secret ${secretId} contains no ${defaultAdminTokenName} of at least 16 characters; put {"${defaultAdminTokenName}": "…"} there.`,
  );
}
