/**
 * Replacement for Node's `Buffer` for the verifier and the policy engine in a browser, with only the functions that
 * they call.
 */
type Encoding = 'utf8' | 'base64' | 'hex';

const ofText: Readonly<Record<Encoding, (text: string) => Uint8Array>> = {
  utf8: (text) => new TextEncoder().encode(text),
  // Decodes like Node: up to the first `=`, in either alphabet, ignoring other characters.
  base64(text) {
    const [before = ''] = text.split('=', 1);
    const digits = before
      .replace(/-/g, '+')
      .replace(/_/g, '/')
      .replace(/[^A-Za-z0-9+/]/g, '');
    const whole = digits.length % 4 === 1 ? digits.slice(0, -1) : digits;
    return Uint8Array.from(atob(whole), (char) => char.charCodeAt(0));
  },
  hex: (text) => Uint8Array.from(text.match(/[0-9a-f]{2}/gi) ?? [], (byte) => Number.parseInt(byte, 16)),
};

class Bytes extends Uint8Array {
  override toString(encoding: Encoding = 'utf8'): string {
    if (encoding === 'utf8') return new TextDecoder().decode(this);
    if (encoding === 'base64') return btoa(String.fromCharCode(...this));
    return Array.from(this, (byte) => byte.toString(16).padStart(2, '0')).join('');
  }

  equals(other: Uint8Array): boolean {
    return this.length === other.length && this.every((byte, at) => byte === other[at]);
  }

  readBigUInt64BE(at: number): bigint {
    return new DataView(this.buffer, this.byteOffset, this.byteLength).getBigUint64(at);
  }
}

/** Returns the bytes of a string in an encoding, or a copy of bytes. */
const from = (given: string | ArrayLike<number>, encoding: Encoding = 'utf8'): Bytes =>
  new Bytes(typeof given === 'string' ? ofText[encoding](given) : given);

function concat(parts: readonly Uint8Array[]): Bytes {
  const all = new Bytes(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

const alloc = (size: number): Bytes => new Bytes(size);

const byteLength = (text: string): number => ofText.utf8(text).length;

export const Buffer = { from, concat, alloc, allocUnsafe: alloc, byteLength };
