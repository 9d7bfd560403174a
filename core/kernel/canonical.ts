/** RFC 8785 (JCS) canonical JSON, and SHA-256 with domain separation [evidence.hash-format]. */
import { createHash, hash } from 'node:crypto';

/**
 * Canonical JSON text of a value, UTF-16 code-unit key order, ECMAScript number form (RFC 8785).
 * Members whose value is `undefined` are left out, as JSON.stringify does.
 * @throws TypeError for what JSON cannot carry: non-finite numbers, lone surrogates, functions, symbols, bigints, and
 * objects that are not plain. A Date or a Map would be hashed as `{}` yet stored as something else.
 */
export function canonicalize(value: unknown): string {
  switch (typeof value) {
    case 'string':
      if (!value.isWellFormed()) throw new TypeError('canonical JSON cannot carry a lone surrogate');
      return JSON.stringify(value);
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError('canonical JSON cannot carry a non-finite number');
      return JSON.stringify(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? canonicalArray(value) : canonicalObject(value as Record<string, unknown>);
    default:
      throw new TypeError(`canonical JSON cannot carry a ${typeof value}`);
  }
}

function canonicalArray(items: readonly unknown[]): string {
  let text = '[';
  for (let i = 0; i < items.length; i++) {
    if (i > 0) text += ',';
    text += items[i] === undefined ? 'null' : canonicalize(items[i]);
  }
  return `${text}]`;
}

function canonicalObject(object: Record<string, unknown>): string {
  if (!isPlain(object))
    throw new TypeError(`canonical JSON cannot carry a ${object.constructor?.name ?? 'class'} object`);
  let text = '{';
  for (const key of Object.keys(object).sort()) {
    const value = object[key];
    if (value === undefined) continue;
    if (text.length > 1) text += ',';
    text += `${canonicalize(key)}:${canonicalize(value)}`;
  }
  return `${text}}`;
}

/** Plain: made by a literal, JSON.parse or Object.create(null), in this realm or another. */
function isPlain(object: object): boolean {
  const prototype = Object.getPrototypeOf(object) as object | null;
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

/** Domain separation: a hash of one document type can never equal a hash of another. */
export const hashDomain = {
  entry: 0x00,
  manifest: 0x01,
  question: 0x02,
  checkpoint: 0x03,
  treeLeaf: 0x04,
  treeNode: 0x05,
  keySuccession: 0x06,
  vote: 0x07,
} as const;

/** Lower-case hex SHA-256 of `prefix ‖ UTF-8(text)`; without a prefix, of the text alone. A prefix is below 0x80. */
export function sha256(text: string | Uint8Array, prefix?: number): string {
  // One-shot hashing halves the cost of short texts; a prefix below 0x80 is its own UTF-8 byte.
  if (typeof text === 'string') return hash('sha256', prefix === undefined ? text : String.fromCharCode(prefix) + text);
  if (prefix === undefined) return hash('sha256', text);
  return createHash('sha256').update(Uint8Array.of(prefix)).update(text).digest('hex');
}

/** SHA-256 of the canonical form of a value. */
export const digestOf = (value: unknown): string => sha256(canonicalize(value));
