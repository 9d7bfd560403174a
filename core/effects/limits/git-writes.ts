/** Commands of git by what they do to branches: none, those that the words name, or any. */
import { refspecBranch, type TouchedBranch, touchedBranch } from '#core/effects/git/branches.ts';
import { type GitOptions, readGitOptions } from './git-options.ts';

export interface GitWrite {
  readonly repository: string;
  readonly touched: TouchedBranch;
  readonly deletes: boolean;
  readonly forced: boolean;
}

/** Any branch may be written, also by force. */
export const anyWrite: readonly [GitWrite] = [
  { repository: '', touched: { default_branch: true }, deletes: false, forced: true },
];

/** Commands that send branches to a repository, with their options. */
export const pushes: Readonly<Record<string, GitOptions>> = {
  push: {
    flags: `-v --verbose -q --quiet --all --branches --mirror -d --delete --tags -n --dry-run --porcelain -f --force
      --force-if-includes --thin -u --set-upstream --progress --prune --verify --follow-tags --atomic -4 --ipv4 -6 --ipv6`,
    values: '--repo --recurse-submodules --receive-pack --exec -o --push-option',
    optional: '--force-with-lease --signed',
  },
  'send-pack': {
    flags:
      '-v --verbose -q --quiet --all --mirror -n --dry-run -f --force --thin --atomic --stdin --stateless-rpc --helper-status --progress',
    values: '--receive-pack --exec --remote --push-option',
    optional: '--force-with-lease --signed',
  },
  'http-push': { flags: '--all --dry-run --force --verbose -d -D', values: '' },
};

/** A write to the local branch of that name. */
const local = (name: string, deletes = false): GitWrite => ({
  repository: '.',
  touched: touchedBranch(name),
  deletes,
  forced: false,
});

/** Commands that write branches which their words name. */
export const branchWrites: Readonly<Record<string, (args: readonly string[]) => readonly GitWrite[]>> = {
  'update-ref': (args) => {
    const { known, operands, has } = readGitOptions(args, {
      flags: '-d --deref --create-reflog --stdin -z --batch-updates',
      values: '-m',
    });
    if (!known || has('--stdin')) return anyWrite;
    return operands
      .slice(0, 1)
      .filter(isBranch)
      .map((name) => local(name, has('-d')));
  },
  'symbolic-ref': (args) => {
    const { known, operands, has } = readGitOptions(args, {
      flags: '-q --quiet --short --recurse -d --delete',
      values: '-m',
    });
    if (!known) return anyWrite;
    return operands.length < 2 && !has('-d', '--delete')
      ? []
      : operands
          .slice(0, 1)
          .filter(isBranch)
          .map((name) => local(name));
  },
  branch: (args) => {
    const { known, operands, has } = readGitOptions(args, {
      flags: `-a --all -r --remotes -l --list -v --verbose -q --quiet --show-current -i --ignore-case --column --color --abbrev
        -f --force -m -M --move -c -C --copy -d -D --delete -t --track -u --unset-upstream --create-reflog --edit-description
        --recurse-submodules --omit-empty`,
      values: '--sort --format --points-at --set-upstream-to',
      optional: '--contains --merged --column --color --abbrev --track',
    });
    const looks = has(
      '-a',
      '--all',
      '-r',
      '--remotes',
      '-l',
      '--list',
      '--show-current',
      '--contains',
      '--merged',
      '--no-contains',
      '--no-merged',
    );
    const deletes = has('-d', '-D', '--delete');
    const moves = has('-m', '-M', '--move', '-c', '-C', '--copy');
    if (!known) return anyWrite;
    if (!deletes && !moves && (looks || has('-u', '--set-upstream-to', '--unset-upstream', '--edit-description')))
      return [];
    return (deletes || moves ? operands : operands.slice(0, 1)).map((name) => local(name, deletes));
  },
  checkout: (args) => created(args, ['-B']),
  switch: (args) => created(args, ['-C', '--force-create']),
  worktree: (args) => (args[0] === 'add' ? created(args.slice(1), ['-B']) : []),
  fetch: fetched,
  pull: fetched,
  rebase: (args) => (args.some((word) => /^--(?:update-refs|exec)|^-[a-zA-Z]*x/.test(word)) ? anyWrite : []),
  submodule: (args) => (args.some((word) => word === 'foreach') ? anyWrite : []),
  bisect: (args) => (args.includes('run') ? anyWrite : []),
  lfs: (args) => (lfsCommands.has(args[0] ?? '') ? [] : anyWrite),
};

const lfsCommands: ReadonlySet<string> = new Set(
  'checkout env fetch install ls-files pull push status track untrack version'.split(' '),
);

const isBranch = (name: string): boolean => !/^(?:refs\/(?!heads\/)|HEAD$|[A-Z_]+_HEAD$)/.test(name);

/** A branch that is set again whether it exists or not: the word behind, or attached to, one of the options. */
function created(args: readonly string[], names: readonly string[]): GitWrite[] {
  return args.flatMap((word, at) => {
    const name = names.find((each) => word === each || word.startsWith(each.startsWith('--') ? `${each}=` : each));
    if (name === undefined) return [];
    return [local(word === name ? (args[at + 1] ?? '') : word.slice(name.length).replace(/^=/, ''))];
  });
}

/** `fetch origin main:main` writes a branch here; `--refmap` and `--stdin` say elsewhere which. */
function fetched(args: readonly string[]): readonly GitWrite[] {
  if (args.some((word) => /^--(?:refm|std)/.test(word))) return anyWrite;
  return args
    .filter((word) => !word.startsWith('-'))
    .slice(1)
    .filter((word) => /^\+?[^:]*:(?!\/\/)/.test(word))
    .map((spec) => refspecBranch(spec))
    .filter(({ branch, branch_pattern: pattern }) =>
      pattern === undefined ? branch === undefined || isBranch(branch) : !/^refs\/(?!heads\/)[^/*]+\//i.test(pattern),
    )
    .map((touched) => ({ repository: '.', touched, deletes: false, forced: false }));
}

/** Commands that write no branch but, at most, the one that is checked out. */
export const harmlessCommands: ReadonlySet<string> = new Set(
  `add am annotate apply archive blame bundle cat-file check-attr check-ignore check-mailmap check-ref-format cherry
  cherry-pick clean clone column commit commit-graph commit-tree config count-objects describe diff diff-files diff-index
  diff-tree difftool fetch-pack for-each-ref format-patch fsck gc get-tar-commit-id grep hash-object help index-pack init
  interpret-trailers log ls-files ls-remote ls-tree maintenance merge merge-base merge-file merge-index merge-tree
  mergetool mktag mktree multi-pack-index mv name-rev notes pack-objects pack-refs patch-id prune prune-packed range-diff
  read-tree reflog remote repack rerere reset restore rev-list rev-parse revert rm shortlog show show-branch show-index
  show-ref sparse-checkout stash status stripspace tag unpack-file unpack-objects update-index update-server-info var
  verify-commit verify-pack verify-tag version whatchanged write-tree`.split(/\s+/),
);
