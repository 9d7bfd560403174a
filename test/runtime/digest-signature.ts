/** ECDSA P-256 signatures over a precomputed digest, as KMS creates them; Node only signs whole messages. */
import { createECDH, type KeyObject, randomBytes } from 'node:crypto';

const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const whole = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString('hex')}`);

/** @returns the DER signature. */
export function signDigest(digest: Uint8Array, key: KeyObject): Buffer {
  const secret = whole(Buffer.from(key.export({ format: 'jwk' }).d ?? '', 'base64url'));
  const nonce = randomBytes(31); // always below the order
  const curve = createECDH('prime256v1');
  curve.setPrivateKey(nonce);
  const r = whole(curve.getPublicKey().subarray(1, 33)) % order;
  const s = (power(whole(nonce), order - 2n) * ((whole(digest) + r * secret) % order)) % order;
  const body = Buffer.concat([integer(r), integer(s)]);
  return Buffer.concat([Buffer.from([0x30, body.length]), body]);
}

function power(base: bigint, exponent: bigint): bigint {
  let [result, square] = [1n, base % order];
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) result = (result * square) % order;
    square = (square * square) % order;
  }
  return result;
}

/** Encodes an integer in DER: the shortest bytes, with a leading zero if the first bit would otherwise be a sign. */
function integer(value: bigint): Buffer {
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.length % 2 ? `0${hex}` : hex, 'hex');
  const unsigned = bytes[0]! > 127 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes;
  return Buffer.concat([Buffer.from([0x02, unsigned.length]), unsigned]);
}
