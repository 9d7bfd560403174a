/**
 * Key rotation. A statement is signed by both the old and the new key, so that trust in one extends to the other
 * [evidence.keys.rotate].
 */
import {
  type KeySuccession,
  keySuccessionSchema,
  type PublishedKey,
  type SigningKeys,
} from '#core/contracts/evidence.ts';
import { canonicalize, hashDomain } from '#core/kernel/canonical.ts';
import type { Signer } from './ports.ts';
import { type PublicKeys, signatureFault } from './signature.ts';

type Statement = Omit<KeySuccession, 'signatures'>;

const signedBytes = ({ version, created_at, previous, next }: Statement): Uint8Array =>
  new TextEncoder().encode(
    String.fromCharCode(hashDomain.keySuccession) + canonicalize({ version, created_at, previous, next }),
  );

const publishedKey = async (signer: Signer): Promise<PublishedKey> => ({
  key_id: signer.keyId,
  public_key: await signer.publicKey(),
});

export async function signSuccession(previous: Signer, next: Signer, created_at: string): Promise<KeySuccession> {
  const statement = {
    version: 1,
    created_at,
    previous: await publishedKey(previous),
    next: await publishedKey(next),
  } as const;
  const bytes = signedBytes(statement);
  return { ...statement, signatures: { previous: await previous.sign(bytes), next: await next.sign(bytes) } };
}

/** Reports whether both keys signed the statement. Never throws. */
function isSigned(succession: KeySuccession): boolean {
  const bytes = signedBytes(succession);
  const { previous, next, signatures } = succession;
  return (
    signatureFault(bytes, signatures.previous, previous.public_key) === undefined &&
    signatureFault(bytes, signatures.next, next.public_key) === undefined
  );
}

/** Returns the trusted keys and all keys linked to them through signed successions, in either direction. */
export function linkedKeys(trusted: PublicKeys, successions: readonly unknown[]): readonly string[] {
  const keys = [trusted].flat();
  const left = successions.flatMap((each) => {
    const parsed = keySuccessionSchema.safeParse(each);
    return parsed.success && isSigned(parsed.data)
      ? [[parsed.data.previous.public_key, parsed.data.next.public_key]]
      : [];
  });
  const known = new Set(keys.map(spelling));
  for (let grown = true; grown; ) {
    grown = false;
    for (const pair of left) {
      const unknown = pair.filter((key) => !known.has(spelling(key)));
      if (unknown.length !== 1) continue;
      keys.push(unknown[0]!);
      known.add(spelling(unknown[0]!));
      grown = true;
    }
  }
  return keys;
}

/** Reports whether two PEM strings contain the same key. */
export const isSameKey = (one: string, other: string): boolean => spelling(one) === spelling(other);

/** Removes line ends and blanks, since PEM strings of the same key may differ in these. */
const spelling = (pem: string): string => pem.replaceAll(/\s/g, '');

/** Returns a signer's published keys: only its current key if keys are not rotated. */
export async function signingKeysOf(signer: Signer): Promise<SigningKeys> {
  return (await signer.keys?.()) ?? { keys: [await publishedKey(signer)], successions: [] };
}
