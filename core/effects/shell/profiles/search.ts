/** Programs that search for text or for files. */
import type { Family, Profile } from './profile.ts';

const grep = {
  does: 'read',
  flags: `-b -c -E -F -G -h -H -i -I -l -L -n -o -P -q -r -R -s -T -U -a -v -w -x -y -z -Z --basic-regexp --binary --byte-offset
    --count --dereference-recursive --extended-regexp --files-with-matches --files-without-match --fixed-strings
    --fixed-regexp --ignore-case --initial-tab --invert-match --line-buffered --line-number --line-regexp --no-filename
    --no-group-separator --no-ignore-case --no-messages --null --null-data --only-matching --perl-regexp --quiet
    --recursive --silent --text --unix-byte-offsets --version --with-filename --word-regexp -V`,
  values: {
    number: '-A -B -C -m --after-context --before-context --context --max-count',
    text: '-e --regexp --exclude --exclude-dir --label --group-separator',
    glob: '--include',
    word: '-d -D --directories --devices --binary-files',
    read: '-f --file --exclude-from',
  },
  attached: { word: '--color --colour' },
  digits: true,
  operands: ['text', 'read*'],
  instead: [{ with: '-e --regexp -f --file', operands: ['read*'] }],
  below: {
    when: '-r -R --recursive --dereference-recursive -d --directories',
    namesOnly: '-c -l -L -q --count --files-with-matches --files-without-match --quiet --silent',
    narrows: '--include',
    reach: 'everything',
    reveals: '-R -a -f --dereference-recursive --text --file',
    readsNamed: true,
    leavesOut: { files: '--exclude', folders: '--exclude-dir' },
    spoils: '-NUM -v -z -A -B -C -f --invert-match --null-data --after-context --before-context --context --file',
  },
} as const satisfies Profile;

export const searchPrograms = {
  'grep egrep fgrep': grep,
  'zgrep bzgrep xzgrep': {
    does: 'read',
    flags: '-c -E -F -h -H -i -l -L -n -o -q -s -v -w -x',
    values: { number: '-A -B -C -m', text: '-e' },
    operands: ['text', 'read*'],
    instead: [{ with: '-e', operands: ['read*'] }],
  },
  rg: {
    does: 'read',
    syntax: 'anywhere',
    exact: true,
    flags: `-a -b -c -F -h -H -I -i -l -L -n -N -o -P -p -q -s -S -U -u -v -V -w -x -0 -. --text --byte-offset --count --count-matches
      --fixed-strings --follow --with-filename --no-filename --ignore-case --files-with-matches --files-without-match
      --line-number --no-line-number --only-matching --pcre2 --pretty --quiet --case-sensitive --smart-case --multiline
      --multiline-dotall --unrestricted --invert-match --word-regexp --line-regexp --null --null-data --hidden --no-hidden
      --no-ignore --no-ignore-vcs --no-ignore-parent --no-ignore-dot --no-ignore-global --no-ignore-exclude --no-ignore-files
      --heading --no-heading --column --no-column --json --stats --trim --vimgrep --no-messages --no-config --crlf
      --block-buffered --line-buffered --max-columns-preview --no-mmap --mmap --one-file-system --passthru --passthrough
      --type-list --debug --trace --include-zero --glob-case-insensitive --files --no-unicode --auto-hybrid-regex --binary`,
    values: {
      number:
        '-A -B -C -d -j -m -M --after-context --before-context --context --max-depth --maxdepth --threads --max-count --max-columns --max-filesize --dfa-size-limit --regex-size-limit',
      text: '-e -r -T --regexp --replace --type-not --context-separator --field-context-separator --field-match-separator --path-separator --colors',
      glob: '-g --glob --iglob',
      word: '-t -E --type --encoding --color --sort --sortr --engine --hyperlink-format --generate',
      read: '-f --file --ignore-file',
      unread: '--pre --pre-glob --hostname-bin --type-add --type-clear',
    },
    refused: '-z --search-zip',
    operands: ['text', 'read*'],
    instead: [{ with: '-e --regexp -f --file --files --type-list', operands: ['read*'] }],
    here: 'names',
    below: {
      namesOnly:
        '-c -l -q --count --count-matches --files-with-matches --files-without-match --quiet --files --type-list',
      narrows: '-g --glob --iglob',
      types: '-t --type',
      reach: 'visible',
      readsNamed: true,
      reveals:
        '-. -u -a -f -L --hidden --unrestricted --no-ignore --no-ignore-vcs --no-ignore-parent --no-ignore-dot --no-ignore-global --no-ignore-exclude --no-ignore-files --text --file --follow --ignore-file',
      spoils:
        '-v -A -B -C -U -f -r --invert-match --after-context --before-context --context --multiline --multiline-dotall --null-data --passthru --passthrough --file --replace',
    },
  },
  which: { does: 'read', flags: '-a -s -f -p', operands: ['text*'] },
  whereis: { does: 'read', flags: '-b -m -s -u', operands: ['text*'] },
  type: { does: 'read', syntax: 'stops', flags: '-a -f -p -P -t', operands: ['text*'] },
  'locate plocate': { does: 'read', flags: '-b -c -i -l -n -r -w', operands: ['text+'] },
} as const satisfies Family;
