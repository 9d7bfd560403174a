/** Classifies file names and patterns as code and prose only, or as anything. */
import { endings, names } from '#core/catalog/file-names.ts';
import { wordSet } from '#core/kernel/word-set.ts';
import { type Arg, argOf } from './words.ts';

const sourceSuffixes = wordSet(endings.sources);
/** Extensions that files with secrets also have, so that a pattern with one of them restricts nothing. */
const sharedSuffixes = wordSet(endings.shared);

/**
 * Checks that all files a pattern matches are code or prose, or are named in full: `*.ts`, `*.{ts,tsx}`,
 * `src/*.test.ts`, `package.json`.
 */
export function namesSources(pattern: string): boolean {
  const name = pattern.slice(pattern.lastIndexOf('/') + 1);
  if (!/[*?[\]{}!\\]/.test(name)) return namesFile(argOf(pattern));
  const [, one, several] = /\.(?:([A-Za-z0-9]+)|\{([A-Za-z0-9,]+)\})$/.exec(name) ?? [];
  if (one === undefined && several === undefined) return false;
  return (one ?? several)!
    .toLowerCase()
    .split(',')
    .every((suffix) => sourceSuffixes.has(suffix) && !sharedSuffixes.has(suffix));
}

const dataSuffixes = wordSet(endings.data);
/** Names of data files that are harmless even in hidden folders. */
const workspaceNames = new RegExp(
  `^(?:${names.workspace_data.replaceAll('.', '\\.').replaceAll('*', '[\\w-]+').replaceAll(' ', '|')})$`,
);

/**
 * Works like `namesSources`, for cases where hidden folders are read as well: `.docker/config.json` and
 * `.config/gh/hosts.yml` have common data file names.
 */
export function namesSourcesAnywhere(pattern: string): boolean {
  const name = pattern.slice(pattern.lastIndexOf('/') + 1);
  const suffix = /\.([A-Za-z0-9]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  const isData = dataSuffixes.has(suffix) || sharedSuffixes.has(suffix);
  return namesSources(pattern) && (!isData || workspaceNames.test(name));
}

/** Checks for the name of a file rather than a folder. */
export function namesFile({ known, glob, text }: Arg): boolean {
  const [, suffix] = /^[^:]*[^/:]\.([A-Za-z0-9]+)$/.exec(text) ?? [];
  const isUsual =
    /(?:^|\/)(?:[A-Z][A-Za-z]*file|README|LICENSE|CHANGELOG|CONTRIBUTING|CODEOWNERS|AUTHORS|NOTICE|VERSION|COPYING)$/.test(
      text,
    );
  return (
    known &&
    !glob &&
    !/[*?[\]{}]/.test(text) &&
    (isUsual ||
      (suffix !== undefined && (sourceSuffixes.has(suffix.toLowerCase()) || dataSuffixes.has(suffix.toLowerCase()))))
  );
}

/** Checks for a shell wildcard whose matches keep its source file ending and do not begin with a dot. */
export function globsSources(pattern: string): boolean {
  const name = pattern.slice(pattern.lastIndexOf('/') + 1);
  if (
    name.startsWith('.') ||
    /[*?[\]{}]/.test(pattern.slice(0, pattern.lastIndexOf('/') + 1).replaceAll(/(?:^|\/)\*\*?(?=\/)/g, ''))
  )
    return false;
  if (/[*?[]/.test(name) && namesSources(name)) return true;
  // A pattern such as `package*.json` is safe, because names of secrets do not begin with such a word.
  const [, prefix] = /^([A-Za-z][\w-]{3,})\*[\w-]*(?:\.[A-Za-z0-9]+)+$/.exec(name) ?? [];
  return prefix !== undefined && !/^(?:cred|secr|pass|priv|serv|clie|keys?|auth|toke)/i.test(prefix);
}
