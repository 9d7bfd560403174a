/**
 * Reads secrets from this process's environment first, then from those the local run generated. Only allowlisted names
 * are read.
 */
import { isSecretName } from '#core/contracts/config/secret-names.ts';
import type { SecretStore } from '#core/kernel/ports.ts';

/**
 * Returns the store. The environment overrides `generated`, so that a real secret replaces a demonstration one. Names
 * outside the allowlist count as unset.
 */
export const environmentSecrets = (
  environment: Readonly<Record<string, string | undefined>>,
  generated: Readonly<Record<string, string | undefined>> = {},
): SecretStore => ({
  async get(name) {
    if (!isSecretName(name)) return undefined;
    const own = (from: Readonly<Record<string, string | undefined>>) =>
      Object.hasOwn(from, name) ? from[name] : undefined;
    return own(environment) || own(generated) || undefined;
  },
});

/** Returns the names that the operator lists in `GATEWAY_SECRET_NAMES`, separated by commas or whitespace. */
export const listedSecretNames = (environment: Readonly<Record<string, string | undefined>>): string[] =>
  (environment.GATEWAY_SECRET_NAMES ?? '').split(/[\s,]+/).filter((name) => name !== '');
