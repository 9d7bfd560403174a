/** Classifies names and patterns of files: only code and prose, or anything. */
import { type Arg, argOf } from './words.ts';

/** Extensions of code and prose, without data and configuration. */
const sourceSuffixes = new Set(
  `ts tsx mts cts js jsx mjs cjs py pyi rb go rs java kt kts scala c h cc cpp cxx hh hpp m mm cs fs php pl pm swift dart
  ex exs erl hs lua r jl clj groovy vue svelte astro css scss sass less html htm md mdx rst txt adoc sql graphql proto
  sh bash zsh fish ps1 bat mk cmake tf test spec snap svg tpl ejs hbs jinja j2`.split(/\s+/),
);

/**
 * Extensions of code and prose that secrets also have (`wp-config.php`, `secrets.txt`): a pattern with one does not
 * narrow anything.
 */
const sharedSuffixes = new Set(['php', 'txt']);

/**
 * Checks that everything a pattern matches is code or prose, or is named in full: `*.ts`, `*.{ts,tsx}`,
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

/** Extensions of data and settings: rules can match their full names. */
const dataSuffixes = new Set(
  'json yaml yml toml ini cfg conf xml lock properties map ipynb plist log csv tsv diff patch'.split(' '),
);

/** Names of workspace data. Programs do not store keys under them, so they are harmless in hidden folders. */
const workspaceNames =
  /^(?:package(?:-lock)?\.json|[tj]sconfig(?:\.[\w-]+)?\.json|pnpm-(?:lock|workspace)\.yaml|composer\.(?:json|lock)|Cargo\.(?:toml|lock)|pyproject\.toml|setup\.cfg|pom\.xml|Chart\.yaml|(?:poetry|yarn|uv|Gemfile)\.lock|(?:project|nx|lerna|turbo|angular|deno)\.json|openapi\.(?:ya?ml|json))$/;

/**
 * Works like `namesSources`, if hidden folders are read as well: `.docker/config.json` and `.config/gh/hosts.yml` have common
 * names of data.
 */
export function namesSourcesAnywhere(pattern: string): boolean {
  const name = pattern.slice(pattern.lastIndexOf('/') + 1);
  const suffix = /\.([A-Za-z0-9]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  const isData = dataSuffixes.has(suffix) || sharedSuffixes.has(suffix);
  return namesSources(pattern) && (!isData || workspaceNames.test(name));
}

/** Checks for the name of a file, not of a folder. */
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

/** Checks a shell wildcard: its matches end like it, and do not begin with a dot. */
export function globsSources(pattern: string): boolean {
  const name = pattern.slice(pattern.lastIndexOf('/') + 1);
  if (
    name.startsWith('.') ||
    /[*?[\]{}]/.test(pattern.slice(0, pattern.lastIndexOf('/') + 1).replaceAll(/(?:^|\/)\*\*?(?=\/)/g, ''))
  )
    return false;
  if (/[*?[]/.test(name) && namesSources(name)) return true;
  // `package*.json`: names of secrets do not begin with a word like that.
  const [, prefix] = /^([A-Za-z][\w-]{3,})\*[\w-]*(?:\.[A-Za-z0-9]+)+$/.exec(name) ?? [];
  return prefix !== undefined && !/^(?:cred|secr|pass|priv|serv|clie|keys?|auth|toke)/i.test(prefix);
}
