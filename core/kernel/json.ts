/** Strict JSON for bytes from outside: no duplicate keys, no lone surrogates, bounded nesting (contract §3). */
import { GatewayError, invalidRequest } from './errors.ts';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export const maxNesting = 64;

/**
 * Parses hostile JSON text.
 * @throws GatewayError `invalid_request` naming the defect: syntax, duplicate key, lone surrogate, nesting beyond
 * `nesting`, a number outside IEEE 754 range.
 * @param nesting the deepest nesting allowed; documents that wrap whole requests (session bundles) need a few levels more.
 */
export function parseStrict(text: string, nesting: number = maxNesting): Json {
  refuseLoneSurrogates(text, 'The body');
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (cause) {
    throw new GatewayError('invalid_request', `The body is not valid JSON: ${(cause as Error).message}.`, { cause });
  }
  scanStructure(text, nesting);
  refuseUnrepresentable(value);
  return value;
}

/** Decodes UTF-8 bytes and parses them; malformed UTF-8 is refused, never replaced. */
export function parseStrictBytes(bytes: Uint8Array, nesting: number = maxNesting): Json {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new GatewayError('invalid_request', 'The body is not valid UTF-8.', { cause });
  }
  return parseStrict(text, nesting);
}

function refuseLoneSurrogates(text: string, where: string): void {
  if (!text.isWellFormed()) throw invalidRequest(`${where} holds a lone surrogate; send well-formed Unicode.`);
}

/** Escaped surrogates (`\ud800`) and numbers such as 1e999 only show after parsing. */
function refuseUnrepresentable(value: Json): void {
  if (typeof value === 'string') refuseLoneSurrogates(value, 'A string of the body');
  else if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw invalidRequest('A number of the body is outside the range of a double.');
  } else if (Array.isArray(value)) for (const item of value) refuseUnrepresentable(item);
  else if (value !== null && typeof value === 'object') {
    for (const [key, item] of Object.entries(value)) {
      refuseLoneSurrogates(key, 'A key of the body');
      refuseUnrepresentable(item);
    }
  }
}

/** Walks text that JSON.parse accepted and refuses what it forgives: duplicate keys and deep nesting. */
function scanStructure(text: string, nesting: number): void {
  const open: (Set<string> | null)[] = [];
  let position = 0;
  while (position < text.length) {
    const char = text[position];
    if (char === '"') {
      const end = endOfString(text, position);
      const keys = open.at(-1);
      if (keys && isKey(text, end)) {
        const key = JSON.parse(text.slice(position, end)) as string;
        if (keys.has(key)) throw invalidRequest(`The body holds the key ${JSON.stringify(key)} twice in one object.`);
        keys.add(key);
      }
      position = end;
      continue;
    }
    if (char === '{') open.push(new Set());
    else if (char === '[') open.push(null);
    else if (char === '}' || char === ']') open.pop();
    if (open.length > nesting) throw invalidRequest(`The body is nested deeper than ${nesting} levels.`);
    position++;
  }
}

function endOfString(text: string, start: number): number {
  let position = start + 1;
  while (text[position] !== '"') position += text[position] === '\\' ? 2 : 1;
  return position + 1;
}

function isKey(text: string, afterString: number): boolean {
  let position = afterString;
  while (' \t\n\r'.includes(text[position] ?? 'x')) position++;
  return text[position] === ':';
}
