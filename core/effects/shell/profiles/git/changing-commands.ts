/** Commands of `git` that change a repository, its remotes or its settings. */
import { base, deletes, fetchFlags, type GitCommand, messages, noVerify, remote, unique, writes } from './options.ts';

export const changingCommands: Readonly<Record<string, GitCommand>> = {
  branch: {
    ...writes,
    alone: 'read',
    flags:
      '-v -q -r -a -i -t --verbose --quiet --remotes --all --list --show-current --ignore-case --no-color --no-column --no-track --no-abbrev --create-reflog --recurse-submodules',
    values: { word: '--sort --points-at --set-upstream-to -u --format' },
    attached: {
      word: '--contains --no-contains --with --without --merged --no-merged --color --column --abbrev --track',
    },
    changes: {
      delete: '-d -D --delete',
      write: '-m -M -c -C -f -u --move --copy --force --set-upstream-to --unset-upstream',
      read: '-l --list --show-current --contains --no-contains --merged --no-merged --points-at',
    },
    refused: '--edit-description',
  },
  tag: {
    ...writes,
    alone: 'read',
    flags: '-i --ignore-case --no-color --no-column --create-reflog --no-sign',
    values: { ...messages, word: '-u --local-user --sort --points-at --format --cleanup --trailer' },
    attached: { word: '-n --column --contains --no-contains --with --without --merged --no-merged --color' },
    changes: {
      delete: '-d --delete',
      write: '-a -s -f -m -F -u --annotate --sign --force --message --file --local-user',
      read: '-l -n --list --contains --no-contains --merged --no-merged --points-at',
    },
    refused: '-e -v --edit --verify',
  },
  remote: {
    ...writes,
    alone: 'read',
    flags: '-v -f -m -t --verbose --tags --no-tags --all --push --add --delete --query',
    verbs: { read: 'show get-url', delete: 'prune' },
  },
  stash: {
    ...writes,
    digits: true,
    flags:
      '-p -u -a -k -q -S --patch --include-untracked --all --keep-index --no-keep-index --quiet --staged --index --stat --name-only --name-status --oneline --numstat',
    values: messages,
    verbs: { read: 'list show', delete: 'drop clear' },
    contents: { when: '-p --patch -u --include-untracked' },
  },
  worktree: {
    ...writes,
    flags:
      '-v -z -f -d -q --verbose --porcelain --force --detach --checkout --no-checkout --lock --quiet --track --no-track --guess-remote',
    values: { word: '-b -B --reason --expire' },
    verbs: { read: 'list', delete: 'remove prune' },
  },
  notes: { ...writes, values: messages, flags: '-f --force', verbs: { read: 'list show', delete: 'remove prune' } },
  reset: {
    ...writes,
    flags: '-q -N --quiet --mixed --soft --intent-to-add --no-refresh --refresh',
    changes: { delete: '--hard --merge --keep' },
    refused: '-p --patch --pathspec-from-file',
  },
  clean: {
    ...deletes,
    flags: '-d -f -q -x -X -i --force --quiet --interactive',
    values: { text: '-e --exclude' },
    changes: { read: '-n --dry-run' },
  },
  'update-ref symbolic-ref': {
    ...writes,
    flags: '-z --no-deref --create-reflog -q --quiet --short',
    values: { text: '-m' },
    changes: { delete: '-d --stdin --delete' },
  },
  push: {
    ...writes,
    flags: `-n -q -u -v -4 -6 --all --branches --tags --dry-run --porcelain --thin --no-thin --set-upstream --progress --no-progress --quiet --verbose --follow-tags --no-follow-tags --atomic --no-atomic --ipv4 --ipv6 --no-force
      --no-force-with-lease --no-force-if-includes ${noVerify}`,
    values: { word: '-o --push-option --recurse-submodules --repo', unread: '--receive-pack --exec' },
    attached: { word: '--signed --force-with-lease' },
    changes: { delete: '-f -d --force --delete --mirror --prune --force-with-lease --force-if-includes' },
  },
  fetch: { ...writes, flags: fetchFlags, values: remote, attached: { word: '--recurse-submodules' } },
  pull: {
    ...writes,
    flags: unique(
      fetchFlags.replace(' -m ', ' ').replace(' -u ', ' '),
      '--stat --no-stat --summary --log --no-log --squash --no-squash --commit --no-commit --edit --no-edit --ff --no-ff --ff-only --autostash --no-autostash --allow-unrelated-histories --signoff --no-rebase',
      noVerify,
    ),
    values: { ...remote, word: `${remote.word} -s -X --strategy --strategy-option --cleanup` },
    attached: { word: '-r --rebase --recurse-submodules' },
    refused: '-S --gpg-sign --verify-signatures',
  },
  clone: {
    ...writes,
    flags:
      '-n -l -s -q -v -4 -6 --no-checkout --bare --mirror --local --no-hardlinks --shared --quiet --verbose --progress --single-branch --no-single-branch --no-tags --sparse --dissociate --shallow-submodules --no-shallow-submodules --remote-submodules --recursive --ipv4 --ipv6 --reject-shallow',
    values: {
      ...remote,
      word: `${remote.word.replace('-o ', '')} -o -b --origin --branch --reference --reference-if-able`,
      unread: '-u -c --upload-pack --config --template --separate-git-dir --bundle-uri',
    },
    attached: { word: '--recurse-submodules' },
  },
  add: {
    ...writes,
    flags:
      '-n -v -f -u -A -N --dry-run --verbose --force --update --all --no-all --ignore-removal --no-ignore-removal --intent-to-add --refresh --ignore-errors --ignore-missing --renormalize --sparse',
    values: { word: '--chmod' },
    refused: '-i -p -e --interactive --patch --edit --pathspec-from-file',
  },
  commit: {
    ...writes,
    flags: `-a -q -v -s -n -z -o --all --quiet --verbose --signoff --no-signoff --dry-run --short --branch --long --null --amend --no-edit --no-post-rewrite --allow-empty --allow-empty-message --status --no-status --only --include --reset-author
      --porcelain --no-gpg-sign ${noVerify}`,
    values: {
      text: '-m --message',
      read: '-F --file -t --template',
      word: '-C --reuse-message --fixup --squash --cleanup --author --date --trailer',
    },
    attached: { word: '-u --untracked-files' },
    refused: '-c -e -i -p -S --reedit-message --edit --interactive --patch --gpg-sign --pathspec-from-file',
  },
  'checkout switch restore': {
    ...writes,
    flags: `-q -d -l -t --quiet --detach --guess --no-guess --track --no-track --ours --theirs --progress --no-progress --overlay --no-overlay --merge -m --ignore-other-worktrees --ignore-unmerged -W --staged
      --worktree --recurse-submodules --no-recurse-submodules --overwrite-ignore --discard-changes`,
    values: { word: '-b -B -c -C --orphan --conflict --create --force-create -s --source' },
    changes: { write: '-f --force -S' },
    refused: '-p --patch --pathspec-from-file',
  },
  rm: {
    ...deletes,
    flags: '-n -q -f -r --dry-run --quiet --cached --force --ignore-unmatch --sparse',
    refused: '--pathspec-from-file',
  },
  mv: { ...writes, flags: '-v -n -f -k --verbose --dry-run --force --sparse' },
  merge: {
    ...writes,
    flags: `-n -q -v -e --stat --no-stat --summary --log --no-log --squash --no-squash --commit --no-commit --edit --no-edit --ff --no-ff --ff-only --abort --quit --continue --allow-unrelated-histories --progress --autostash --no-autostash --signoff --quiet --verbose ${noVerify}`,
    values: { ...messages, word: '-s -X --strategy --strategy-option --cleanup --into-name' },
    refused: '-S --gpg-sign --verify-signatures',
  },
  rebase: {
    ...writes,
    flags: `-q -v -n -f -m --keep-base --quiet --verbose --stat --no-stat --signoff --committer-date-is-author-date --ignore-date --reset-author-date --ignore-whitespace --force-rebase --no-ff --ff --continue --skip --abort --quit --show-current-patch --apply
      --merge --keep-empty --no-keep-empty --autosquash --no-autosquash --update-refs --autostash --no-autostash --root --fork-point --no-fork-point --reapply-cherry-picks ${noVerify}`,
    values: { word: '-C -s -X --onto --strategy --strategy-option --whitespace --empty', line: '-x --exec' },
    attached: { word: '-r --rebase-merges' },
    refused: '-i -S --interactive --edit-todo --gpg-sign',
  },
  'cherry-pick revert': {
    ...writes,
    flags:
      '-n -s -x --no-commit --commit --signoff --continue --abort --skip --quit --ff --allow-empty --allow-empty-message --keep-redundant-commits --no-edit',
    values: { word: '-m -X --mainline --strategy --strategy-option --cleanup' },
    refused: '-e -S --edit --gpg-sign',
  },
  init: {
    ...writes,
    flags: '-q --quiet --bare',
    values: { word: '-b --initial-branch --object-format', unread: '--template --separate-git-dir' },
    attached: { word: '--shared' },
  },
  'am apply': {
    ...writes,
    flags:
      '-3 -N -R -k -q -s -u -v -z --3way --check --stat --numstat --summary --index --cached --reverse --reject --quiet --verbose --signoff --keep --abort --skip --continue --quit --ignore-whitespace --ignore-space-change --recount --unidiff-zero --allow-empty',
    values: { number: '-p -C', word: '--whitespace --directory --exclude --include' },
    refused: '-i -S --interactive --gpg-sign --unsafe-paths --build-fake-ancestor --resolvemsg',
  },
  'format-patch archive bundle': {
    ...writes,
    digits: true,
    flags:
      '-n -N -s -k -q -l -v --stdout --cover-letter --numbered --no-numbered --signoff --list --quiet --progress --all',
    values: {
      write: '-o --output --output-directory',
      word: '--format --prefix --suffix --start-number --subject-prefix --base',
      unread: '--remote --exec',
    },
    contents: {},
  },
  'sparse-checkout': { ...writes, verbs: { read: 'list' } },
  'filter-branch filter-repo': {
    ...deletes,
    refused: '-f --force',
    values: {
      unread:
        '--env-filter --tree-filter --index-filter --msg-filter --commit-filter --tag-name-filter --parent-filter',
    },
  },
  'prune gc replace': {
    ...deletes,
    flags: '-n -q -v -f -d -l --dry-run --quiet --verbose --aggressive --auto --force --no-prune --delete --list',
    attached: { word: '--prune --expire' },
  },
  config: {
    ...writes,
    flags:
      '-l -z --global --system --local --worktree --get --get-all --get-regexp --get-urlmatch --list --add --unset --unset-all --replace-all --null --name-only --includes --show-origin --show-scope --bool --int --path --fixed-value --no-includes --type-int',
    values: { word: '-t --type --default', read: '-f --file', unread: '--blob' },
    refused: '-e --edit --rename-section --remove-section',
  },
  bisect: writes,
  submodule: {
    ...writes,
    flags: '-q --quiet --init --recursive --remote --cached --summary --merge --rebase --no-fetch --force -f --all',
    values: { word: '-b --branch --depth --name --reference -j --jobs' },
    verbs: { read: 'status summary' },
    alone: 'read',
  },
  'difftool mergetool': { ...base, does: 'execute', refused: '-y -t -x -g --tool --extcmd --gui --dir-diff -d' },
};

/** Commands of which only the written branches are read, not the other effects. */
export const unreadCommands: Readonly<Record<string, GitCommand>> = {
  'send-pack': {
    ...writes,
    flags:
      '-v --verbose -q --quiet --all --mirror -n --dry-run -f --force --thin --atomic --stdin --stateless-rpc --helper-status --progress',
    values: { word: '--remote --push-option', unread: '--receive-pack --exec' },
    attached: { word: '--force-with-lease --signed' },
  },
  'http-push': { ...writes, flags: '--all --dry-run --force --verbose -d -D' },
  subtree: {
    ...writes,
    flags:
      '-q --quiet -d --debug --rejoin --no-rejoin --ignore-joins --no-ignore-joins --squash --no-squash -S --gpg-sign',
    values: { word: '-P --prefix -m --message -b --branch --annotate --onto' },
  },
};
