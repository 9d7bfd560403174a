/** Checks a manifest's signature with a public key: ECDSA P-256, SHA-256, DER, base64 (contract §4). */
import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { SessionManifest } from '#core/contracts/evidence.ts';
import { manifestBytes } from './manifest.ts';

/** Why the signature does not hold under this key, or undefined when it does. Never throws. */
export function signatureDefect(manifest: SessionManifest, publicKeyPem: string): string | undefined {
  const key = p256Key(publicKeyPem);
  if (!key) return 'the public key is not a P-256 key in PEM form';
  const signature = Buffer.from(manifest.signature.value, 'base64');
  // Node skips characters that are not base64; a signature has one spelling only.
  if (signature.toString('base64') !== manifest.signature.value) return 'the signature is not canonical base64';
  const holds = verify('sha256', manifestBytes(manifest), key, signature);
  return holds ? undefined : 'the signature does not belong to this manifest and public key';
}

function p256Key(pem: string): KeyObject | undefined {
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined;
  } catch {
    return undefined;
  }
}
