/** Reads of everything below a folder, which are certain only if names or patterns exclude secrets. */
import { folders, ripgrepTypes } from '#core/catalog/code-places.ts';
import type { Subcommands } from '#core/contracts/shell-programs.ts';
import { wordSet } from '#core/kernel/word-set.ts';
import { resolveAt } from '../paths.ts';
import { givenOptions, isGiven, type ParsedArguments } from './arguments.ts';
import { type Invocation, short } from './invocation.ts';
import { namesFile, namesSources, namesSourcesAnywhere } from './source-names.ts';
import type { Arg } from './words.ts';

const sourceTypes = wordSet(ripgrepTypes);
const sourceFolders = wordSet(folders);

/** Reports a program that reads everything below `roots`, unless something restricts it. */
export function readBelow(
  call: Invocation,
  below: Subcommands,
  parsed: ParsedArguments,
  roots: readonly Arg[],
  patterns: readonly Arg[],
): void {
  const asked = below.when === undefined || isGiven(parsed, below.when);
  const pairs = below.pairs === true && roots.length > 0 && !roots.some(namesFile);
  if ((!asked && !pairs) || isGiven(parsed, below.namesOnly) || narrows(below, parsed)) return;
  // The program reads any file with this name, wherever it is.
  if (below.reach === 'visible' && roots.length > 0 && roots.every(namesFile)) return;
  const tells =
    below.spoils !== undefined &&
    patterns.length > 0 &&
    !isGiven(parsed, below.spoils) &&
    patterns.every(isSpecificPattern);
  const certain = roots.length > 0 && roots.every((root) => isSourceFolder(call, root));
  const namesHidden = below.readsNamed === true && isBelowHidden(call, roots);
  if (tells && (certain || (!namesHidden && !revealsHidden(below, parsed)))) return;
  call.unclear(
    `${call.binary} would read whatever lies below ${
      short(
        roots
          .map(({ text }) => text)
          .slice(0, 3)
          .join(', '),
      ) || 'the folder'
    }; name the kind of files (as in *.ts), name files, or search with git grep or rg`,
  );
}

/** Checks for globs or options that include hidden files. A glob that specifies the extension does not include them. */
const revealsHidden = (below: Subcommands, parsed: ParsedArguments): boolean =>
  (below.reach === 'everything' && !leavesHiddenOut(below, parsed)) || showsHidden(below, parsed);

/**
 * Patterns that match all names with a leading full stop. A later `--include` could add some back, so there must not be
 * one.
 */
const hiddenNames = new Set(['.*', '.?*', '.[!.]*', '.[^.]*']);

function leavesHiddenOut({ leavesOut, narrows: globs }: Subcommands, parsed: ParsedArguments): boolean {
  if (!leavesOut || givenOptions(parsed, globs).length > 0) return false;
  const valuesOf = (options: Subcommands['narrows']) => givenOptions(parsed, options).map(({ value }) => value);
  return [leavesOut.files, leavesOut.folders].every((options) =>
    valuesOf(options).some((name) => name?.known === true && !name.glob && hiddenNames.has(name.text)),
  );
}

/** Workflows and templates of Git hosts do not contain secrets: they are committed, and their folder is named. */
const openFolders = new Set(['.', '..', '.github', '.gitlab']);

/** Checks for a hidden folder that is named directly or entered by an earlier `cd` in the line. */
const isBelowHidden = ({ cwds }: Invocation, roots: readonly Arg[]): boolean =>
  cwds.some((cwd) => !cwd.startsWith('/') && isHidden(cwd)) || roots.some(({ text }) => isHidden(text));

const isHidden = (path: string): boolean =>
  path.split('/').some((segment) => segment.startsWith('.') && !openFolders.has(segment));

const showsHidden = ({ reveals, narrows: globs }: Subcommands, parsed: ParsedArguments): boolean =>
  isGiven(parsed, reveals) ||
  givenOptions(parsed, globs).some(({ value }) => !/^!|^[\w*/-]*\.(?!env$)\w+$/.test(value?.text ?? '*'));

/** Checks that only names or types of source files are read. */
function narrows(below: Subcommands, parsed: ParsedArguments): boolean {
  const { narrows: globs, types } = below;
  const given = givenOptions(parsed, globs).map(({ value }) => value?.text ?? '*');
  const wanted = given.filter((name) => !name.startsWith('!'));
  if (wanted.length > 0) return wanted.every(revealsHidden(below, parsed) ? namesSourcesAnywhere : namesSources);
  const kinds = givenOptions(parsed, types).map(({ value }) => value?.text ?? '');
  return kinds.length > 0 && kinds.every((kind) => sourceTypes.has(kind));
}

function isSourceFolder({ cwds }: Invocation, root: Arg): boolean {
  return cwds.every((cwd) => {
    const segments = resolveAt(cwd.startsWith('/') ? '' : cwd, root.text).split('/');
    return (
      root.known &&
      !root.glob &&
      segments.some((segment) => sourceFolders.has(segment)) &&
      !segments.some((segment) => segment.startsWith('.') || segment === '~')
    );
  });
}

/** Parts of secrets, of their names and of addresses that contain a secret. */
const secretWords =
  /pass|pwd|secret|token|credential|private|api_?key|access_?key|[_-]key|auth_|bearer|BEGIN|:\/\/|postgres|mysql|redis|mongo|dsn|_url|AKIA|ASIA|AIza|gh[opsu]_|github_pat|glpat|xox[abp]|[sr]k[-_]|eyJ|npm_|hf_/i;

/** A pattern that contains part of one of these words finds the lines with the whole word. */
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
 * Checks that every alternative has at least three consecutive fixed letters that are not a common part of a secret or
 * its name [effects.profiles].
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
      // Supporting an optional group would require a pattern parser.
      if (before === 'close') return undefined;
      if (before === 'word') literals.push(literals.pop()!.slice(0, -1));
      literals.push('');
    } else literals.push('');
    before = groups.word !== undefined ? 'word' : groups.close !== undefined ? 'close' : 'other';
    // A second count would repeat the first count rather than a character.
    if (groups.count !== undefined) before = 'close';
  }
  return alternatives;
}
