/**
 * Keys that sign capability tickets and other sealed strings. The current key signs; the previous one is still accepted
 * during a rotation.
 */
import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { defaultTicketKeyName } from '#core/contracts/config/secret-names.ts';
import type { Configuration } from '#core/contracts/config.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { SecretStore } from '#core/kernel/ports.ts';

export interface TicketKey {
  /** Id derived from the key without revealing it. */
  readonly id: string;
  readonly key: KeyObject;
}

export interface TicketKeys {
  readonly current: TicketKey;
  readonly previous?: TicketKey;
}

export const shortestTicketKeyCharacters = 32;

/**
 * Returns the signing keys.
 * @param prefix prefix of the signed strings; each prefix has independent keys.
 * @throws GatewayError `service_unavailable` if the current key is missing, or if the current or previous key is too
 * short.
 */
export async function ticketKeys(
  { credentials }: Pick<Configuration, 'credentials'>,
  secrets: SecretStore,
  prefix = 'agt1',
): Promise<TicketKeys> {
  const { key_env = defaultTicketKeyName, previous_key_env } = credentials.tickets;
  const [current, previous] = await Promise.all([
    secrets.get(key_env),
    previous_key_env === undefined ? undefined : secrets.get(previous_key_env),
  ]);
  if (!current) throw noKey(`${key_env} contains no value`);
  return {
    current: checkedKey(key_env, current, prefix),
    // The previous key may be missing after the rotation has ended.
    ...(previous && previous_key_env !== undefined && { previous: checkedKey(previous_key_env, previous, prefix) }),
  };
}

function checkedKey(name: string, secret: string, prefix: string): TicketKey {
  if (secret.length >= shortestTicketKeyCharacters) return ticketKey(secret, prefix);
  throw noKey(`${name} is shorter than ${shortestTicketKeyCharacters} characters`);
}

/**
 * Derives key and id, each for a purpose of its own, so that neither works where the secret is used for something else.
 */
export function ticketKey(secret: string, prefix = 'agt1'): TicketKey {
  const derived = (purpose: string, bytes: number) => Buffer.from(hkdfSync('sha256', secret, '', purpose, bytes));
  return {
    id: derived(`${prefix} key id`, 8).toString('hex'),
    key: createSecretKey(derived(`${prefix} hmac-sha256`, 32)),
  };
}

const noKey = (why: string) =>
  new GatewayError('service_unavailable', `Nothing can be signed with the ticket key: ${why}.`);
