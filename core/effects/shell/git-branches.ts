/**
 * Branches that a Git command writes to, based on its parsed words, for limits and session risk. Commands that never
 * name such a branch are listed; any other command is assumed to force-write every branch of every repository.
 */
import { anyWrite } from '../branch-writes.ts';
import { type BranchWrite, refspecBranch, type TouchedBranch, touchedBranch } from '../git/branches.ts';
import { givenOptions, isGiven, isOneOf, type ParsedArguments } from './arguments.ts';
import type { GitLine } from './git-line.ts';
import type { Arg } from './words.ts';

const anyBranch: TouchedBranch = { default_branch: true };
/** Returns the branches that the command writes to. @param env variables set for this command. */
export function branchWrites(
  { globals, name, command, words }: GitLine,
  env: Readonly<Record<string, string>>,
): readonly BranchWrite[] {
  if (!name) return [];
  if (!name.known || isSteered(globals, env)) return anyWrite;
  const writes = writing.get(name.text);
  if (!writes) return anyIf(command?.profile.does !== 'read' && !keepingBranches.has(name.text));
  return globals.problems.length === 0 ? writes(words) : anyWrite;
}

/** Checks for settings on this one command that may change what a push sends, or that define aliases. */
const isSteered = (globals: ParsedArguments, env: Readonly<Record<string, string>>): boolean =>
  givenOptions(globals, '-c --config-env').some(
    ({ value }) => !value?.known || /^(?:alias|remote|branch|push|url|include|includeif)\./i.test(value.text),
  ) || Object.entries(env).some(([key, value]) => /^GIT_CONFIG(?!_NOSYSTEM$)/.test(key) && value !== '/dev/null');

/** Commands that write to no branch except possibly the one that is checked out. */
const keepingBranches: ReadonlySet<string> = new Set(
  `add am apply archive bundle check-mailmap cherry-pick clean clone column commit commit-graph commit-tree
  config difftool fetch-pack format-patch fsck gc get-tar-commit-id hash-object index-pack init interpret-trailers maintenance
  merge merge-file merge-index merge-tree mergetool mktag mktree multi-pack-index mv notes pack-objects pack-refs patch-id
  prune prune-packed read-tree repack rerere reset restore revert rm show-index sparse-checkout stash
  stripspace tag unpack-file unpack-objects update-index update-server-info var write-tree`.split(/\s+/),
);

type Reader = (words: ParsedArguments) => readonly BranchWrite[];

/**
 * Returns a reader that requires known options, because an unknown one could take an operand as its value, or push
 * more.
 */
const closed =
  (read: Reader): Reader =>
  (words) =>
    words.problems.length > 0 ? anyWrite : read(words);

const anyIf = (isAny: boolean, writes: readonly BranchWrite[] = []) => (isAny ? anyWrite : writes);

/** Reads a word. The shell replaces an unquoted pattern with file names, such as `agent/x:main`. */
const touched = (arg: Arg | undefined, read: (text: string) => TouchedBranch): TouchedBranch =>
  arg?.known && !arg.glob ? read(arg.text) : anyBranch;

/**
 * Reads `<repository> [<refspec>…]`. Without a refspec, Git pushes the current branch or those selected by the
 * repository's settings.
 */
