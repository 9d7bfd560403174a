/** Reading whatever lies below a folder: certain only where names or patterns say that no secrets come along. */
import { resolveAt } from '../paths.ts';
import { givenOptions, isGiven, type Parsed } from './arguments.ts';
import { type Invocation, short } from './invocation.ts';
import type { Below } from './profiles/profile.ts';
import { namesFile, namesSources, namesSourcesAnywhere } from './source-names.ts';
import { isSpecificPattern } from './specific-pattern.ts';
import type { Arg } from './words.ts';

/** Types of ripgrep that hold code or prose. */
const sourceTypes = new Set(
  `ts typescript js py python rb ruby go rust java kotlin scala c cpp cs csharp perl swift dart elixir erlang haskell
  lua r julia clojure groovy vue svelte css sass less html md markdown rst sql graphql protobuf sh zsh fish ps make
  cmake tf`.split(/\s+/),
);

/** Folders that hold code or prose wherever they stand. */
const sourceFolders = new Set(
  `src source sources lib libs app apps core cmd pkg internal packages modules components pages views routes controllers
  models services api server client web frontend backend test tests spec specs __tests__ e2e unit integration docs doc
  documentation examples example samples scripts bin tools include utils helpers hooks adapters plugins styles templates
  locales i18n migrations bench benchmarks lambdas functions policies`.split(/\s+/),
);

/** A program that reads what lies below `roots` makes the line unclear, unless something narrows it. */
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
  // It looks at a file that is named wherever it stands.
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

/** A glob that lets files in lets in hidden ones, too, unless it says how their names end. */
const revealsHidden = (below: Below, parsed: Parsed): boolean =>
  (below.reach === 'everything' && !leavesHiddenOut(below, parsed)) || showsHidden(below, parsed);

/** Every name that begins with a full stop. A later `--include` would let some in again, so none may stand beside it. */
const hiddenNames = new Set(['.*', '.?*', '.[!.]*', '.[^.]*']);

function leavesHiddenOut({ leavesOut, narrows: globs }: Below, parsed: Parsed): boolean {
  if (!leavesOut || givenOptions(parsed, globs).length > 0) return false;
  const names = (options: Below['narrows']) => givenOptions(parsed, options).map(({ value }) => value);
  return [leavesOut.files, leavesOut.folders].every((options) =>
    names(options).some((name) => name?.known === true && !name.glob && hiddenNames.has(name.text)),
  );
}

/** Workflows and templates of Git hosts hold no secrets: they are committed, and named by their folder. */
const openFolders = new Set(['.', '..', '.github', '.gitlab']);

/** A folder that is named, or that an earlier `cd` of the line went to. */
const isBelowHidden = ({ cwds }: Invocation, roots: readonly Arg[]): boolean =>
  cwds.some((cwd) => !cwd.startsWith('/') && isHidden(cwd)) || roots.some(({ text }) => isHidden(text));

const isHidden = (path: string): boolean =>
  path.split('/').some((segment) => segment.startsWith('.') && !openFolders.has(segment));

const showsHidden = ({ reveals, narrows: globs }: Below, parsed: Parsed): boolean =>
  isGiven(parsed, reveals) ||
  givenOptions(parsed, globs).some(({ value }) => !/^!|^[\w*/-]*\.(?!env$)\w+$/.test(value?.text ?? '*'));

/** All names it is given to read are those of sources. */
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
