/** Programs that show, cut, sort or count texts. */
import type { Family } from './profile.ts';

export const textPrograms = {
  cat: {
    does: 'read',
    flags:
      '-A -b -e -E -n -s -t -T -u -v --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting',
    operands: ['read*'],
  },
  head: {
    does: 'read',
    flags: '-q -v -z --quiet --silent --verbose --zero-terminated',
    values: { number: '-c -n --bytes --lines' },
    digits: true,
    operands: ['read*'],
  },
  tail: {
    does: 'read',
    flags: '-f -F -q -v -z -r --retry --quiet --silent --verbose --zero-terminated',
    values: { number: '-c -n -s --bytes --lines --sleep-interval --pid --max-unchanged-stats' },
    attached: { word: '--follow' },
    digits: true,
    plus: 'refused',
    operands: ['read*'],
  },
  tac: {
    does: 'read',
    flags: '-b -r --before --regex',
    values: { text: '-s --separator' },
    operands: ['read*'],
  },
  nl: {
    does: 'read',
    flags: '-p --no-renumber',
    values: {
      text: '-b -d -f -h -s --body-numbering --section-delimiter --footer-numbering --header-numbering --number-separator',
      word: '-n --number-format',
      number: '-i -l -v -w --line-increment --join-blank-lines --starting-line-number --number-width',
    },
    operands: ['read*'],
  },
  rev: { does: 'read', flags: '-h -V', operands: ['read*'] },
  fold: {
    does: 'read',
    flags: '-b -s -c --bytes --spaces --characters',
    values: { number: '-w --width' },
    digits: true,
    operands: ['read*'],
  },
  fmt: {
    does: 'read',
    flags: '-c -s -t -u --crown-margin --split-only --tagged-paragraph --uniform-spacing',
    values: { number: '-g -w --goal --width', text: '-p --prefix' },
    digits: true,
    operands: ['read*'],
  },
  expand: { does: 'read', flags: '-i --initial', values: { number: '-t --tabs' }, digits: true, operands: ['read*'] },
  unexpand: {
    does: 'read',
    flags: '-a --all --first-only',
    values: { number: '-t --tabs' },
    digits: true,
    operands: ['read*'],
  },
  cut: {
    does: 'read',
    flags: '-n -s -z --complement --only-delimited --zero-terminated',
    values: { text: '-d --delimiter --output-delimiter', word: '-b -c -f --bytes --characters --fields' },
    operands: ['read*'],
  },
  paste: {
    does: 'read',
    flags: '-s -z --serial --zero-terminated',
    values: { text: '-d --delimiters' },
    operands: ['read*'],
  },
  join: {
    does: 'read',
    flags: '-i -z --ignore-case --check-order --nocheck-order --header --zero-terminated',
    values: { number: '-1 -2 -j -a -v', text: '-e -t', word: '-o' },
    operands: ['read', 'read'],
  },
  comm: {
    does: 'read',
    flags: '-1 -2 -3 -z --check-order --nocheck-order --total --zero-terminated',
    values: { text: '--output-delimiter' },
    operands: ['read', 'read'],
  },
  cmp: {
    does: 'read',
    flags: '-b -l -s --print-bytes --verbose --quiet --silent',
    values: { number: '-i -n --ignore-initial --bytes' },
    operands: ['read', 'read?', 'number?', 'number?'],
  },
  diff: {
    does: 'read',
    flags: `-a -b -B -c -d -e -E -i -l -n -N -p -P -q -r -s -t -T -u -v -w -y -Z --normal --brief --report-identical-files --ed --rcs
      --side-by-side --left-column --suppress-common-lines --show-c-function --expand-tabs --initial-tab --suppress-blank-empty
      --paginate --recursive --no-dereference --new-file --unidirectional-new-file --ignore-file-name-case
      --no-ignore-file-name-case --ignore-case --ignore-tab-expansion --ignore-trailing-space --ignore-space-change
      --ignore-all-space --ignore-blank-lines --text --strip-trailing-cr --minimal --speed-large-files`,
    values: {
      number: '-C -U -W --width --tabsize --horizon-lines',
      text: '-D -F -I -L -x --ifdef --show-function-line --label --ignore-matching-lines --exclude --palette',
      read: '-X -S --exclude-from --from-file --to-file --starting-file',
      unread:
        '--old-group-format --new-group-format --unchanged-group-format --changed-group-format --line-format --old-line-format --new-line-format --unchanged-line-format',
    },
    attached: { number: '--context --unified', word: '--color' },
    digits: true,
    operands: ['read', 'read'],
    instead: [{ with: '--from-file --to-file', operands: ['read+'] }],
    below: { when: '-r --recursive', namesOnly: '-q --brief', reach: 'everything', pairs: true },
  },
  wc: {
    does: 'read',
    // The longest line may be the secret.
    showsNames: { unless: '-L --max-line-length' },
    flags: '-c -l -L -m -w --bytes --chars --lines --max-line-length --words',
    values: { unread: '--files0-from', word: '--total' },
    operands: ['read*'],
  },
  sort: {
    does: 'read',
    flags: `-b -c -C -d -f -g -h -i -M -m -n -R -r -s -u -V -z --ignore-leading-blanks --dictionary-order --ignore-case
      --general-numeric-sort --ignore-nonprinting --month-sort --human-numeric-sort --numeric-sort --random-sort --reverse
      --version-sort --merge --stable --unique --zero-terminated --debug`,
    values: {
      text: '-t --field-separator',
      word: '-k --key --sort',
      number: '-S --batch-size --buffer-size --parallel',
      read: '--random-source',
      write: '-o -T --output --temporary-directory',
      unread: '--compress-program --files0-from',
    },
    attached: { word: '--check' },
    plus: 'refused',
    operands: ['read*'],
  },
  uniq: {
    does: 'read',
    flags: '-c -d -D -i -u -z --count --repeated --ignore-case --unique --zero-terminated',
    values: { number: '-f -s -w --skip-fields --skip-chars --check-chars' },
    attached: { word: '--all-repeated --group' },
    plus: 'refused',
    operands: ['read?', 'write?'],
  },
  tr: {
    does: 'read',
    flags: '-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1',
    operands: ['text', 'text?'],
    syntax: 'stops',
  },
  column: {
    does: 'read',
    flags: '-t -x -e -n -d -J -L --table --fillrows --json --keep-empty-lines --table-noheadings',
    values: {
      text: '-s -o --separator --output-separator --table-name',
      word: '-N -H -O -R -T -W -E -r -i -p --table-columns --table-hide --table-order --table-right --table-truncate --table-wrap --table-noextreme --tree --tree-id --tree-parent',
      number: '-c -l --output-width --table-columns-limit',
    },
    operands: ['read*'],
  },
  strings: {
    does: 'read',
    flags: '-a -f -w --all --print-file-name --include-all-whitespace',
    values: { number: '-n --bytes', word: '-t -e --radix --encoding', text: '-s --output-separator' },
    digits: true,
    responseFiles: true,
    operands: ['read*'],
  },
  od: {
    does: 'read',
    flags: '-a -b -c -d -f -i -l -o -s -v -x --output-duplicates --traditional',
    values: { word: '-A -t --address-radix --format --endian', number: '-j -N -S --skip-bytes --read-bytes' },
    attached: { number: '-w --strings --width' },
    plus: 'refused',
    operands: ['read*'],
  },
  'hexdump hd': {
    does: 'read',
    flags:
      '-b -c -C -d -o -v -x --canonical --one-byte-octal --one-byte-char --two-bytes-decimal --two-bytes-octal --two-bytes-hex --no-squeezing',
    values: { number: '-n -s --length --skip', text: '-e --format', read: '-f --format-file' },
    attached: { word: '-L --color' },
    operands: ['read*'],
  },
  xxd: {
    does: 'read',
    syntax: 'words',
    flags: '-a -autoskip -b -bits -C -capitalize -d -e -E -h -i -include -p -ps -plain -postscript -r -revert -u -v',
    values: { number: '-c -cols -g -groupsize -l -len -o -s -seek', word: '-n -name -R' },
    operands: ['read?', 'write?'],
  },
  'md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum': {
    does: 'read',
    flags: '-b -t -w -z --binary --tag --text --zero --ignore-missing --quiet --status --strict --warn',
    // A list of sums names other files.
    refused: '-c --check',
    values: { number: '-l --length' },
    operands: ['read*'],
  },
  shasum: {
    does: 'read',
    flags: '-b -t -0 -U --binary --text --tag --UNIVERSAL',
    refused: '-c --check',
    values: { number: '-a --algorithm' },
    operands: ['read*'],
  },
  cksum: {
    does: 'read',
    flags: '-z --base64 --raw --tag --untagged --zero --debug --ignore-missing --quiet --status --strict --warn -w',
    refused: '-c --check',
    values: { word: '-a --algorithm', number: '-l --length' },
    operands: ['read*'],
  },
  sum: { does: 'read', flags: '-r -s --sysv', operands: ['read*'] },
  'base64 base32': {
    does: 'read',
    flags: '-d -D --decode --ignore-garbage',
    // BSD reads `-i file` and writes `-o file`; GNU ignores garbage.
    values: { number: '-w -b --wrap' },
    refused: '-i',
    operands: ['read?'],
  },
  iconv: {
    does: 'read',
    flags: '-c -l -s --list --silent --verbose',
    values: { word: '-f -t --from-code --to-code', write: '-o --output' },
    operands: ['read*'],
  },
  'zcat bzcat xzcat': { does: 'read', flags: '-f -q -v', operands: ['read*'] },
  sed: {
    does: 'read',
    flags: `-n -E -r -s -u -z --quiet --silent --debug --follow-symlinks --posix --regexp-extended --separate --sandbox
      --unbuffered --null-data --zero-terminated`,
    values: { sed: '-e --expression', unread: '-f --file', number: '--line-length' },
    attached: { text: '-i -I --in-place' },
    changes: { write: '-i -I --in-place' },
    refused: '-l -a',
    operands: ['sed', 'read*'],
    instead: [{ with: '-e --expression -f --file', operands: ['read*'] }],
  },
  'awk gawk mawk nawk': {
    does: 'read',
    syntax: 'stops',
    values: {
      text: '-F -v --field-separator --assign',
      unread: '-f -E -i -l -e -W --file --exec --include --load --source',
    },
    refused:
      '-b -c -C -d -D -g -h -I -k -L -M -n -N -o -O -p -P -r -s -S -t -V --profile --dump-variables --debug --pretty-print',
    operands: ['awk', 'read*'],
  },
  jq: {
    does: 'read',
    syntax: 'anywhere',
    exact: true,
    flags: `-a -c -C -e -j -M -n -r -s -S -R -h -V --seq --stream --stream-errors --slurp --raw-input --null-input --compact-output
      --tab --color-output --monochrome-output --ascii-output --unbuffered --sort-keys --raw-output --join-output
      --raw-output0 --exit-status`,
    values: { number: '--indent', unread: '-f --from-file -L --slurpfile --rawfile --run-tests --library-path' },
    refused: '--arg --argjson --args --jsonargs',
    operands: ['jq', 'read*'],
  },
  less: {
    does: 'read',
    syntax: 'anywhere',
    flags: '-a -A -c -C -d -e -E -f -F -g -G -i -I -J -K -L -m -M -n -N -q -Q -r -R -s -S -u -U -V -w -W -X',
    values: { unread: '-b -h -j -k -o -O -p -P -t -T -x -y -z -D -#' },
    plus: 'refused',
    exact: true,
    operands: ['read*'],
  },
  more: {
    does: 'read',
    flags: '-c -d -e -f -l -p -s -u',
    values: { number: '-n' },
    plus: 'refused',
    operands: ['read*'],
  },
} as const satisfies Family;
