/** What is wrong with a configuration, in one form: «path (line n): found X, allowed Y». */
import type * as z from 'zod';
import { type GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import { allowedKeys } from '../load/schema-walk.ts';
import { didYouMean } from './did-you-mean.ts';

export type Path = readonly (string | number)[];

export interface Problem {
  readonly path: Path;
  /** What stands there, in words; never a secret. */
  readonly found: string;
  readonly allowed: string;
  /** Where to look, for what stands in another file than the configuration. */
  readonly place?: string;
}

export const pathText = (path: Path): string =>
  path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    const name = /^[A-Za-z0-9_-]+$/.test(step) ? step : JSON.stringify(step);
    return text === '' ? name : `${text}.${name}`;
  }, '') || 'the document';

/** One error that lists every problem. */
export function refusal(problems: readonly Problem[], lineOf: (path: Path) => number | undefined): GatewayError {
  const lines = problems.map(({ path, found, allowed, place }) => {
    const line = lineOf(path);
    const where = place ?? (line === undefined ? '' : `line ${line}`);
    return `${pathText(path)}${where && ` (${where})`}: found ${found}, allowed ${allowed}`;
  });
  const count = lines.length === 1 ? '1 problem' : `${lines.length} problems`;
  return invalidRequest(`The configuration has ${count}:\n${lines.join('\n')}`, { problems: lines });
}

/** Zod's issues in our words. Of a union only the alternative that was meant is spoken of. */
export const problemsOf = (issues: readonly z.core.$ZodIssue[], root: unknown, above: Path = []): Problem[] =>
  issues.flatMap((issue) => problemOf(issue, root, above));

function problemOf(issue: z.core.$ZodIssue, root: unknown, above: Path): Problem[] {
  const path = [...above, ...(issue.path as Path)];
  if (issue.code === 'unrecognized_keys') {
    const keys = allowedKeys(path, root);
    const allowed = keys?.join(', ') ?? 'only the keys of the schema';
    const meant = (key: string) => didYouMean(key, keys ?? []);
    return issue.keys.map((key) => ({ path: [...path, key], found: 'an unknown key', allowed: allowed + meant(key) }));
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const meant = issue.errors.filter(
      (branch) => !branch.some((at) => at.code === 'invalid_type' && at.path.length === 0),
    );
    if (meant.length === 1) return meant[0]!.flatMap((at) => problemOf(at, root, path));
    const kinds = issue.errors.flatMap(([first]) => (first?.code === 'invalid_type' ? [aKind(first.expected)] : []));
    return [{ path, found: foundAt(path, root), allowed: [...new Set(kinds)].join(' or ') || 'another value' }];
  }
  const found = foundAt(path, root);
  return [{ path, found, allowed: allowedBy(issue) + meantBy(issue, found) }];
}

/** The allowed word next to the one that is there. `found` is quoted where it may be shown. */
function meantBy(issue: z.core.$ZodIssue, found: string): string {
  const words =
    issue.code === 'invalid_value'
      ? issue.values
      : issue.code === 'invalid_union'
        ? ((issue as { options?: readonly unknown[] }).options ?? [])
        : [];
  return /^".*"$/.test(found) ? didYouMean(JSON.parse(found) as string, words.map(String)) : '';
}

function allowedBy(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return aKind(issue.expected);
    case 'invalid_value':
      return issue.values.map(String).join(', ');
    case 'invalid_union':
      return ((issue as { options?: readonly unknown[] }).options ?? []).map(String).join(', ') || issue.message;
    case 'too_small':
      return isOwnWords(issue.message) ? issue.message : `${quantity(issue.origin)} ${minimum(issue)}`;
    case 'too_big':
      return isOwnWords(issue.message) ? issue.message : `${quantity(issue.origin)} of at most ${issue.maximum}`;
    default:
      return issue.message;
  }
}

const isOwnWords = (message: string) => !/^(Too (small|big)|Invalid)/.test(message);
const minimum = ({ inclusive, minimum: least }: z.core.$ZodIssueTooSmall) =>
  inclusive ? `of at least ${least}` : `above ${least}`;
const quantity = (origin: string) =>
  origin === 'string' ? 'a text with a length' : origin === 'array' ? 'a list with a length' : 'a number';
const kinds: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};
const aKind = (expected: string) => kinds[expected] ?? expected;

/** What stands at a path. Places that may hold a secret by mistake or on purpose are not quoted. */
export function foundAt(path: Path, root: unknown): string {
  const value = path.reduce<unknown>(
    (at, step) =>
      at !== null && typeof at === 'object' && Object.hasOwn(at, step)
        ? (at as Record<string | number, unknown>)[step]
        : undefined,
    root,
  );
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object') return 'an object';
  if (value === '') return 'an empty text';
  if (mayHoldSecret(path, value)) return `a ${typeof value} (not shown)`;
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** Whether what stands at a path is not shown: a key, or an address with one in it. */
export const mayHoldSecret = (path: Path, value: unknown): boolean =>
  secretPlace.test(String(path.findLast((step) => typeof step === 'string') ?? '')) || String(value).includes('://');

const secretPlace = /^(api_keys|key|key_sha256)$|_env$|secret|token_env|password|private/i;
