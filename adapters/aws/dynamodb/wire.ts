/** The wire format of DynamoDB inputs and responses. */

/** Restores bytes: on the wire, an attribute of type `B` is a string and an attribute named `B` is an object. */
function reviveBytes(name: string, value: unknown): unknown {
  if (name === 'B' && typeof value === 'string') return new Uint8Array(Buffer.from(value, 'base64'));
  if (name !== 'BS' || !Array.isArray(value)) return value;
  return value.map((bytes) => new Uint8Array(Buffer.from(bytes, 'base64')));
}

const mayHoldBytes = /"BS?":/;

/** Parses wire text and restores the bytes in it. */
export const fromWire = (text: string): unknown =>
  mayHoldBytes.test(text) ? JSON.parse(text, reviveBytes) : JSON.parse(text);

/** Returns an input as text, with bytes in base64. */
export function toWire(input: object): string {
  const text = JSON.stringify(input);
  return mayHoldBytes.test(text) ? JSON.stringify(input, bytesAsText) : text;
}

/**
 * Replaces bytes with base64. Uses `this` because it still has the bytes: a Buffer turns itself into an object before
 * the replacer sees it.
 */
function bytesAsText(this: Readonly<Record<string, unknown>>, name: string, value: unknown): unknown {
  const given = this[name];
  if (!ArrayBuffer.isView(given)) return value;
  return Buffer.from(given.buffer, given.byteOffset, given.byteLength).toString('base64');
}
