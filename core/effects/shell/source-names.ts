/** Classifies file names and patterns as code and prose only, or as anything. */
import { type Arg, argOf } from './words.ts';

/** Code and prose extensions, without data and configuration. */
const sourceSuffixes = new Set(
  `ts tsx mts cts js jsx mjs cjs py pyi rb go rs java kt kts scala c h cc cpp cxx hh hpp m mm cs fs php pl pm swift dart
  ex exs erl hs lua r jl clj groovy vue svelte astro css scss sass less html htm md mdx rst txt adoc sql graphql proto
  sh bash zsh fish ps1 bat mk cmake tf test spec snap svg tpl ejs hbs jinja j2`.split(/\s+/),
);

/**
 * Code and prose extensions that files with secrets also have (`wp-config.php`, `secrets.txt`). A pattern with such an
 * extension does not restrict anything.
 */
const sharedSuffixes = new Set(['php', 'txt']);

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

/** Extensions of data and settings, whose full names rules can match. */
const dataSuffixes = new Set(
  'json yaml yml toml ini cfg conf xml lock properties map ipynb plist log csv tsv diff patch'.split(' '),
);

/**
 * Names of workspace data files. Programs do not store keys under these names, so they are harmless in hidden folders.
 */
const workspaceNames =
  /^(?:package(?:-lock)?\.json|[tj]sconfig(?:\.[\w-]+)?\.json|pnpm-(?:lock|workspace)\.yaml|composer\.(?:json|lock)|Cargo\.(?:toml|lock)|pyproject\.toml|setup\.cfg|pom\.xml|Chart\.yaml|(?:poetry|yarn|uv|Gemfile)\.lock|(?:project|nx|lerna|turbo|angular|deno)\.json|openapi\.(?:ya?ml|json))$/;

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
