/**
 * Warnings about valid strings that are probably mistakes, such as regular expressions instead of globs, or keys and
 * tokens in plain text. Other checks reject addresses and commands with secrets.
 */

import { type Path, pathText } from '#core/contracts/problems.ts';
import { wordSet } from '#core/kernel/word-set.ts';
import { regexLook } from '#core/text/matching/regex-look.ts';
import { issuedRanges } from '#core/text/secrets/secret-formats.ts';

/** Members that contain name patterns, and members that contain other patterns. */
const namePatterns = new Set(
  'protocol protocols tool tools upstream model models allowed_models forwarded_meta repositories applies_to'.split(
    ' ',
  ),
);
const textPatterns = wordSet('target glob not_glob allowed_paths paths except');

/** Checks whether a path is in a content filter, whose patterns are regular expressions and may describe secrets. */
const isFilter = ([section, phase]: Path): boolean =>
  (section === 'policies' && (phase === 'input' || phase === 'output')) || section === 'transform';

/**
 * Returns warnings about strings in a configuration.
 * @param lineOf looks up the line in the file that the value was read from.
 */
export function textWarnings(value: unknown, lineOf: (path: Path) => number | undefined, file = ''): string[] {
  return warningsAt(value, []).map(({ path, sentence }) => {
    const line = lineOf(path);
    return `${file}${pathText(path)}${line === undefined ? '' : ` (line ${line})`}: ${sentence}.`;
  });
}

interface Warning {
  readonly path: Path;
  readonly sentence: string;
}

function warningsAt(value: unknown, path: Path): Warning[] {
  if (typeof value === 'string') return sentencesOf(value, path).map((sentence) => ({ path, sentence }));
  if (value === null || typeof value !== 'object') return [];
  const of = Object.entries(value).flatMap(([step, held]) =>
    warningsAt(held, [...path, Array.isArray(value) ? Number(step) : step]),
  );
  return [...of, ...modelWarnings(value, path)];
}

function sentencesOf(text: string, path: Path): string[] {
  if (isPlainKey(path)) return [plainKey];
  const look = isFilter(path) ? undefined : lookOf(text, path);
  return [...(look === undefined ? [] : [look]), ...(issuedRanges(text).length > 0 ? [plainSecret] : [])];
}

function lookOf(text: string, path: Path): string | undefined {
  const member = path.findLast((step) => typeof step === 'string') ?? '';
  if (namePatterns.has(member)) return regexLook(text, 'name');
  return textPatterns.has(member) ? regexLook(text, 'text') : undefined;
}

/** Returns warnings about model patterns, which budgets use as member names. */
function modelWarnings(value: object, path: Path): Warning[] {
  if (path.at(-1) !== 'models' || path[0] !== 'budgets' || Array.isArray(value)) return [];
  return Object.keys(value).flatMap((model) => {
    const sentence = regexLook(model, 'name');
    return sentence === undefined ? [] : [{ path: [...path, model], sentence }];
  });
}

/** Reports whether the path leads to a plain-text key: `api_keys: [KEY]`, or the `key` member of an entry. */
const isPlainKey = (path: Path): boolean => {
  const at = path.lastIndexOf('api_keys');
  return at >= 0 && (path.length === at + 2 || (path.length === at + 3 && path.at(-1) === 'key'));
};

const plainKey =
  'the key is in plain text, visible to every reader of the file. Name the environment variable that holds it with key_env, or give its digest as key_sha256';

const plainSecret =
  'holds a secret in plain text (not shown), visible to every reader of the file. Put it in an environment variable, and name that variable in a member that ends in _env';
