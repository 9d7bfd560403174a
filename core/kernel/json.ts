/** Strict JSON parser for untrusted bytes. It refuses text that other parsers could interpret differently. */
import { GatewayError, invalidRequest } from './errors.ts';
import { isExactNumber } from './exact-number.ts';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export const maxNesting = 64;
/**
 * Default maximum number of values (members and elements) per text. Processing a value costs more than processing its
 * characters.
 */
export const maxValues = 20_000;

/** Limits and exceptions of the parser. */
export interface JsonRules {
  /** Maximum nesting depth. Documents that contain whole requests (session bundles) need a few more levels. */
  readonly nesting?: number;
  /** Maximum number of values (members and elements) in the whole text. */
  readonly values?: number;
  /**
   * `exact` refuses numbers that a double cannot represent exactly, because the gateway would evaluate, store and
   * forward a different number. `double` rounds to the nearest double. It is meant for documents that are only passed
   * through.
   */
  readonly numbers?: 'exact' | 'double';
  /** `refused` rejects members named `__proto__`. `carried` accepts them in documents that the gateway wrote itself. */
  readonly protoKeys?: 'refused' | 'carried';
}

/** Reason for refusing well-formed JSON text, used as the error's `data.reason`. */
export type JsonDefect = 'inexact_number' | 'proto_key';

/**
 * Parses hostile JSON text.
 * @throws GatewayError `invalid_request` naming the defect: syntax, duplicate key, `__proto__`, lone surrogate,
 * nesting, inexact number. Errors for inexact numbers and `__proto__` have a `data.reason` (JsonDefect).
 * `payload_too_large` if there are more than `values` values.
 */
export function parseStrict(text: string, rules: JsonRules = {}): Json {
  const steps = parsing(text, rules);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Parses in steps, each of which walks the whole text once. */
function* parsing(text: string, rules: JsonRules): Generator<void, Json> {
  assertBounded(text, rules);
  refuseLoneSurrogates(text, 'The body');
  yield;
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (cause) {
    throw new GatewayError('invalid_request', `The body is not valid JSON: ${(cause as Error).message}.`, { cause });
  }
  yield;
  scanStructure(text, rules);
  yield;
  refuseUnrepresentable(value);
  return value;
}

/** Decodes UTF-8 bytes and parses them. Refuses malformed UTF-8 instead of replacing it. */
export const parseStrictBytes = (bytes: Uint8Array, rules: JsonRules = {}): Json =>
  parseStrict(decodeUtf8(bytes), rules);

/**
 * Parses large bodies like `parseStrictBytes`, and lets other requests run between the steps [limit.hostile].
 * @param turn resolves after other requests have run.
 */
export async function parseStrictInTurns(
  bytes: Uint8Array,
  rules: JsonRules,
  turn: () => Promise<void>,
): Promise<Json> {
  const text = decodeUtf8(bytes);
  const steps = parsing(text, rules);
  for (;;) {
    await turn();
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Shared decoder. It is safe to share because it keeps no state: each text is decoded as a whole. */
const decoder = new TextDecoder('utf-8', { fatal: true });

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new GatewayError('invalid_request', 'The body is not valid UTF-8. Send JSON encoded in UTF-8.', { cause });
  }
}

/**
 * Returns the defect behind an `invalid_request` thrown by this file, if the caller can correct it by changing the
 * value.
 */
export function jsonDefectOf(fault: unknown): JsonDefect | undefined {
  const reason = fault instanceof GatewayError ? fault.data?.reason : undefined;
  return reason === 'inexact_number' || reason === 'proto_key' ? reason : undefined;
}

/**
 * Checks a value read by another parser.
 * @throws GatewayError `invalid_request` for those defects of `parseStrict` that are still visible in a value: a
 * `__proto__` member, an integer beyond 2^53−1, a lone surrogate.
 */
export function assertExact(value: Json): void {
  if (typeof value === 'number' && !isExactNumber(String(value))) throw inexactNumber(String(value));
  if (Array.isArray(value)) for (const item of value) assertExact(item);
  else if (value !== null && typeof value === 'object') {
    for (const [key, item] of Object.entries(value)) {
      if (key === '__proto__') throw protoKey();
      assertExact(item);
    }
  }
  if (typeof value !== 'object') refuseUnrepresentable(value);
}

function refuseLoneSurrogates(text: string, where: string): void {
  if (!text.isWellFormed()) throw invalidRequest(`${where} contains a lone surrogate; send well-formed Unicode.`);
}

/** Refuses escaped surrogates (`\ud800`) and numbers such as 1e999, which become visible only after parsing. */
function refuseUnrepresentable(value: Json): void {
  if (typeof value === 'string') refuseLoneSurrogates(value, 'A string in the body');
  else if (typeof value === 'number') {
    if (!Number.isFinite(value))
      throw invalidRequest(
        'A number in the body is outside the range of a double (about ±1.8e308). Send it as a string.',
      );
  } else if (Array.isArray(value)) for (const item of value) refuseUnrepresentable(item);
  else if (value !== null && typeof value === 'object') {
    for (const key of Object.keys(value)) {
      refuseLoneSurrogates(key, 'A key in the body');
      refuseUnrepresentable(value[key]!);
    }
  }
}

/**
 * Checks nesting and the number of values before parsing. Text that is not JSON may pass, but never exceeds the limits.
 * @throws GatewayError `invalid_request` for excessive nesting, `payload_too_large` for too many values.
 */
export function assertBounded(text: string, { nesting = maxNesting, values = maxValues }: JsonRules): void {
  let [depth, count] = [0, 1];
  const endOfString = stringEnds(text);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(at) - 1;
    else if (code === comma) count++;
    else if (code === closingBracket || code === closingBrace) depth--;
    else if (code === openingBracket || code === openingBrace) {
      count++;
      if (++depth > nesting)
        throw invalidRequest(`The body is nested deeper than ${nesting} levels, the most allowed.`);
    } else continue;
    if (count > values) {
      throw new GatewayError(
        'payload_too_large',
        `The body contains more than ${values} values (members and elements), the most allowed. Send fewer in one request.`,
      );
    }
  }
}