function readPushRefs([remote, ...specs]: readonly Arg[], words: ParsedArguments): readonly BranchWrite[] {
  if (remote && !words.certain.has(remote) && (remote.splits || remote.glob || /^[$`<>]/.test(remote.text)))
    return anyWrite;
  const to = remote?.text ?? givenOptions(words, '--repo --remote')[0]?.value?.text ?? '';
  const removes = isGiven(words, '-d -D --delete');
  const write = (branch: TouchedBranch, force: boolean, deleted: boolean): BranchWrite => ({
    remote: to,
    ...branch,
    ...(force && { force }),
    ...(deleted && { deleted }),
  });
  const forces = isGiven(words, '-f --force --force-with-lease --mirror');
  if (specs.length === 0 || isGiven(words, '--all --branches --mirror --prune --stdin'))
    return [write(anyBranch, forces || specs.some(isForcing), removes || isGiven(words, '--mirror --prune'))];
  return specs.map((spec) =>
    write(
      touched(spec, removes ? touchedBranch : refspecBranch),
      forces || isForcing(spec),
      removes || /^\+?:./.test(spec.text),
    ),
  );
}

const isForcing = ({ text }: Arg): boolean => text.startsWith('+');

/**
 * Reads `fetch origin main:main`, which writes to a local branch. With `--refmap` and `--stdin`, the operands do not
 * determine the branch.
 */
const readFetch: Reader = ({ options, operands }) =>
  anyIf(
    options.some(({ name }) => /^--(?:refm|std)/.test(name)),
    operands
      .slice(1)
      .filter(
        ({ text, glob }) => (glob || /^\+?[^:]*:(?!\/\/)/.test(text)) && !otherRef.test(text.replace(/^.*:/s, '')),
      )
      .map((spec) => currentBranchWrites(spec, { ...(isForcing(spec) && { force: true }) }, refspecBranch)),
  );

/** A ref that is a tag, a note or a remote-tracking branch. */
const otherRef = /^refs\/(?!heads\/)[^/*]+\//i;

const currentBranchWrites = (
  name: Arg | undefined,
  how: Pick<BranchWrite, 'force' | 'deleted'>,
  read: (text: string) => TouchedBranch = touchedBranch,
): BranchWrite => ({ ...touched(name, read), ...how });

/** Reads options whose value is a branch to set, whether or not it exists. */
const created =
  (names: string): Reader =>
  (words) =>
    givenOptions(words, names).map(({ value }) => currentBranchWrites(value, { force: true }));

const isNotHead = ({ text }: Arg): boolean => !/^(?:[A-Z_]+_)?HEAD$/.test(text);

const firstRef = closed((words) =>
  anyIf(
    isGiven(words, '--stdin'),
    words.operands
      .slice(0, 1)
      .filter((ref) => isNotHead(ref) && !otherRef.test(ref.text))
      .map((ref) => currentBranchWrites(ref, { ...(isGiven(words, '-d --delete') && { deleted: true }) })),
  ),
);

const branch = closed((words) => {
  const deleted = isGiven(words, '-d -D --delete');
  const all = deleted || isGiven(words, '-m -M --move -c -C --copy');
  const looks =
    '-a --all -r --remotes -l --list --show-current --contains --merged --no-contains --no-merged -u --set-upstream-to --unset-upstream --edit-description';
  if (!all && isGiven(words, looks)) return [];
  const force = isGiven(words, '-f --force -D -M -C');
  return words.operands
    .slice(0, all ? undefined : 1)
    .map((name) => currentBranchWrites(name, { ...(force && { force }), ...(deleted && { deleted }) }));
});

/** Reads `git rebase <upstream> <branch>` and `git rebase --root <branch>`, which rewrite the named branch. */
const rebased: Reader = (words) => {
  const at = isGiven(words, '--root') ? 0 : 1;
  const named = words.operands.slice(at, at + 1).filter(isNotHead);
  return anyIf(
    isGiven(words, '-x --exec --update-refs'),
    named.map((name) => currentBranchWrites(name, { force: true })),
  );
};

const verb = ({ operands }: ParsedArguments): string => operands[0]?.text ?? '';

const writing: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ...['push', 'send-pack', 'http-push'].map((name): [string, Reader] => [
    name,
    closed((words) => readPushRefs(words.operands, words)),
  ]),
  [
    'subtree',
    closed((words) => {
      const [command, ...rest] = words.operands;
      const pushes = command?.text === 'push' ? anyIf(rest.length < 2, readPushRefs(rest, words)) : [];
      return anyIf(!command?.known, [...created('-b --branch')(words), ...pushes]);
    }),
  ],
  ['fetch', readFetch],
  ['pull', readFetch],
  ['branch', branch],
  ['update-ref', firstRef],
  ['symbolic-ref', firstRef],
  ['checkout', created('-B')],
  ['switch', created('-C --force-create')],
  ['worktree', created('-B')],
  ['rebase', rebased],
  ['reflog', ({ options }) => anyIf(options.some(({ name }) => name.startsWith('--up')))],
  // `git remote add --mirror=fetch -f` overwrites the local branches with the fetched branches.
  ['remote', ({ options }) => anyIf(options.some(({ name }) => name.startsWith('--mi')))],
  ['submodule', ({ operands }) => anyIf(operands.some(({ text }) => text === 'foreach'))],
  ['bisect', ({ operands }) => anyIf(operands.some(({ text }) => text === 'run'))],
  // This command pushes files, not branches.
  [
    'lfs',
    (words) =>
      verb(words) === 'push' ? [{ remote: words.operands[1]?.text ?? '' }] : anyIf(!isOneOf(verb(words), lfsCommands)),
  ],
]);

const lfsCommands = 'checkout env fetch install ls-files pull status track untrack version';
