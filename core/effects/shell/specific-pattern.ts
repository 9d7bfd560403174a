/**
 * Checks whether a search pattern fixes three letters of each line it matches, in every pattern dialect of grep, rg and
 * git.
 */
import type { Arg } from './words.ts';

/** Parts of secrets, of their names and of addresses that hold one. */
const secretWords =
  /pass|pwd|secret|token|credential|private|api_?key|access_?key|[_-]key|auth_|bearer|BEGIN|:\/\/|postgres|mysql|redis|mongo|dsn|_url|AKIA|ASIA|AIza|gh[opsu]_|github_pat|glpat|xox[abp]|[sr]k[-_]|eyJ|npm_|hf_/i;

/** A pattern with a part of these words finds the lines with the word. */
const secretNames = [
  'password',
  'passphrase',
  'passwd',
  'secret',
  'token',
  'credential',
  'private',
  'apikey',
  'bearer',
];

/**
 * Tokens of a pattern. Anything else (verbs and options after a parenthesis, `\p{…}`, nested brackets) is unknown. `{`,
 * `(`, `|`, `?` count as operators with and without a backslash, because dialects disagree.
 */
const token =
  /(?<word>[A-Za-z0-9_ -])|(?<or>\\?\|)|(?<count>\\?\{\d*,?\d*\\?\}|\\?\?|\*)|(?<close>\\?\))|\\?\((?!\\?[?*])|\\?\+|\[\^?(?:[\w .,/+-]|\[:[a-z]+:\])+\]|\\[bBwWsSdD<>]|\\[^A-Za-z0-9]|[^\\[\]()]/uy;

/**
 * Checks that every alternative has at least three fixed letters in a row that are not a common part of a secret or its
 * name [effects.below].
 */
export function isSpecificPattern({ known, text }: Arg): boolean {
  if (!known || text.length > 1000 || /[\n\0]/.test(text) || secretWords.test(text)) return false;
  return literalsOf(text)?.every((literals) => literals.some(isLong)) ?? false;
}

const isLong = (literal: string): boolean => {
  const letters = literal.replaceAll(/[ -]/g, '').toLowerCase();
  return letters.length >= 3 && !secretNames.some((name) => name.includes(letters));
};

/** Returns the runs of fixed characters of each alternative, or undefined if the pattern cannot be parsed. */
function literalsOf(pattern: string): string[][] | undefined {
  const alternatives: string[][] = [['']];
  let before: 'word' | 'close' | 'other' = 'other';
  token.lastIndex = 0;
  while (token.lastIndex < pattern.length) {
    const groups = token.exec(pattern)?.groups;
    if (!groups) return undefined;
    const literals = alternatives.at(-1)!;
    if (groups.word !== undefined) literals.push(literals.pop()! + groups.word);
    else if (groups.or !== undefined) alternatives.push(['']);
    else if (groups.count !== undefined) {
      // An optional group would need a pattern parser.
      if (before === 'close') return undefined;
      if (before === 'word') literals.push(literals.pop()!.slice(0, -1));
      literals.push('');
    } else literals.push('');
    before = groups.word !== undefined ? 'word' : groups.close !== undefined ? 'close' : 'other';
    // A second count would repeat the first one, not a character.
    if (groups.count !== undefined) before = 'close';
  }
  return alternatives;
}
