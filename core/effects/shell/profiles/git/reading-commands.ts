/** Commands of `git` that show a repository. */
import { any, diff, type GitCommand, log, patches, reads, revisions, summaries, unique } from './options.ts';

export const readingCommands: Readonly<Record<string, GitCommand>> = {
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
  reflog: { ...log, verbs: { write: 'write', delete: 'expire delete drop' }, contents: { when: patches } },
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
    // An object id confirms a guess of the contents.
    showsNames: {
      unless: '-s --stage --debug --format -u --unmerged --resolve-undo --exclude-per-directory --with-tree',
    },
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
};
