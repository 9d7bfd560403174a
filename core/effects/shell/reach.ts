/** Reads of everything below a folder: certain only if names or patterns exclude secrets. */
import { resolveAt } from '../paths.ts';
import { givenOptions, isGiven, type Parsed } from './arguments.ts';
import { type Invocation, short } from './invocation.ts';
import type { Below } from './profiles/profile.ts';
import { namesFile, namesSources, namesSourcesAnywhere } from './source-names.ts';
import { isSpecificPattern } from './specific-pattern.ts';
import type { Arg } from './words.ts';

/** ripgrep types for code or prose. */
const sourceTypes = new Set(
  `ts typescript js py python rb ruby go rust java kotlin scala c cpp cs csharp perl swift dart elixir erlang haskell
  lua r julia clojure groovy vue svelte css sass less html md markdown rst sql graphql protobuf sh zsh fish ps make
  cmake tf`.split(/\s+/),
);

/** Folders that hold code or prose at any place. */
const sourceFolders = new Set(
  `src source sources lib libs app apps core cmd pkg internal packages modules components pages views routes controllers
  models services api server client web frontend backend test tests spec specs __tests__ e2e unit integration docs doc
  documentation examples example samples scripts bin tools include utils helpers hooks adapters plugins styles templates
  locales i18n migrations bench benchmarks lambdas functions policies`.split(/\s+/),
);

/** Reports a program that reads everything below `roots`, unless something narrows it. */
export function readBelow(
  call: Invocation,
  below: Below,
  parsed: Parsed,
  roots: readonly Arg[],
  patterns: readonly Arg[],
): void {
  const asked = below.when === undefined || isGiven(parsed, below.when);
  const pairs = below.pairs === true && roots.length > 0 && !roots.some(namesFile);
  if ((!asked && !pairs) || isGiven(parsed, below.namesOnly) || narrows(below, parsed)) return;
  // The program reads a named file at any place.
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

/** Checks for globs or options that include hidden files. A glob that specifies the extension does not. */
const revealsHidden = (below: Below, parsed: Parsed): boolean =>
  (below.reach === 'everything' && !leavesHiddenOut(below, parsed)) || showsHidden(below, parsed);

/** Patterns of all names with a leading full stop. A later `--include` could add some again, so it must be absent. */
const hiddenNames = new Set(['.*', '.?*', '.[!.]*', '.[^.]*']);

function leavesHiddenOut({ leavesOut, narrows: globs }: Below, parsed: Parsed): boolean {
  if (!leavesOut || givenOptions(parsed, globs).length > 0) return false;
  const names = (options: Below['narrows']) => givenOptions(parsed, options).map(({ value }) => value);
  return [leavesOut.files, leavesOut.folders].every((options) =>
    names(options).some((name) => name?.known === true && !name.glob && hiddenNames.has(name.text)),
  );
}

/** Workflows and templates of Git hosts do not hold secrets: they are committed, and their folder is named. */
const openFolders = new Set(['.', '..', '.github', '.gitlab']);

/** Checks for a hidden folder, named directly or entered by an earlier `cd` of the line. */
const isBelowHidden = ({ cwds }: Invocation, roots: readonly Arg[]): boolean =>
  cwds.some((cwd) => !cwd.startsWith('/') && isHidden(cwd)) || roots.some(({ text }) => isHidden(text));

const isHidden = (path: string): boolean =>
  path.split('/').some((segment) => segment.startsWith('.') && !openFolders.has(segment));

const showsHidden = ({ reveals, narrows: globs }: Below, parsed: Parsed): boolean =>
  isGiven(parsed, reveals) ||
  givenOptions(parsed, globs).some(({ value }) => !/^!|^[\w*/-]*\.(?!env$)\w+$/.test(value?.text ?? '*'));

/** Checks that only names or types of source files are read. */
function narrows(below: Below, parsed: Parsed): boolean {
  const { narrows: globs, types } = below;
  const names = givenOptions(parsed, globs).map(({ value }) => value?.text ?? '*');
  const wanted = names.filter((name) => !name.startsWith('!'));
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
