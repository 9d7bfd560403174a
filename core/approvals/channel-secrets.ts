/** Secrets used by notification channels. */
import { GatewayError } from '#core/kernel/errors.ts';
import type { SecretStore } from '#core/kernel/ports.ts';

interface SecretPorts {
  readonly secrets: SecretStore;
}

/**
 * Returns the secrets that verify callbacks: the current one and, during a rotation, the previous one.
 * @throws GatewayError `service_unavailable` if none of them has a value: unverified callbacks are refused.
 */
export async function verifyingSecrets(
  { secrets }: SecretPorts,
  what: string,
  names: readonly (string | undefined)[],
): Promise<string[]> {
  const values = await Promise.all(names.map((name) => (name === undefined ? undefined : secrets.get(name))));
  const known = values.filter((value) => value !== undefined && value !== '') as string[];
  if (known.length === 0)
    throw new GatewayError(
      'service_unavailable',
      `${what} cannot be verified: no secret ${names.filter((name) => name !== undefined).join(' or ')} has a value. Set it, then repeat the delivery.`,
    );
  return known;
}

/** Returns a secret that a channel uses for sending. @throws Error naming the secret if it is missing. */
export async function secretOfChannel({ secrets }: SecretPorts, name: string): Promise<string> {
  const value = await secrets.get(name);
  if (!value) throw new Error(`the secret ${name} is missing`);
  return value;
}
