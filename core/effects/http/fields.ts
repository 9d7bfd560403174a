/**
 * Request fields other than the address and `method`: alternative spellings of parameter names, headers in any form,
 * and values that servers use instead of the method, host or path (`X-HTTP-Method-Override`, `?_method=`, GraphQL)
 * [effects.http].
 */

import type { ToolCall } from '#core/contracts/envelope.ts';
import { asText } from '#core/kernel/as-text.ts';
import { hasMutation } from '#core/policy/classification/graphql-text.ts';
import { urlKeys } from './parameters.ts';

type Parameters = ToolCall['parameters'];
type Field = readonly [name: string, value: string];

const bodyKeys = ['body', 'json', 'data', 'form'];
const readNames: ReadonlySet<string> = new Set([...urlKeys, ...bodyKeys, 'method', 'headers']);

/**
 * Renames `Method`, `URL` and `Headers` to lower case, because many clients treat both spellings alike. If both are
 * present, both are kept, and `alikeNames` reports them.
 */
export function plainParameters(parameters: Parameters): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(parameters)) {
    const lower = name.toLowerCase();
    const key = readNames.has(lower) && !Object.hasOwn(parameters, lower) ? lower : name;
    Object.defineProperty(plain, key, { value, enumerable: true, configurable: true, writable: true });
  }
  return plain;
}

interface Fields {
  /** Methods that a server may apply instead of the one in the request. */
  readonly methods: readonly string[];
  /** Hosts named in headers. */
  readonly hosts: readonly string[];
  /** True if a GraphQL mutation changes something, regardless of the method. */
  readonly mutates: boolean;
  readonly doubts: readonly string[];
}

/**
 * Reads the fields of a request.
 * @param queries query strings of the addresses, including those that the parameters add.
 */
export function requestFields(parameters: Parameters, queries: readonly string[]): Fields {
  const doubts = new Set<string>();
  const headers = headersOf(parameters.headers, doubts);
  const inQuery = queries.flatMap((query) => [...new URLSearchParams(query)]);
  const bodies = bodyKeys.map((key) => parsedBody(parameters[key]));
  const inBody = bodies.flatMap((body) =>
    body !== null && typeof body === 'object'
      ? Object.entries(body).map(([key, value]): Field => [key, asText(value)])
      : [],
  );
  const named = (fields: readonly Field[], names: ReadonlySet<string>): string[] =>
    fields.flatMap(([name, value]) => (names.has(plainName(name)) ? [value.trim()] : []));
  if (named(headers, pathHeaders).length > 0) doubts.add('a header names a different path than the address');
  const texts = [
    ...inQuery.map(([, value]) => value),
    ...[parameters.query, parameters.variables, ...bodies].flatMap((value) => [...textsIn(value, 0)]),
  ];
  return {
    methods: named([...headers, ...inQuery, ...inBody], overrides),
    hosts: [...named(headers, hostHeaders), ...named(headers, new Set(['forwarded'])).flatMap(forwardedHosts)],
    mutates: texts.some(hasMutation),
    doubts: [...doubts],
  };
}

/** Normalises a field name. Many servers map the underscores and dashes of a header name to the same variable. */
const plainName = (name: string): string => name.trim().toLowerCase().replaceAll('_', '-');

const overrides: ReadonlySet<string> = new Set([
  'x-http-method-override',
  'x-http-method',
  'x-method-override',
  '-method',
  ':method',
]);
const hostHeaders: ReadonlySet<string> = new Set([
  'host',
  ':authority',
  'x-forwarded-host',
  'x-forwarded-server',
  'x-host',
  'x-original-host',
  'x-http-host-override',
]);
const pathHeaders: ReadonlySet<string> = new Set([
  ':path',
  'x-original-url',
  'x-original-uri',
  'x-rewrite-url',
  'x-override-url',
]);

const forwardedHosts = (value: string): string[] =>
  [...value.matchAll(/(?:^|[;,\s])host\s*=\s*"?([^";,\s]*)/gi)].map(([, host = '']) => host);

/** Parses headers from an object, from lines, or from a list of pairs, lines or records. */
function headersOf(headers: unknown, doubts: Set<string>): Field[] {
  if (headers === undefined || headers === null || headers === '') return [];
  const lines = (text: string): Field[] =>
    text
      .split(/[\r\n]+/)
      .filter((line) => line.trim() !== '')
      .map(lineOf);
  if (typeof headers === 'string') return lines(headers);
  if (typeof headers !== 'object') {
    doubts.add('the headers are not an object, a list or lines of text');
    return [];
  }
  const found = Array.isArray(headers)
    ? headers.flatMap((item: unknown) => (typeof item === 'string' ? lines(item) : [pairOf(item)]))
    : Object.entries(headers).flatMap(([name, value]) => [value].flat().map((each): Field => [name, asText(each)]));
  if (found.some(([name, value]) => /[\r\n\0]/.test(name + value))) doubts.add('a header contains a line break');
  return found;
}

function lineOf(line: string): Field {
  const colon = line.indexOf(':', 1);
  return colon < 0 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 1)];
}

function pairOf(item: unknown): Field {
  if (Array.isArray(item)) return [asText(item[0]), asText(item[1])];
  const record = Object.fromEntries(
    Object.entries(item ?? {}).map(([key, value]) => [key.toLowerCase(), value as unknown]),
  );
  return [asText(record.name ?? record.key ?? record.header), asText(record.value)];
}

/** Parses a form or JSON body. Returns any other body unchanged. */
function parsedBody(body: unknown): unknown {
  if (typeof body !== 'string') return body;
  if (/^\s*[[{]/.test(body)) {
    try {
      return JSON.parse(body);
    } catch {
      return body;
    }
  }
  return /^[^\s=&]+=/.test(body) ? Object.fromEntries(new URLSearchParams(body)) : body;
}

const deepest = 16;

function* textsIn(value: unknown, depth: number): Iterable<string> {
  if (typeof value === 'string') yield value;
  else if (value !== null && typeof value === 'object' && depth < deepest)
    for (const item of Object.values(value)) yield* textsIn(item, depth + 1);
}
