/** Takes the values of a credential out of what an execution gave back: as they are and as they travel. */
import type { IssuedCredential } from './ports.ts';

const mask = '[credential withheld]';
/** What is shorter stands in a text by chance once it is encoded; as it is, it is withheld however short. */
const shortestEncoded = 6;

/** The secret texts of a credential: itself and, where it is JSON, each text in it. */
export function secretsOf({ secret }: IssuedCredential): readonly string[] {
  return [...new Set([secret, ...textsOf(parsed(secret))])].filter((text) => text !== '');
}

/**
 * A copy of a JSON value in which nothing of `secrets` is left: literal, base64 (within a longer text as well), URL- and
 * JSON-encoded, hex. Names of members count too. Of an error its name and message are kept.
 */
export function withoutSecrets(value: unknown, secrets: readonly string[]): unknown {
  const forms = [...new Set(secrets.filter((secret) => secret !== '').flatMap(formsOf))];
  if (forms.length === 0) return value;
  // The longest first: a part must not be taken out of the middle of a whole.
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
    // Unlike assignment this keeps a hostile `__proto__` member as the data it is.
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
 * The characters of base64 that a secret alone determines when `before` bytes (modulo 3) stand before it: so is
 * `user:secret` of basic authentication found.
 */
function withinBase64(secret: Buffer, before: number): string[] {
  const text = Buffer.concat([Buffer.alloc(before), secret]).toString('base64');
  const from = Math.ceil((before * 8) / 6);
  const to = Math.floor(((before + secret.length) * 8) / 6);
  const inner = text.slice(from, to);
  return inner.length < shortestEncoded ? [] : [inner];
}

function parsed(text: string): unknown {
  try {
    return text.startsWith('{') ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

const textsOf = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
};
