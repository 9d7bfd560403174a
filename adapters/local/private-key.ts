/** Reads private keys from the operator's files or from the state folder. */
import { createPrivateKey, type KeyObject } from 'node:crypto';

/** Parses a key. @throws Error that names the file if it contains no private key. */
export function privateKeyIn(pem: string, path: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    throw new Error(`${path} contains no PEM private key: restore the file from a copy.`, { cause });
  }
}
