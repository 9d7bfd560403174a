/** Where passkeys are kept. */
import type { PasskeyRow } from '#core/contracts/passkey.ts';

export interface PasskeyStore {
  /** Consistent. */
  get(person: string): Promise<PasskeyRow | undefined>;
  /** Writes the row if no other write came since `read`; false when one did. */
  put(row: PasskeyRow, read: PasskeyRow | undefined): Promise<boolean>;
}
