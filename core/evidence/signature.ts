/** Checks a signature with public keys: ECDSA P-256, SHA-256, DER, base64. */
import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { SessionManifest } from '#core/contracts/evidence.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { manifestBytes } from './session-manifest.ts';

/** One key as PEM, or several keys, any of which may have signed. */
export type PublicKeys = string | readonly string[];

/**
 * Returns the reason why a manifest's signature does not match any of these keys, or undefined if it matches one. Never
 * throws.
 */
export function signatureDefect(manifest: SessionManifest, publicKeyPems: PublicKeys): string | undefined {
  return namedSignatureFault(manifestBytes(manifest), manifest.signature, publicKeyPems);
}

/** Does the same as `signatureDefect` for arbitrary signed bytes. */
export const signatureFault = (bytes: Uint8Array, value: string, publicKeyPems: PublicKeys): string | undefined =>
  namedSignatureFault(bytes, { value }, publicKeyPems);

/**
 * Does the same as `signatureFault` for a signature that names its key. A key file's id is the start of the key's
 * digest, so it must match the key that signed. KMS ids are names and cannot be derived from a key
 * [evidence.verify.offline].
 */
export function namedSignatureFault(
  bytes: Uint8Array,
  { value, key_id }: { readonly value: string; readonly key_id?: string },
  publicKeyPems: PublicKeys,
): string | undefined {
  const keys = [publicKeyPems].flat().map((pem) => ({ pem, key: p256Key(pem) }));
  if (keys.some(({ key }) => !key)) return 'the public key is not a P-256 key in PEM form';
  const signature = Buffer.from(value, 'base64');
  // Node skips characters that are not base64, but a signature must have only one valid encoding.
  if (signature.toString('base64') !== value) return 'the signature is not canonical base64';
  const signer = keys.find(({ key }) => key && verify('sha256', bytes, key, signature));
  if (!signer) return 'the signature does not match these bytes and this public key';
  const id = keyFileId(signer.pem);
  return key_id === undefined || key_id === id || kmsKeyId.test(key_id)
    ? undefined
    : `its key_id is not ${id}, the id of the key that signed it`;
}

const kmsKeyId = /^(?:arn:aws[\w-]*:kms:[\w:/-]+|mrk-[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Computes a key file's id: the beginning of the SHA-256 of its SPKI. */
const keyFileId = (pem: string): string =>
  sha256(Buffer.from(pem.replace(/-----[A-Z ]+-----|\s/g, ''), 'base64')).slice(0, 16);

function p256Key(pem: string): KeyObject | undefined {
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined;
  } catch {
    return undefined;
  }
}
