/** Supply-chain signing keys: Ed25519 and ECDSA P-256, identified by the SHA-256 of their public key. */

import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import { sha256 } from '#core/kernel/canonical.ts';
import { refuseDocument } from './refusal.ts';

const keyKinds = ['ed25519', 'p256'] as const;
export type KeyKind = (typeof keyKinds)[number];

/** Generates a key pair in PEM form (SPKI and PKCS #8). */
export function generateKeys(kind: KeyKind): { publicKey: string; privateKey: string } {
  const { publicKey, privateKey } =
    kind === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }) as string,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}

/**
 * Parses a public key in PEM form.
 * @throws SupplyChainRefusal `key_type` for anything else, including other kinds of keys.
 */
export const publicKeyOf = (pem: string): KeyObject => ofKind(() => createPublicKey(publicPem(pem)));

/**
 * Parses a private key in PEM form.
 * @throws SupplyChainRefusal `key_type` for anything else, including other kinds of keys.
 */
export const privateKeyOf = (pem: string): KeyObject => ofKind(() => createPrivateKey(pem));

/** Returns the hex SHA-256 of the public key in SPKI DER form. */
export const keyIdOf = (key: KeyObject): string =>
  sha256((key.type === 'private' ? createPublicKey(key) : key).export({ type: 'spki', format: 'der' }));

export const signBytes = (key: KeyObject, bytes: Uint8Array): Buffer =>
  sign(key.asymmetricKeyType === 'ed25519' ? null : 'sha256', bytes, key);

export const verifies = (key: KeyObject, bytes: Uint8Array, signature: Uint8Array): boolean =>
  verify(key.asymmetricKeyType === 'ed25519' ? null : 'sha256', bytes, key, signature);

/**
 * Rejects anything but a public key, because `createPublicKey` would also accept a private key, which could then be
 * published.
 */
function publicPem(pem: string): string {
  if (!pem.includes('-----BEGIN PUBLIC KEY-----'))
    refuseDocument('key_type', 'the text is not a public key in PEM form');
  return pem;
}

function ofKind(read: () => KeyObject): KeyObject {
  let key: KeyObject;
  try {
    key = read();
  } catch (cause) {
    // The parser's message is omitted because it may quote a private key.
    return refuseDocument(
      'key_type',
      `the key cannot be read, allowed ${keyKinds.join(' and ')} in PEM form`,
      causeOf(cause),
    );
  }
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  if (type === 'ed25519' || (type === 'ec' && details?.namedCurve === 'prime256v1')) return key;
  return refuseDocument('key_type', `the key is of type ${type}, allowed ${keyKinds.join(' and ')}`);
}

const causeOf = (cause: unknown): unknown => (cause as { reason?: unknown }).reason;
