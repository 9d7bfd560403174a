/** Store of passkeys. */
import type { PasskeyRow } from '#core/contracts/passkey.ts';

export interface PasskeyStore {
  /** Returns a person's passkeys (consistent read). */
  get(person: string): Promise<PasskeyRow | undefined>;
  /** Writes the row if it has not changed since `read`; returns false otherwise. */
  put(row: PasskeyRow, read: PasskeyRow | undefined): Promise<boolean>;
}
