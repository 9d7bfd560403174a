/** Removes a credential's values from the outcome of an execution, in plain and encoded forms. */
import type { IssuedCredential } from './ports.ts';

const mask = '[credential withheld]';
/**
 * Minimum length of encoded forms, since shorter ones occur in text by chance. Plain values are removed regardless of
 * their length.
 */
const shortestEncoded = 6;

/** Returns a credential's secret strings: the secret and, if it is JSON, each string in it. */
export function secretsOf({ secret }: IssuedCredential): readonly string[] {
  return [...new Set([secret, ...stringValues(jsonObjectIn(secret))])].filter((text) => text !== '');
}

/**
 * Copies a JSON value without `secrets`, whether they are literal, in base64 (also within longer text), URL-encoded,
 * JSON-encoded or in hex. Member names are cleaned as well. For an error, only name and message are kept.
 */
export function withoutSecrets(value: unknown, secrets: readonly string[]): unknown {
  const forms = [...new Set(secrets.filter((secret) => secret !== '').flatMap(formsOf))];
  if (forms.length === 0) return value;
  // Longest first, so that a complete form is replaced before its parts.
  const pattern = new RegExp(
    forms
      .sort((a, b) => b.length - a.length)
      .map((form) => RegExp.escape(form))
      .join('|'),
    'g',
  );
  return copy(value, (text) => text.replace(pattern, mask), new Map());
}

function copy(value: unknown, clean: (text: string) => string, seen: Map<object, unknown>): unknown {
  if (typeof value === 'string') return clean(value);
  if (typeof value !== 'object' || value === null) return value;
  if (seen.has(value)) return seen.get(value);
  if (ArrayBuffer.isView(value)) return clean(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString());
  if (value instanceof Error) return { name: value.name, message: clean(value.message) };
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    seen.set(value, items);
    for (const item of value) items.push(copy(item, clean, seen));
    return items;
  }
  const object: Record<string, unknown> = {};
  seen.set(value, object);
  for (const [name, member] of Object.entries(value)) {
    // Unlike assignment, this keeps a hostile `__proto__` member as data.
    const kept = { value: copy(member, clean, seen), enumerable: true, configurable: true, writable: true };
    Object.defineProperty(object, clean(name), kept);
  }
  return object;
}

function formsOf(secret: string): string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  const plain = [secret, inJson];
  if (secret.length < shortestEncoded) return plain;
  const bytes = Buffer.from(secret);
  const percent = encodeURIComponent(secret.toWellFormed());
  const inBase64 = [0, 1, 2].flatMap((before) => withinBase64(bytes, before));
  return [
    ...plain,
    percent,
    percent.replaceAll('%20', '+'),
    percent.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    ...inBase64,
    ...inBase64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
  ];
}

/**
 * Returns the base64 characters that depend only on the secret if it is preceded by `before` bytes (modulo 3). This
 * finds `user:secret` in basic authentication.
 */
function withinBase64(secret: Buffer, before: number): string[] {
  const text = Buffer.concat([Buffer.alloc(before), secret]).toString('base64');
  const from = Math.ceil((before * 8) / 6);
  const to = Math.floor(((before + secret.length) * 8) / 6);
  const inner = text.slice(from, to);
  return inner.length < shortestEncoded ? [] : [inner];
}

function jsonObjectIn(text: string): unknown {
  try {
    return text.startsWith('{') ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

const stringValues = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringValues) : [];
};
