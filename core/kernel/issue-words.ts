/**
 * Describes schema issues in plain words. Pass `describeIssue` or `allowed` to `safeParse` as `error`. A schema's own
 * message takes precedence over them.
 */

import type * as z from 'zod';
import { asText } from './as-text.ts';
import { countText } from './count-text.ts';
import { didYouMean } from './did-you-mean.ts';

type Issue = z.core.$ZodRawIssue;
type Path = readonly (string | number | symbol)[];

/** Describes an issue: `found 0, allowed a whole number of seconds from 1 to 3600` [error.plain-words]. */
export const describeIssue = (issue: Issue): string =>
  issue.code === 'unrecognized_keys'
    ? `found the unknown ${issue.keys.length === 1 ? 'key' : 'keys'} ${issue.keys.map(quoteText).join(', ')}, allowed ${describeAllowed(issue)}${meantBy(issue.keys, describeAllowed(issue))}`
    : `found ${describeInput(issue)}, allowed ${describeAllowed(issue)}${isWord(issue) ? meantBy([issue.input], describeAllowed(issue)) : ''}`;

const isWord = (issue: Issue): issue is Issue & { readonly input: string } =>
  issue.code === 'invalid_value' && typeof issue.input === 'string' && issue.input.length <= longestQuoted;

const meantBy = (words: readonly string[], known: string): string =>
  words.map((word) => didYouMean(word, known.split(', '))).find((hint) => hint !== '') ?? '';

/** Joins problems into one sentence. Keeps a question mark at the end. */
export const problemSentence = (problems: readonly string[]): string => problems.join('; ').replace(/(?<!\?)$/, '.');

/** Describes the input or, for a discriminated union, the discriminator's value. */
function describeInput({
  input,
  path,
  discriminator,
}: Issue & { readonly discriminator?: string | undefined }): string {
  const value =
    input !== null && typeof input === 'object' && discriminator ? Reflect.get(input, discriminator) : input;
  return describeFound(value, path);
}

/** Describes the allowed values, for callers that describe the found value themselves. */
export function describeAllowed(issue: Issue): string {
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

/** Describes a value without repeating possible secrets or long strings. */
function describeFound(value: unknown, path: Path = []): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value))
    return value.length === 0 ? 'an empty list' : `a list of ${countText(value.length, 'entry')}`;
  if (typeof value === 'object') return 'an object';
  if (value === '') return 'an empty string';
  if (mayHoldSecret(path, value)) return `a ${typeof value} (not shown)`;
  if (typeof value !== 'string') return String(value);
  return value.length > longestQuoted ? `a string of ${countText(value.length, 'character')}` : JSON.stringify(value);
}

const longestQuoted = 80;

/** Describes an issue from a parse that used `describeIssue`. A schema's own message states what is allowed. */
export const issueWords = ({ path, message }: z.core.$ZodIssue, root: unknown): string =>
  message.startsWith('found ') ? message : `found ${describeAt(path, root)}, allowed ${message}`;

/** Describes the value at a path. Does not quote values that may be secrets. */
export const describeAt = (path: Path, root: unknown): string =>
  describeFound(
    path.reduce<unknown>(
      (at, step) =>
        at !== null && typeof at === 'object' && Object.hasOwn(at, step)
          ? (at as Record<PropertyKey, unknown>)[step]
          : undefined,
      root,
    ),
    path,
  );

/** Checks whether the value at a path may be a secret: a key, or a URL, which may contain one. */
export const mayHoldSecret = (path: Path, value: unknown): boolean =>
  secretPlace.test(String(path.findLast((step) => typeof step === 'string') ?? '')) || asText(value).includes('://');

const secretPlace = /^(api_keys|key|key_sha256)$|_env$|secret|token_env|password|private|authorization/i;

/**
 * Returns, for a failed union, the issues of the branch that the author evidently meant. Returns other issues
 * unchanged.
 */
export const relevantIssues = (issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] =>
  issues.flatMap((issue) => {
    if (issue.code !== 'invalid_union') return [issue];
    const sameKind = issue.errors.filter((branch) => !branch.some(isOtherKind));
    // A list of words and an object are different types, although the validator reports an invalid value.
    const [meant, ...others] = sameKind.length > 1 ? sameKind.filter((branch) => !branch.some(isOtherWord)) : sameKind;
    if (!meant || others.length > 0) return [issue];
    return relevantIssues(meant).map((each) => ({ ...each, path: [...issue.path, ...each.path] }));
  });

const isOtherWord = ({ code, path }: z.core.$ZodIssue): boolean => code === 'invalid_value' && path.length === 0;
const isOtherKind = ({ code, path }: z.core.$ZodIssue): boolean => code === 'invalid_type' && path.length === 0;

interface Bounds {
  least?: number;
  most?: number;
  /** Exclusive bounds for numbers with decimals. */
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

/** Returns the schema that raised the issue. An issue raised by a check refers to its schema separately. */
const schemaOf = (issue: Issue): Definition =>
  definition((issue as { readonly schema?: Issue['inst'] }).schema ?? issue.inst);

const isWhole = ({ format, checks = [] }: Definition): boolean =>
  [format, ...checks.map(({ _zod }) => _zod.def.format)].some((each) => each?.includes('int'));

/** Returns all bounds in the schema, not just the violated one. */
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

/** Describes a number, such as `a whole number of seconds from 1 to 3600`. The unit comes from the member's name. */
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
  const [thing, part] = issue.origin === 'string' ? ['string', 'character'] : ['list', 'entry'];
  if (most === undefined)
    return least === 1 ? `a ${thing} that is not empty` : `a ${thing} of at least ${countText(least, part)}`;
  if (least === most) return `a ${thing} of exactly ${countText(most, part)}`;
  return least === 0
    ? `a ${thing} of at most ${countText(most, part)}`
    : `a ${thing} of ${least} to ${countText(most, part)}`;
}

function unionWords(issue: Issue & { readonly code: 'invalid_union' }): string {
  const { options = [], errors = [] } = issue as { readonly options?: readonly unknown[] } & typeof issue;
  if (options.length > 0) return options.map(String).join(', ');
  const each = errors.flatMap(([first]) => (first?.code === 'invalid_type' ? [aKind(first.expected)] : []));
  return [...new Set(each)].join(' or ') || 'another value';
}

const formatWords = ({ format, pattern }: Issue & { readonly code: 'invalid_format' }): string =>
  format === 'regex' ? `a string that matches ${pattern}` : (formats[format] ?? `a string in the form ${format}`);

const formats: Readonly<Record<string, string>> = {
  datetime: 'a time in UTC such as 2026-11-25T12:00:00Z',
  date: 'a day such as 2026-11-25',
  url: 'a URL',
  uuid: 'a UUID',
  base64: 'Base64',
  base64url: 'Base64 for URLs',
};

const quoteText = (text: string): string => JSON.stringify(text.slice(0, longestQuoted));

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  number: 'a number',
  int: 'a whole number',
};
const aKind = (expected: string): string => kinds[expected] ?? expected;
