/**
 * Passkeys: one row per person in the approvals table, which only functions that accept votes write. Access patterns: a
 * person's passkeys; a write conditional on the revision that was read (put).
 */
import type { PasskeyStore } from '#core/approvals/passkeys/store.ts';
import type { PasskeyRow } from '#core/contracts/passkey.ts';
import { ifUnchanged, type StoreOptions } from './store.ts';

const passkeysKey = (person: string) => ({ id: `passkeys#${person}` });

export function passkeysTable({ store }: StoreOptions): PasskeyStore {
  return {
    async get(person) {
      const row = await store.get<{ passkeys_json: string }>('approvals', passkeysKey(person));
      return row && (JSON.parse(row.passkeys_json) as PasskeyRow);
    },

    async put(passkeys, read) {
      const { person, revision } = passkeys;
      const row = { ...passkeysKey(person), passkeys_json: JSON.stringify(passkeys), revision };
      return (await store.put('approvals', row, { if: ifUnchanged(read) })).written;
    },
  };
}
