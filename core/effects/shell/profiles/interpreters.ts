/** Interpreters of other languages: they run a program; a program on the command line is not read. */
import type { Family, Profile } from './profile.ts';

const language = { does: 'execute', syntax: 'stops', whole: true, input: 'script' } as const;
const script = ['execute?', 'word*'] as const;

const python = {
  ...language,
  flags: '-b -B -d -E -h -i -I -O -P -q -s -S -t -u -v -V -x',
  values: { word: '-m -W -X', unread: '-c' },
  last: '-m -c',
  operands: script,
} as const satisfies Profile;

const node = {
  ...language,
  flags:
    '-c -h -v --check --no-warnings --trace-warnings --trace-deprecation --enable-source-maps --expose-gc --test --test-only --watch --experimental-strip-types --experimental-vm-modules --preserve-symlinks --experimental-test-coverage',
  values: {
    word: '--max-old-space-size --stack-size --unhandled-rejections --test-name-pattern --test-reporter --test-concurrency --test-timeout --env-file -C --conditions',
    unread: '-e -p -r --eval --require --import --loader --experimental-loader',
  },
  refused: '-i --interactive --inspect --inspect-brk --print',
  operands: script,
} as const satisfies Profile;

/** Without a profile of their options: a script and its arguments, or unclear. */
const bare = { ...language, flags: '-h -v -V', operands: script } as const satisfies Profile;

export const interpreters = {
  'python pypy python3': python,
  'node nodejs': node,
  perl: {
    ...language,
    flags: '-c -h -s -t -T -u -U -v -V -w -W -X',
    values: { unread: '-e -E -I -F' },
    refused: '-n -p -i -M -m -x -a -d -0',
    operands: script,
  },
  ruby: {
    ...language,
    flags: '-c -h -s -U -v -w -W',
    values: { unread: '-e -I -r -C -E -F' },
    refused: '-n -p -i -x -a -l -S',
    operands: script,
  },
  'php lua luajit Rscript rscript tclsh expect osascript guile julia groovy scala elixir ghc irb deno bun gdb lldb mongosh':
    bare,
  sqlite3: {
    ...language,
    values: { unread: '-cmd -init' },
    syntax: 'words',
    operands: ['write', 'word*'],
    refused: '-batch',
  },
  'psql mysql': {
    ...language,
    flags: '-h -V',
    values: { unread: '-c -f -e --command --file --execute --init-command --pager' },
    operands: ['word*'],
  },
} as const satisfies Family;
