/** `git`: its global options, and a profile for each of its commands. */
import type { Names, Operands, Profile } from './profile.ts';

/** Options before the command. */
export const gitGlobals = {
  does: 'read',
  syntax: 'stops',
  exact: true,
  flags: `-v -P -h --no-pager --no-replace-objects --bare --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs
    --no-optional-locks --html-path --man-path --info-path --no-lazy-fetch --no-advice`,
  values: {
    folder: '-C',
    gitSetting: '-c',
    unread: '--git-dir --work-tree --namespace --super-prefix --config-env --attr-source',
  },
  attached: { unread: '--exec-path' },
  refused: '-p --paginate',
  operands: ['word*'],
} as const satisfies Profile;

/** A command of git. */
export interface GitCommand extends Profile {
  /** It shows what stands in files: always, or with the options named; not with those of `unless`. */
  readonly contents?: { readonly when?: Names; readonly unless?: Names };
}

const any: Operands = ['word*'];
const base = { syntax: 'anywhere', whole: true, operands: any } as const;
const reads = { ...base, does: 'read' } as const;
const writes = { ...base, does: 'write' } as const;
const deletes = { ...base, does: 'delete' } as const;

/** Shows a summary of a difference instead of it. */
const summaries =
  '-s --no-patch --stat --shortstat --numstat --dirstat --cumulative --dirstat-by-file --summary --name-only --name-status --raw --compact-summary --quiet';
export const patches =
  '-p -u -U -c -W --patch --unified --cc --patch-with-raw --patch-with-stat --function-context --binary --word-diff --word-diff-regex --color-words --remerge-diff --diff-merges --dd --check';

const diff = {
  flags: `-z -p -u -R -B -a -b -w -W -r -t -s -0 -1 -2 -3 --patch --no-patch --function-context --raw --patch-with-raw --patch-with-stat --numstat --shortstat --cumulative --check
    --summary --name-only --name-status --compact-summary --binary --full-index --no-prefix --default-prefix --irreversible-delete --find-copies-harder --no-renames --rename-empty
    --follow --minimal --ignore-all-space --ignore-space-change --ignore-space-at-eol --ignore-cr-at-eol --ignore-blank-lines --indent-heuristic --patience --histogram --text
    --exit-code --quiet --ita-invisible-in-index --ita-visible-in-index --pickaxe-all --pickaxe-regex --no-function-context --no-compact-summary --no-full-index --no-color --no-abbrev
    --no-find-copies-harder --no-rename-empty --no-follow --no-minimal --no-indent-heuristic --no-color-moved --no-color-moved-ws --no-relative --no-text --no-exit-code --no-quiet
    --no-ext-diff --no-textconv --base --ours --theirs --cc --merge-base --dirstat-by-file`,
  values: {
    text: '-S -G -I --ignore-matching-lines --src-prefix --dst-prefix --line-prefix --word-diff-regex --anchored --output-indicator-new --output-indicator-old --output-indicator-context',
    number: '-l --inter-hunk-context --stat-width --stat-name-width --stat-graph-width --stat-count',
    word: '--ws-error-highlight --diff-algorithm --color-moved-ws --rotate-to --skip-to --find-object --diff-filter',
    read: '-O',
    write: '--output',
  },
  attached: {
    number: '-U -M -C --unified --abbrev --find-renames --find-copies --break-rewrites',
    word: '-X --dirstat --stat --color --word-diff --color-words --color-moved --relative --ignore-submodules --submodule',
  },
  refused: '--ext-diff --textconv',
} as const;

/** Which commits, in which order, and how they are shown. */
const revisions = {
  flags: `-c -g -m -i -E -F -P -q --quiet --source --use-mailmap --mailmap --clear-decorations --no-source --no-use-mailmap --no-mailmap --no-decorate --oneline --graph --no-graph
    --all --first-parent --merges --no-merges --reverse --topo-order --date-order --author-date-order --walk-reflogs --left-right --left-only --right-only --cherry --cherry-mark --cherry-pick
    --boundary --full-history --dense --sparse --simplify-merges --simplify-by-decoration --ancestry-path --show-pulls --parents --children --abbrev-commit --no-abbrev-commit
    --relative-date --no-notes --regexp-ignore-case --extended-regexp --fixed-strings --perl-regexp --basic-regexp --all-match --invert-grep --log-size --reflog --alternate-refs
    --not --ignore-missing --single-worktree --stdin --bisect --merge --do-walk --no-walk --unsorted --remerge-diff --dd --full-diff --no-expand-tabs --combined-all-paths --no-diff-merges
    --root --no-color --standard-notes --no-standard-notes --encode-email-headers --no-encode-email-headers --in-commit-order --unpacked --objects --objects-edge --count --timestamp --header --use-bitmap-index --disk-usage --no-commit-header`,
  values: {
    number: '-n --max-count --skip --min-parents --max-parents --since-as-filter --max-age --min-age',
    text: '--grep --author --committer --grep-reflog --since --after --until --before --format',
    word: '--date --exclude --glob --decorate-refs --decorate-refs-exclude --encoding --diff-merges -L --remotes-exclude --exclude-hidden --filter',
  },
  attached: {
    word: '--branches --tags --remotes --decorate --pretty --notes --show-notes --expand-tabs --show-linear-break --ancestry-path-of',
  },
  refused: '--show-signature',
} as const;

