/** What commands of `git` share: how they are read, and lists of options. */
import type { Names, Operands, Profile } from '#core/contracts/shell-programs.ts';

/** A command of git. */
export interface GitCommand extends Profile {
  /** It shows the contents of files: always, or with the options named; not with those of `unless`. */
  readonly contents?: { readonly when?: Names; readonly unless?: Names };
}

export const any: Operands = ['word*'];
export const base = { syntax: 'anywhere', whole: true, operands: any } as const;
export const reads = { ...base, does: 'read' } as const;
export const writes = { ...base, does: 'write' } as const;
export const deletes = { ...base, does: 'delete' } as const;

/** Shows a summary of a difference instead of the difference. */
export const summaries =
  '-s --no-patch --stat --shortstat --numstat --dirstat --cumulative --dirstat-by-file --summary --name-only --name-status --raw --compact-summary --quiet';
export const patches =
  '-p -u -U -c -W --patch --unified --cc --patch-with-raw --patch-with-stat --function-context --binary --word-diff --word-diff-regex --color-words --remerge-diff --diff-merges --dd --check';

export const diff = {
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
export const revisions = {
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

/** `-s`, `-q` and similar options are in both lists. */
export const unique = (...lists: readonly Names[]): Names => [...new Set(lists.join(' ').split(/\s+/))].join(' ');

const logFlags = unique(diff.flags, revisions.flags);
export const log = {
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

export const noVerify = '--no-verify --verify';
export const messages = { text: '-m --message', read: '-F --file' } as const;
export const remote = {
  number: '-j --jobs --depth --deepen',
  word: '-o --server-option --shallow-since --shallow-exclude --refmap --negotiation-tip --filter',
  unread: '--upload-pack',
} as const;
export const fetchFlags = `-4 -6 -a -f -k -m -n -p -P -q -t -u -v --all --append --atomic --auto-gc --auto-maintenance --dry-run --force --ipv4 --ipv6 --keep --multiple --no-tags
  --no-auto-gc --no-auto-maintenance --porcelain --prefetch --progress --no-progress --prune --prune-tags --quiet --refetch --set-upstream --show-forced-updates --no-show-forced-updates
  --tags --unshallow --update-head-ok --update-shallow --verbose --write-fetch-head --no-write-fetch-head --no-recurse-submodules --no-prune`;
