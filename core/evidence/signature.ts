/** Checks a signature with public keys: ECDSA P-256, SHA-256, DER, base64. */
import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { SessionManifest } from '#core/contracts/evidence.ts';
import { manifestBytes } from './session-manifest.ts';

/** One key as PEM, or several any of which may have signed. */
export type PublicKeys = string | readonly string[];

/** Why the signature does not hold under any of these keys, or undefined when it does under one. Never throws. */
export function signatureDefect(manifest: SessionManifest, publicKeyPems: PublicKeys): string | undefined {
  return signatureFault(manifestBytes(manifest), manifest.signature.value, publicKeyPems);
}

/** The same for any signed bytes. */
export function signatureFault(bytes: Uint8Array, value: string, publicKeyPems: PublicKeys): string | undefined {
  const keys = [publicKeyPems].flat().map(p256Key);
  if (keys.some((key) => !key)) return 'the public key is not a P-256 key in PEM form';
  const signature = Buffer.from(value, 'base64');
  // Node skips characters that are not base64; a signature has one spelling only.
  if (signature.toString('base64') !== value) return 'the signature is not canonical base64';
  const holds = keys.some((key) => key && verify('sha256', bytes, key, signature));
  return holds ? undefined : 'the signature does not belong to these bytes and public key';
}

function p256Key(pem: string): KeyObject | undefined {
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined;
  } catch {
    return undefined;
  }
}
