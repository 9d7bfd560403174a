/**
 * Secrets by environment name, from bundles in Secrets Manager. Each bundle is one JSON object, name → value. A
 * function gets the names of all bundles but may read only its own; the others appear empty to it.
 */

import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { isErrorNamed } from '#core/kernel/error-names.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { SecretStore } from '#core/kernel/ports.ts';
import { clientBounds } from './client-bounds.ts';

interface SecretsManagerOptions {
  readonly secretIds: readonly string[];
  /** @default a separate client, created on the first call */
  readonly client?: SecretsManagerClient;
  /** Milliseconds since the epoch. @default the system's clock */
  readonly now?: () => number;
}

interface KeptSecrets extends SecretStore {
  /** Drops the cache, so that the next read calls Secrets Manager. */
  forget(): void;
}

/** Time after which a bundle is reread. If a provider refuses a value, the bundle is reread earlier [secrets.kept]. */
const keptMs = 5 * 60_000;
/** Minimum time between two reads, even if a provider keeps refusing a valid key. */
const leastMs = 10_000;
/** Time for which a missing permission is cached, because permissions do not change from one second to the next. */
const refusedMs = 60_000;

type Bundle = Readonly<Record<string, unknown>>;
const empty: Bundle = {};

export function secretsManager({ secretIds, client, now = Date.now }: SecretsManagerOptions): KeptSecrets {
  let made = client;
  const kept = new Map<string, { readonly bundle: Promise<Bundle>; readonly since: number; until: number }>();

  const fetched = async (secretId: string): Promise<Bundle> => {
    // A function that needs no secret loads no client.
    const sdk = await import('./sdk/secret-versions.ts');
    made ??= new sdk.SecretsManagerClient(clientBounds());
    const { SecretString } = await made.send(new sdk.GetSecretValueCommand({ SecretId: secretId }));
    return parseBundle(SecretString, secretId);
  };

  const bundleOf = (secretId: string): Promise<Bundle> => {
    const known = kept.get(secretId);
    if (known && known.until > now()) return known.bundle;
    const entry = { bundle: fetched(secretId), since: now(), until: now() + keptMs };
    entry.bundle = entry.bundle.catch((cause: Error) => {
      if (isErrorNamed(cause, 'ResourceNotFoundException')) return empty;
      if (!isErrorNamed(cause, 'AccessDeniedException')) {
        kept.delete(secretId);
        throw secretsUnavailable(cause);
      }
      entry.until = now() + refusedMs;
      return empty;
    });
    kept.set(secretId, entry);
    return entry.bundle;
  };

  return {
    async get(name) {
      const bundles = await Promise.all(secretIds.map(bundleOf));
      const value = bundles.find((bundle) => Object.hasOwn(bundle, name))?.[name];
      return typeof value === 'string' && value !== '' ? value : undefined;
    },

    refused() {
      for (const [id, { since }] of kept) if (now() - since >= leastMs) kept.delete(id);
    },

    forget: () => kept.clear(),
  };
}

/** Parses a bundle. Error messages never contain the text, which is secret. */
function parseBundle(text: string | undefined, secretId: string): Bundle {
  let value: unknown;
  try {
    value = JSON.parse(text || '{}');
  } catch {
    value = undefined;
  }
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as Bundle;
  throw new Error(`the secret ${secretId} is not a JSON object of names and values`);
}

const secretsUnavailable = (cause: Error) =>
  new GatewayError('service_unavailable', 'A secret could not be read; try again shortly.', {
    cause,
    retryAfterSeconds: 1,
  });
