/**
 * What a schema finds wrong, in plain words. Either function goes to `safeParse` as its `error`; a message that a schema gives
 * itself comes before both.
 */

import type * as z from 'zod';
import { asText } from './as-text.ts';
import { didYouMean } from './did-you-mean.ts';

type Issue = z.core.$ZodRawIssue;
type Path = readonly (string | number | symbol)[];

/** `found 0, allowed a whole number of seconds from 1 to 3600` [error.plain-words]. */
export const describeIssue = (issue: Issue): string =>
  issue.code === 'unrecognized_keys'
    ? `found the unknown ${issue.keys.length === 1 ? 'key' : 'keys'} ${issue.keys.map(quoted).join(', ')}, allowed ${allowed(issue)}${meantBy(issue.keys, allowed(issue))}`
    : `found ${foundIn(issue)}, allowed ${allowed(issue)}${isWord(issue) ? meantBy([issue.input], allowed(issue)) : ''}`;

const isWord = (issue: Issue): issue is Issue & { readonly input: string } =>
  issue.code === 'invalid_value' && typeof issue.input === 'string' && issue.input.length <= longestQuoted;

const meantBy = (words: readonly string[], known: string): string =>
  words.map((word) => didYouMean(word, known.split(', '))).find((hint) => hint !== '') ?? '';

/** Of a union that is chosen by a word, the word. */
function foundIn({ input, path, discriminator }: Issue & { readonly discriminator?: string | undefined }): string {
  const value =
    input !== null && typeof input === 'object' && discriminator ? Reflect.get(input, discriminator) : input;
  return found(value, path);
}

/** What is allowed, for a caller that says itself what was found. */
export function allowed(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected === 'number' || issue.expected === 'int' ? numberWords(issue) : aKind(issue.expected);
    case 'invalid_value':
      return issue.values.map(String).join(', ');
    case 'invalid_union':
      return unionWords(issue);
    case 'too_small':
    case 'too_big':
      return issue.origin === 'string' || issue.origin === 'array' ? sizeWords(issue) : numberWords(issue);
    case 'invalid_format':
      return formatWords(issue);
    case 'not_multiple_of':
      return `a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return Object.keys(definition(issue.inst).shape ?? {}).join(', ') || 'no key';
    case 'invalid_key':
      return `a name that is ${issue.issues[0]?.message ?? 'another one'}`;
    default:
      return 'another value';
  }
}

/** A value in words. Where a secret may stand, and a long text, is not repeated. */
export function found(value: unknown, path: Path = []): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${count(value.length, 'entry')}`;
  if (typeof value === 'object') return 'an object';
  if (value === '') return 'an empty text';
  if (mayHoldSecret(path, value)) return `a ${typeof value} (not shown)`;
  if (typeof value !== 'string') return String(value);
  return value.length > longestQuoted ? `a text of ${count(value.length, 'character')}` : JSON.stringify(value);
}

const longestQuoted = 80;

/** Whether what stands at a path is not shown: a key, or an address with one in it. */
export const mayHoldSecret = (path: Path, value: unknown): boolean =>
  secretPlace.test(String(path.findLast((step) => typeof step === 'string') ?? '')) || asText(value).includes('://');

const secretPlace = /^(api_keys|key|key_sha256)$|_env$|secret|token_env|password|private|authorization/i;

/** The issues of the one alternative of a union that was meant; other issues as they are. */
export const relevantIssues = (issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] =>
  issues.flatMap((issue) => {
    if (issue.code !== 'invalid_union') return [issue];
    const [meant, ...others] = issue.errors.filter((branch) => !branch.some(isOtherKind));
    if (!meant || others.length > 0) return [issue];
    return relevantIssues(meant).map((each) => ({ ...each, path: [...issue.path, ...each.path] }));
  });

const isOtherKind = ({ code, path }: z.core.$ZodIssue): boolean => code === 'invalid_type' && path.length === 0;

interface Bounds {
  least?: number;
  most?: number;
  /** What a number is above or below, where it may come as near as it likes. */
  above?: number;
  below?: number;
}

interface Definition {
  readonly check?: string;
  readonly value?: number;
  readonly inclusive?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly length?: number;
  readonly format?: string;
  readonly shape?: object;
  readonly checks?: readonly { readonly _zod: { readonly def: Definition } }[];
}

const definition = (schema: Issue['inst']): Definition => (schema?._zod.def ?? {}) as Definition;

