/** Checks a signature with public keys: ECDSA P-256, SHA-256, DER, base64. */
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { SessionManifest } from '#core/contracts/evidence.ts';
import { manifestBytes } from './session-manifest.ts';

/** One key as PEM, or several any of which may have signed. */
export type PublicKeys = string | readonly string[];

/** Why the signature does not hold under any of these keys, or undefined when it does under one. Never throws. */
export function signatureDefect(manifest: SessionManifest, publicKeyPems: PublicKeys): string | undefined {
  return namedSignatureFault(manifestBytes(manifest), manifest.signature, publicKeyPems);
}

/** The same for any signed bytes. */
export const signatureFault = (bytes: Uint8Array, value: string, publicKeyPems: PublicKeys): string | undefined =>
  namedSignatureFault(bytes, { value }, publicKeyPems);

/**
 * The same where the signature names its key. The id of a key file is the beginning of the key's digest, so it has to be that of the key
 * that signed; ids of KMS are names that no key tells [evidence.key-id].
 */
export function namedSignatureFault(
  bytes: Uint8Array,
  { value, key_id }: { readonly value: string; readonly key_id?: string },
  publicKeyPems: PublicKeys,
): string | undefined {
  const keys = [publicKeyPems].flat().map((pem) => ({ pem, key: p256Key(pem) }));
  if (keys.some(({ key }) => !key)) return 'the public key is not a P-256 key in PEM form';
  const signature = Buffer.from(value, 'base64');
  // Node skips characters that are not base64; a signature has one spelling only.
  if (signature.toString('base64') !== value) return 'the signature is not canonical base64';
  const signer = keys.find(({ key }) => key && verify('sha256', bytes, key, signature));
  if (!signer) return 'the signature does not belong to these bytes and public key';
  const id = idOf(signer.pem);
  return key_id?.length === id.length && key_id !== id ? `its key_id is not ${id}, the key that signed` : undefined;
}

/** The id of a key file: the beginning of the SHA-256 of its SPKI. */
const idOf = (pem: string): string =>
  createHash('sha256')
    .update(Buffer.from(pem.replace(/-----[A-Z ]+-----|\s/g, ''), 'base64'))
    .digest('hex')
    .slice(0, 16);

function p256Key(pem: string): KeyObject | undefined {
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined;
  } catch {
    return undefined;
  }
}
