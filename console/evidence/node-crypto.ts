/**
 * Replaces `node:crypto` in the browser with only the functions that the evidence verifier calls, so that the page and
 * the command line run the same verifier [console.verify]. The browser's own API is asynchronous, but the verifier is
 * not.
 */
import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { Buffer } from './buffer.ts';

const asBytes = (data: string | Uint8Array): Uint8Array => (typeof data === 'string' ? utf8ToBytes(data) : data);

function onlySha256(algorithm: string): void {
  if (algorithm !== 'sha256') throw new Error(`this browser does not support ${algorithm}`);
}

/** Returns hex, like Node's `hash`, or bytes. */
export function hash(algorithm: string, data: string | Uint8Array, encoding = 'hex'): string | Uint8Array {
  onlySha256(algorithm);
  const digest = sha256(asBytes(data));
  return encoding === 'hex' ? bytesToHex(digest) : Buffer.from(digest);
}

export function createHash(algorithm: string) {
  onlySha256(algorithm);
  const running = sha256.create();
  const self = {
    update(data: string | Uint8Array) {
      running.update(asBytes(data));
      return self;
    },
    digest(encoding?: 'hex') {
      const digest = running.digest();
      return encoding === 'hex' ? bytesToHex(digest) : Buffer.from(digest);
    },
  };
  return self;
}

type KeyObject =
  | { readonly asymmetricKeyDetails: { readonly namedCurve: string }; readonly point: Uint8Array }
  | {
      readonly asymmetricKeyType: 'ed25519';
      readonly raw: Uint8Array;
      /** Returns the key as SPKI in DER, the only form that the verifier uses. */
      export(): Uint8Array;
    };

/** SPKI prefix of a P-256 key, before the point. */
const prefix = '3059301306072a8648ce3d020106082a8648ce3d030107034200';
const pemPattern = /^-----BEGIN PUBLIC KEY-----\s+([A-Za-z0-9+/=\s]+?)\s*-----END PUBLIC KEY-----\s*$/;

/** SPKI prefix of an Ed25519 key. */
const edwards = '302a300506032b6570032100';

/** @throws Error unless the key is an uncompressed P-256 key in SPKI PEM, or an Ed25519 key in SPKI DER. */
export function createPublicKey(given: string | { readonly key: Uint8Array }): KeyObject {
  if (typeof given !== 'string') {
    const { key } = given;
    const before = key.length - 32;
    if (bytesToHex(key.subarray(0, before)) !== edwards) throw new Error('not Ed25519');
    return { asymmetricKeyType: 'ed25519', raw: key.subarray(before), export: () => Buffer.from(key) };
  }
  const pem = given;
  const base64 = pemPattern.exec(pem.trim())?.[1];
  if (base64 === undefined) throw new Error('not a public key in PEM form');
  const der = Uint8Array.from(atob(base64.replace(/\s/g, '')), (char) => char.charCodeAt(0));
  const point = der.subarray(prefix.length / 2);
  if (bytesToHex(der.subarray(0, prefix.length / 2)) !== prefix || point.length !== 65) throw new Error('not P-256');
  p256.Point.fromBytes(point).assertValidity();
  return { asymmetricKeyDetails: { namedCurve: 'prime256v1' }, point };
}

/**
 * Verifies a signature: Ed25519, or ECDSA over SHA-256 in DER. Accepts either of the two values of `s`, like OpenSSL.
 */
export function verify(algorithm: string | null, bytes: Uint8Array, key: KeyObject, signature: Uint8Array): boolean {
  try {
    if ('raw' in key) return algorithm === null && ed25519.verify(signature, bytes, key.raw, { zip215: false });
    onlySha256(algorithm ?? 'none');
    return p256.verify(signature, bytes, key.point, { format: 'der', prehash: true, lowS: false });
  } catch {
    return false; // not DER
  }
}

/** @throws Error always: a page has no signing key. */
export function sign(): never {
  throw new Error('the browser cannot sign');
}

export { sign as createPrivateKey, sign as generateKeyPairSync };
