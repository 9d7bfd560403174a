/**
 * Stands in for `node:crypto` where the verifier of evidence runs in a browser, with what the verifier calls and nothing else: so the
 * page and the command line run the same verifier [console.verify]. The API of the browser itself is asynchronous, the verifier is not.
 */
import { p256 } from '@noble/curves/nist.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

const bytesOf = (data: string | Uint8Array): Uint8Array => (typeof data === 'string' ? utf8ToBytes(data) : data);

function onlySha256(algorithm: string): void {
  if (algorithm !== 'sha256') throw new Error(`${algorithm} is not there in the browser`);
}

/** Hex, as Node's `hash` answers. */
export function hash(algorithm: string, data: string | Uint8Array): string {
  onlySha256(algorithm);
  return bytesToHex(sha256(bytesOf(data)));
}

export function createHash(algorithm: string) {
  onlySha256(algorithm);
  const running = sha256.create();
  const self = {
    update(data: string | Uint8Array) {
      running.update(bytesOf(data));
      return self;
    },
    digest: (_encoding: 'hex') => bytesToHex(running.digest()),
  };
  return self;
}

export interface KeyObject {
  readonly asymmetricKeyDetails: { readonly namedCurve: string };
  readonly point: Uint8Array;
}

/** What stands before the point of a P-256 key in SPKI form. */
const prefix = '3059301306072a8648ce3d020106082a8648ce3d030107034200';
const pemPattern = /^-----BEGIN PUBLIC KEY-----\s+([A-Za-z0-9+/=\s]+?)\s*-----END PUBLIC KEY-----\s*$/;

/** @throws Error for anything but an uncompressed P-256 key in SPKI PEM. */
export function createPublicKey(pem: string): KeyObject {
  const base64 = pemPattern.exec(pem.trim())?.[1];
  if (base64 === undefined) throw new Error('not a public key in PEM form');
  const der = Uint8Array.from(atob(base64.replace(/\s/g, '')), (char) => char.charCodeAt(0));
  const point = der.subarray(prefix.length / 2);
  if (bytesToHex(der.subarray(0, prefix.length / 2)) !== prefix || point.length !== 65) throw new Error('not P-256');
  p256.Point.fromBytes(point).assertValidity();
  return { asymmetricKeyDetails: { namedCurve: 'prime256v1' }, point };
}

/** ECDSA over SHA-256 with a signature in DER; either of the two values of `s`, as OpenSSL takes them. */
export function verify(algorithm: string, bytes: Uint8Array, key: KeyObject, signature: Uint8Array): boolean {
  onlySha256(algorithm);
  try {
    return p256.verify(signature, bytes, key.point, { format: 'der', prehash: true, lowS: false });
  } catch {
    return false; // not DER
  }
}
