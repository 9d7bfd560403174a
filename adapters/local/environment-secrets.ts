/** Secrets from this process's environment, over those the local run made itself (allow-list). */
import { isSecretName } from '#core/contracts/config.ts';
import type { SecretStore } from '#core/kernel/ports.ts';

/**
 * The environment wins over `generated`, so that a real secret replaces a demonstration one. Names outside the
 * allow-list answer as if they were not set.
 */
export const environmentSecrets = (
  environment: Readonly<Record<string, string | undefined>> = process.env,
  generated: Readonly<Record<string, string | undefined>> = {},
): SecretStore => ({
  async get(name) {
    if (!isSecretName(name)) return undefined;
    const own = (from: Readonly<Record<string, string | undefined>>) =>
      Object.hasOwn(from, name) ? from[name] : undefined;
    return own(environment) || own(generated) || undefined;
  },
});

/** Names the operator lists in `GATEWAY_SECRET_NAMES`, with commas or blanks between them. */
export const listedSecretNames = (environment: Readonly<Record<string, string | undefined>>): string[] =>
  (environment.GATEWAY_SECRET_NAMES ?? '').split(/[\s,]+/).filter((name) => name !== '');
