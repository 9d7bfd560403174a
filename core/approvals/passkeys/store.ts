/** Store for passkeys. */
import type { PasskeyRow } from '#core/contracts/passkey.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { Ids } from '#core/kernel/ports.ts';

export interface PasskeyStore {
  /** Returns a person's passkeys (consistent read). */
  get(person: string): Promise<PasskeyRow | undefined>;
  /** Writes the row if it has not changed since `read`; returns false otherwise. */
  put(row: PasskeyRow, read: PasskeyRow | undefined): Promise<boolean>;
}

/** Writes a person's passkeys. @throws GatewayError `conflict` if another write happened first. */
export async function writePasskeys(
  { passkeys, ids }: { readonly passkeys: PasskeyStore; readonly ids: Ids },
  row: Omit<PasskeyRow, 'revision'>,
  read: PasskeyRow | undefined,
): Promise<PasskeyRow> {
  const written = { ...row, revision: ids.randomHex(8) };
  if (await passkeys.put(written, read)) return written;
  throw new GatewayError('conflict', 'The passkeys changed at the same moment; nothing was written. Try again.');
}
