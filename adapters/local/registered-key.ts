/** Registers a store's keys, so that two processes that sign with different keys never share a store. */

import type { StoreOptions } from '#adapters/tables/store.ts';
import { linkedKeys, signingKeysOf } from '#core/evidence/key-succession.ts';
import type { Signer } from '#core/evidence/ports.ts';

interface RegisteredKey {
  readonly key_id: string;
  readonly public_key: string;
}

/** Error for a store that belongs to a gateway with a different signing key. */
export class OtherSigningKey extends Error {
  override readonly name = 'OtherSigningKey';
}

interface RegisterOptions extends StoreOptions {
  readonly signer: Signer;
  /** Adopts the store with this key even if no statement links it to the registered one. */
  readonly adopt?: boolean;
}

/**
 * Registers the key with the store at the first start. Later starts must have the same key or a successor.
 * @returns the id of the previously registered key, if it was a different one.
 * @throws OtherSigningKey
 */
export async function registerSigningKey({ signer, adopt, ...registry }: RegisterOptions): Promise<string | undefined> {
  const { keys, successions } = await signingKeysOf(signer);
  const own = keys[0]!;
  return registerKey(registry, 'signing-key', own, (registered) => {
    if (!adopt && !linkedKeys(registered.public_key, successions).includes(own.public_key))
      throw otherKeyRefusal(registered.key_id, own.key_id);
  });
}

/**
 * Registers a key under an id, unless the store already has it.
 * @param check throws if this process's key may not succeed the registered key
 */
export async function registerKey(
  options: StoreOptions,
  id: string,
  own: RegisteredKey,
  check: (registered: RegisteredKey) => void,
): Promise<string | undefined> {
  const { store } = options;
  for (;;) {
    const registered = await store.get<RegisteredKey>('config', { id });
    if (registered?.key_id === own.key_id) return undefined;
    if (registered) check(registered);
    const unchanged = registered ? ({ equals: ['key_id', registered.key_id] } as const) : ({ absent: 'id' } as const);
    // Otherwise another process registered its key first.
    if ((await store.put('config', { id, ...own }, { if: unchanged })).written) return registered?.key_id;
  }
}

const otherKeyRefusal = (registered: string, own: string): OtherSigningKey =>
  new OtherSigningKey(
    `The store belongs to a gateway that signs with key ${registered}; this one signs with ${own}, and no statement links the two keys. Start with the signing-key.pem and signing-keys.json of that gateway (--keys names a key folder), or give this gateway its own store. If that key is lost, --adopt-signing-key continues with the key of this gateway; data signed with the lost key then verifies only under the old public key.`,
  );