const [quote, backslash, comma, minus, colon] = [0x22, 0x5c, 0x2c, 0x2d, 0x3a];
const [openingBracket, closingBracket, openingBrace, closingBrace] = [0x5b, 0x5d, 0x7b, 0x7d];
const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
/** Checks for JSON whitespace. */
const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/** Refuses duplicate keys, `__proto__` and inexact numbers in text that JSON.parse accepted. */
function scanStructure(text: string, { numbers = 'exact', protoKeys = 'refused' }: JsonRules): void {
  const open: (Set<string> | null)[] = [];
  const endOfString = stringEnds(text);
  for (let position = 0; position < text.length; position++) {
    const code = text.charCodeAt(position);
    if (code === quote) {
      const end = endOfString(position);
      const keys = open.at(-1);
      if (keys && isKey(text, end)) {
        const key = keyIn(text, position, end);
        if (keys.has(key))
          throw invalidRequest(`The body contains the key ${JSON.stringify(key)} twice in one object; send it once.`);
        if (key === '__proto__' && protoKeys === 'refused') throw protoKey();
        keys.add(key);
      }
      position = end - 1;
    } else if (code === minus || isDigit(code)) {
      const end = endOfNumber(text, position);
      const written = text.slice(position, end);
      if (numbers === 'exact' && !isExactNumber(written)) throw inexactNumber(written);
      position = end - 1;
    } else if (code === openingBrace) open.push(new Set());
    else if (code === openingBracket) open.push(null);
    else if (code === closingBracket || code === closingBrace) open.pop();
  }
}

function keyIn(text: string, position: number, end: number): string {
  const written = text.slice(position + 1, end - 1);
  return written.includes('\\') ? (JSON.parse(text.slice(position, end)) as string) : written;
}

const inexactNumber = (written: string): GatewayError => {
  const shown = written.length > 40 ? `${written.slice(0, 40)}…` : written;
  return invalidRequest(
    `The body contains the number ${shown}, which JSON readers do not preserve exactly. Use an integer from -(2^53-1) to 2^53-1 (9007199254740991) or a decimal that a double can hold, or send it as a string.`,
    { reason: 'inexact_number' satisfies JsonDefect },
  );
};

const protoKey = (): GatewayError =>
  invalidRequest(
    'The body contains a member called "__proto__", which JSON readers treat differently. Send it under another name.',
    { reason: 'proto_key' satisfies JsonDefect },
  );

/** Number of characters without a backslash after which `indexOf` is used to find the next backslash. */
const plainCharacters = 64;

/**
 * Returns a function that takes the index of a string's opening quote and returns the index after the string's end. It
 * searches long strings instead of walking them and remembers the next backslash, so that the total cost is linear.
 * Calls must be made in ascending order.
 */
function stringEnds(text: string): (start: number) => number {
  let slash = -2; // not searched yet
  return (start) => {
    let position = start + 1;
    for (;;) {
      const end = text.indexOf('"', position);
      if (end === -1) return text.length + 1;
      if (slash !== -1 && slash < position) slash = text.indexOf('\\', position);
      if (slash === -1 || slash > end) return end + 1;
      position = slash;
      for (let plain = 0; plain < plainCharacters; plain++) {
        const code = text.charCodeAt(position);
        if (code === quote || Number.isNaN(code)) return position + 1;
        if (code === backslash) plain = 0;
        position += code === backslash ? 2 : 1;
      }
    }
  };
}

function endOfNumber(text: string, start: number): number {
  let position = start + 1;
  while ('0123456789.eE+-'.includes(text[position] ?? ' ')) position++;
  return position;
}

function isKey(text: string, afterString: number): boolean {
  let position = afterString;
  while (isSpace(text.charCodeAt(position))) position++;
  return text.charCodeAt(position) === colon;
}
