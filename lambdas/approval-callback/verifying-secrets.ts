/** Secrets that verify callbacks: the current one and, during a rotation, the previous one. */
import { GatewayError } from '#core/kernel/errors.ts';
import type { GatewayPorts } from '../ports.ts';

/**
 * Returns the secrets.
 * @throws GatewayError `service_unavailable` when none has a value: unverified callbacks are refused.
 */
export async function verifyingSecrets(
  { secrets }: Pick<GatewayPorts, 'secrets'>,
  what: string,
  names: readonly (string | undefined)[],
): Promise<string[]> {
  const values = await Promise.all(names.map((name) => (name === undefined ? undefined : secrets.get(name))));
  const known = values.filter((value) => value !== undefined && value !== '') as string[];
  if (known.length === 0)
    throw new GatewayError(
      'service_unavailable',
      `${what} cannot be verified: no secret ${names.filter((name) => name !== undefined).join(' or ')} holds a value. Set it, then repeat the delivery.`,
    );
  return known;
}