/** `-s`, `-q` and the like stand in both lists. */
const unique = (...lists: readonly Names[]): Names => [...new Set(lists.join(' ').split(/\s+/))].join(' ');

const logFlags = unique(diff.flags, revisions.flags);
const log = {
  ...reads,
  digits: true,
  flags: logFlags,
  values: {
    text: unique(diff.values.text, revisions.values.text),
    number: unique(diff.values.number, revisions.values.number),
    word: unique(diff.values.word, revisions.values.word),
    read: diff.values.read,
    write: diff.values.write,
  },
  attached: { number: diff.attached.number, word: unique(diff.attached.word, revisions.attached.word) },
  refused: unique(diff.refused, revisions.refused),
} as const satisfies Profile;

const noVerify = '--no-verify --verify';
const messages = { text: '-m --message', read: '-F --file' } as const;
const remote = {
  number: '-j --jobs --depth --deepen',
  word: '-o --server-option --shallow-since --shallow-exclude --refmap --negotiation-tip --filter',
  unread: '--upload-pack',
} as const;
const fetchFlags = `-4 -6 -a -f -k -m -n -p -P -q -t -u -v --all --append --atomic --auto-gc --auto-maintenance --dry-run --force --ipv4 --ipv6 --keep --multiple --no-tags
  --no-auto-gc --no-auto-maintenance --porcelain --prefetch --progress --no-progress --prune --prune-tags --quiet --refetch --set-upstream --show-forced-updates --no-show-forced-updates
  --tags --unshallow --update-head-ok --update-shallow --verbose --write-fetch-head --no-write-fetch-head --no-recurse-submodules --no-prune`;