/** What raised the issue: a check of a schema names the schema. */
const schemaOf = (issue: Issue): Definition =>
  definition((issue as { readonly schema?: Issue['inst'] }).schema ?? issue.inst);

const isWhole = ({ format, checks = [] }: Definition): boolean =>
  [format, ...checks.map(({ _zod }) => _zod.def.format)].some((each) => each?.includes('int'));

/** All bounds of the schema, not only the one that does not hold. */
function boundsOf(schema: Definition): Bounds {
  const whole = isWhole(schema);
  const bounds: Bounds = {};
  for (const { _zod } of schema.checks ?? []) {
    const { check, value = 0, inclusive, minimum, maximum, length } = _zod.def;
    if (check === 'greater_than' && (inclusive || whole)) bounds.least = inclusive ? value : value + 1;
    else if (check === 'greater_than') bounds.above = value;
    else if (check === 'less_than' && (inclusive || whole)) bounds.most = inclusive ? value : value - 1;
    else if (check === 'less_than') bounds.below = value;
    else if (check === 'length_equals') bounds.least = bounds.most = length!;
    else if (minimum !== undefined) bounds.least = minimum;
    else if (maximum !== undefined) bounds.most = maximum;
  }
  return bounds;
}

/** A whole number of seconds from 1 to 3600: the unit is the one in the member's name. */
function numberWords(issue: Issue): string {
  const schema = schemaOf(issue);
  const { least, most, above, below } = boundsOf(schema);
  const name = String(issue.path?.findLast((step) => typeof step === 'string') ?? '');
  const unit = units.get(name.split('_').findLast((word) => units.has(word)) ?? '');
  const number = `a ${isWhole(schema) ? 'whole ' : ''}number${unit === undefined ? '' : ` of ${unit}`}`;
  if (least !== undefined && most !== undefined) return `${number} from ${least} to ${most}`;
  const ends = [
    ...(least === undefined ? [] : [`at least ${least}`]),
    ...(above === undefined ? [] : [`above ${above}`]),
    ...(most === undefined ? [] : [`at most ${most}`]),
    ...(below === undefined ? [] : [`below ${below}`]),
  ];
  return ends.length === 0 ? number : `${number}, ${ends.join(' and ')}`;
}

const units: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ms: 'milliseconds',
    seconds: 'seconds',
    minutes: 'minutes',
    hours: 'hours',
    days: 'days',
    bytes: 'bytes',
    characters: 'characters',
    tokens: 'tokens',
    usd: 'US dollars',
    percent: 'percent',
  }),
);

function sizeWords(issue: Issue): string {
  const { least = 0, most } = boundsOf(schemaOf(issue));
  const [thing, part] = issue.origin === 'string' ? ['text', 'character'] : ['list', 'entry'];
  if (most === undefined)
    return least === 1 ? `a ${thing} that is not empty` : `a ${thing} of at least ${count(least, part)}`;
  if (least === most) return `a ${thing} of exactly ${count(most, part)}`;
  return least === 0 ? `a ${thing} of at most ${count(most, part)}` : `a ${thing} of ${least} to ${count(most, part)}`;
}

const count = (number: number, one: string): string =>
  `${number} ${number === 1 ? one : one === 'entry' ? 'entries' : `${one}s`}`;

function unionWords(issue: Issue & { readonly code: 'invalid_union' }): string {
  const { options = [], errors = [] } = issue as { readonly options?: readonly unknown[] } & typeof issue;
  if (options.length > 0) return options.map(String).join(', ');
  const each = errors.flatMap(([first]) => (first?.code === 'invalid_type' ? [aKind(first.expected)] : []));
  return [...new Set(each)].join(' or ') || 'another value';
}

const formatWords = ({ format, pattern }: Issue & { readonly code: 'invalid_format' }): string =>
  format === 'regex' ? `a text that matches ${pattern}` : (formats[format] ?? `a text in the form ${format}`);

const formats: Readonly<Record<string, string>> = {
  datetime: 'a time in UTC such as 2026-11-25T12:00:00Z',
  date: 'a day such as 2026-11-25',
  url: 'a URL',
  uuid: 'a UUID',
  base64: 'Base64',
  base64url: 'Base64 for URLs',
};

const quoted = (text: string): string => JSON.stringify(text.slice(0, longestQuoted));

const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  number: 'a number',
  int: 'a whole number',
};
const aKind = (expected: string): string => kinds[expected] ?? expected;
