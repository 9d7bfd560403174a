/** How keys follow each other: a statement that both sign, so that trust in one leads to the other [evidence.keys.rotate]. */
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

/** Whether both keys signed the statement. Never throws. */
function isSigned(succession: KeySuccession): boolean {
  const bytes = signedBytes(succession);
  const { previous, next, signatures } = succession;
  return (
    signatureFault(bytes, signatures.previous, previous.public_key) === undefined &&
    signatureFault(bytes, signatures.next, next.public_key) === undefined
  );
}

/** The keys to trust when these are trusted: theirs and those that signed successions link to them, either way. */
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

/** Whether two texts are the same key. */
export const isSameKey = (one: string, other: string): boolean => spelling(one) === spelling(other);

/** PEM text differs in line ends and blanks only. */
const spelling = (pem: string): string => pem.replaceAll(/\s/g, '');

/** The keys a signer is known by; its own alone where keys are not rotated. */
export async function signingKeysOf(signer: Signer): Promise<SigningKeys> {
  return (await signer.keys?.()) ?? { keys: [await publishedKey(signer)], successions: [] };
}