/** Each command, or several that share a profile, with what is known of it. */
export const gitCommands: Readonly<Record<string, GitCommand>> = {
  status: {
    ...reads,
    flags: `-s -b -z -v --verbose --short --branch --show-stash --ahead-behind --no-ahead-behind --long --null --no-renames --renames --no-column --no-verbose --no-short --no-branch
      --no-show-stash --no-untracked-files --no-ignored --no-long --no-null --no-porcelain`,
    attached: { word: '-u -M --porcelain --untracked-files --ignored --ignore-submodules --column --find-renames' },
    contents: { when: '-v --verbose' },
  },
  diff: {
    ...reads,
    digits: true,
    ...diff,
    flags: `${diff.flags} -q --cached --staged --no-index`,
    contents: { unless: summaries },
  },
  'diff-tree diff-index diff-files': {
    ...reads,
    digits: true,
    ...diff,
    flags: unique(
      diff.flags,
      '-q -m -c --cached --root --stdin --no-commit-id --merge-base --always --pretty --full-history',
    ),
    contents: { when: patches },
  },
  'log whatchanged': { ...log, contents: { when: patches } },
  reflog: { ...log, verbs: { delete: 'expire delete drop' }, contents: { when: patches } },
  show: { ...log, contents: { unless: summaries } },
  'rev-list': log,
  'range-diff': {
    ...reads,
    digits: true,
    ...diff,
    flags: `${diff.flags} --no-dual-color --left-only --right-only`,
    values: { ...diff.values, number: `${diff.values.number} --creation-factor` },
    contents: {},
  },
  'blame annotate': {
    ...reads,
    flags: `-b -c -e -f -l -n -p -s -t -w --incremental --root --show-stats --progress --no-progress --score-debug --show-name --show-number --porcelain --line-porcelain --show-email --color-lines
      --color-by-age --minimal --first-parent --reverse --no-root`,
    values: { word: '-L --ignore-rev --date --since', read: '-S --contents --ignore-revs-file' },
    attached: { number: '-C -M --abbrev' },
  },
  shortlog: {
    ...reads,
    digits: true,
    flags: unique(
      revisions.flags,
      '-n -s -e --committer --numbered --summary --email --no-numbered --no-summary --no-email -c',
    ),
    values: {
      number: '--max-count --skip',
      text: revisions.values.text.replace('--committer ', ''),
      word: `${revisions.values.word.replace('-L ', '')} --group`,
    },
    attached: { word: `-w ${revisions.attached.word}` },
  },
  describe: {
    ...reads,
    flags:
      '--contains --debug --all --tags --long --first-parent --exact-match --always --no-first-parent --no-long --no-tags',
    values: { number: '--candidates', word: '--match --exclude' },
    attached: { word: '--abbrev --dirty --broken' },
  },
  'rev-parse': {
    ...reads,
    exact: true,
    flags: `-q --quiet --verify --revs-only --no-revs --flags --no-flags --not --symbolic --symbolic-full-name --local-env-vars --git-dir --absolute-git-dir --git-common-dir
      --show-toplevel --show-cdup --show-prefix --show-superproject-working-tree --show-ref-format --is-inside-git-dir --is-inside-work-tree --is-bare-repository --is-shallow-repository --shared-index-path
      --all --sq`,
    values: { word: '--default --git-path --resolve-git-dir --path-format --since --after --until --before --prefix' },
    attached: {
      word: '--short --abbrev-ref --branches --tags --remotes --glob --exclude --disambiguate --show-object-format',
    },
  },
  'ls-files': {
    ...reads,
    flags: `-z -t -v -f -c -d -m -o -i -s -k -u --cached --deleted --modified --others --ignored --stage --killed --directory --eol --empty-directory --no-empty-directory --unmerged --resolve-undo --exclude-standard
      --full-name --recurse-submodules --error-unmatch --debug --deduplicate --sparse`,
    values: { text: '-x --exclude', read: '-X --exclude-from', word: '--exclude-per-directory --with-tree --format' },
    attached: { number: '--abbrev' },
  },
  'ls-tree': {
    ...reads,
    flags: '-d -r -t -z -l --long --name-only --name-status --object-only --full-name --full-tree',
    values: { word: '--format' },
    attached: { number: '--abbrev' },
  },
  'cat-file': {
    ...reads,
    flags:
      '-e -p -t -s -z --allow-unknown-type --use-mailmap --mailmap --batch-all-objects --buffer --follow-symlinks --unordered',
    attached: { unread: '--batch --batch-check --batch-command' },
    refused: '--textconv --filters',
    values: { word: '--path' },
    contents: { unless: '-t -s -e' },
  },
  'merge-base': { ...reads, flags: '-a --all --octopus --independent --is-ancestor --fork-point' },
  'name-rev': {
    ...reads,
    flags: '--name-only --tags --all --always --undefined',
    values: { word: '--refs --exclude' },
  },
  grep: {
    ...reads,
    digits: true,
    flags: `-v -i -w -a -I -r -E -G -F -P -n -h -H -l -L -z -o -c -p -W -q --cached --exclude-standard --recurse-submodules --invert-match --ignore-case --word-regexp --text --recursive --no-recursive --extended-regexp
      --basic-regexp --fixed-strings --perl-regexp --line-number --column --full-name --files-with-matches --name-only --files-without-match --null --only-matching --count --break --heading --show-function
      --function-context --and --or --not --quiet --all-match --no-color`,
    values: {
      text: '-e',
      read: '-f',
      number: '-C -B -A -m --context --before-context --after-context --max-count --max-depth --threads',
    },
    attached: { word: '--color', unread: '-O --open-files-in-pager' },
    refused: '--no-index --untracked --no-exclude-standard --ext-grep --textconv',
    operands: ['text', 'word*'],
    instead: [{ with: '-e -f', operands: any }],
    below: {
      reach: 'visible',
      namesOnly: '-l -L -c -q --files-with-matches --name-only --files-without-match --count --quiet',
      spoils:
        '-NUM -v -W -p -f -A -B -C --invert-match --function-context --show-function --context --before-context --after-context --or --not',
    },
  },
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
  'version help': {
    ...reads,
    flags: '-a -g -c -m --all --guides --build-options --config --verbose --no-verbose',
    refused: '-w -i --web --info --man',
  },
  'for-each-ref': {
    ...reads,
    flags: '-s -p --shell --perl --python --tcl --ignore-case --omit-empty --include-root-refs --no-color',
    values: { number: '--count', word: '--format --sort --points-at --exclude' },
    attached: { word: '--color --merged --no-merged --contains --no-contains' },
  },
  'show-ref': {
    ...reads,
    flags: '-d -q --tags --heads --branches --verify --head --dereference --quiet --exists',
    attached: { word: '-s --hash --abbrev --exclude-existing' },
  },
  'show-branch count-objects cherry check-ignore check-attr check-ref-format verify-pack': {
    ...reads,
    flags:
      '-a -r -v -q -z -n -H -s --all --remotes --current --list --verbose --human-readable --quiet --stdin --no-index --branch --allow-onelevel --normalize',
  },
  'verify-commit verify-tag': { ...reads, refused: '-v --verbose --raw' },
  'ls-remote': {
    ...reads,
    flags: '-h -t -q --heads --branches --tags --refs --quiet --exit-code --get-url --symref',
    values: { unread: '--upload-pack --exec', word: '-o --server-option --sort' },
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
