/** What names and patterns say of the files they mean: code and prose, or anything. */
import { type Arg, argOf } from './words.ts';

/** Endings of files that hold code or prose; data and configuration are none of them. */
const sourceSuffixes = new Set(
  `ts tsx mts cts js jsx mjs cjs py pyi rb go rs java kt kts scala c h cc cpp cxx hh hpp m mm cs fs php pl pm swift dart
  ex exs erl hs lua r jl clj groovy vue svelte astro css scss sass less html htm md mdx rst txt adoc sql graphql proto
  sh bash zsh fish ps1 bat mk cmake tf test spec snap svg tpl ejs hbs jinja j2`.split(/\s+/),
);

/** Endings of code and prose that names of secrets have, too (`wp-config.php`, `secrets.txt`): a pattern of them narrows nothing. */
const sharedSuffixes = new Set(['php', 'txt']);

/** `*.ts`, `*.{ts,tsx}`, `src/*.test.ts`, `package.json`: whatever matches holds code or prose, or is named in full. */
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

/** Files of data and settings; what one of them is called rules can see. */
const dataSuffixes = new Set(
  'json yaml yml toml ini cfg conf xml lock properties map ipynb plist log csv tsv diff patch'.split(' '),
);

/** Names of data that belong to a workspace. A program keeps its keys under none of them, so they are harmless in hidden folders. */
const workspaceNames =
  /^(?:package(?:-lock)?\.json|[tj]sconfig(?:\.[\w-]+)?\.json|pnpm-(?:lock|workspace)\.yaml|composer\.(?:json|lock)|Cargo\.(?:toml|lock)|pyproject\.toml|setup\.cfg|pom\.xml|Chart\.yaml|(?:poetry|yarn|uv|Gemfile)\.lock|(?:project|nx|lerna|turbo|angular|deno)\.json|openapi\.(?:ya?ml|json))$/;

/** As `namesSources` where hidden folders are read as well: `.docker/config.json` and `.config/gh/hosts.yml` are named like many files of data. */
export function namesSourcesAnywhere(pattern: string): boolean {
  const name = pattern.slice(pattern.lastIndexOf('/') + 1);
  const suffix = /\.([A-Za-z0-9]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  const isData = dataSuffixes.has(suffix) || sharedSuffixes.has(suffix);
  return namesSources(pattern) && (!isData || workspaceNames.test(name));
}

/** A file by its name, and no folder. */
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

/** What a shell wildcard matches ends like it, and does not begin with a dot. */
export function globsSources(pattern: string): boolean {
  const name = pattern.slice(pattern.lastIndexOf('/') + 1);
  if (
    name.startsWith('.') ||
    /[*?[\]{}]/.test(pattern.slice(0, pattern.lastIndexOf('/') + 1).replaceAll(/(?:^|\/)\*\*?(?=\/)/g, ''))
  )
    return false;
  if (/[*?[]/.test(name) && namesSources(name)) return true;
  // `package*.json`: no name of a secret begins like that.
  const [, prefix] = /^([A-Za-z][\w-]{3,})\*[\w-]*(?:\.[A-Za-z0-9]+)+$/.exec(name) ?? [];
  return prefix !== undefined && !/^(?:cred|secr|pass|priv|serv|clie|keys?|auth|toke)/i.test(prefix);
}
