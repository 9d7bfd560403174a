/** Programs that run another command; that command is read instead. */
import type { Family, Profile } from './profile.ts';

/** It acts itself, in addition to the command it runs. */
const acting = { does: 'execute', syntax: 'stops', whole: true } as const;
/** Only the command it runs matters. */
const passing = { does: 'execute', syntax: 'stops' } as const;

const su = {
  ...acting,
  syntax: 'anywhere',
  flags: '-l -m -p -P -f --login --preserve-environment --pty --fast',
  values: {
    line: '-c --command --session-command',
    word: '-g -G -s -u -w --group --supp-group --shell --user --whitelist-environment',
  },
  operands: ['word*'],
} as const satisfies Profile;

export const wrapperPrograms = {
  'nohup unbuffer noglob nocorrect builtin busybox toybox dbus-run-session': { ...passing, operands: ['command'] },
  setsid: { ...passing, flags: '-c -f -w --ctty --fork --wait', operands: ['command'] },
  exec: { ...passing, flags: '-c -l', values: { text: '-a' }, operands: ['command?'], idle: true },
  command: {
    does: 'read',
    syntax: 'stops',
    flags: '-p -v -V',
    operands: ['command'],
    instead: [{ with: '-v -V', operands: ['text+'] }],
  },
  'nice gnice': { ...passing, values: { number: '-n --adjustment' }, digits: true, operands: ['command'] },
  ionice: { ...passing, flags: '-t --ignore', values: { word: '-c -n --class --classdata' }, operands: ['command'] },
  chrt: {
    ...passing,
    flags:
      '-a -b -f -i -o -r -R -d -v --all-tasks --batch --fifo --idle --other --rr --reset-on-fork --deadline --verbose',
    values: { number: '-T -P -D --sched-runtime --sched-period --sched-deadline' },
    operands: ['number', 'command'],
  },
  taskset: { ...passing, flags: '-a -c --all-tasks --cpu-list', operands: ['word', 'command'] },
  'timeout gtimeout': {
    ...passing,
    flags: '-f -p -v --foreground --preserve-status --verbose',
    values: { number: '-k --kill-after', word: '-s --signal' },
    operands: ['number', 'command'],
  },
  time: {
    ...passing,
    flags: '-a -l -p -q -v -h --append --portability --quiet --verbose',
    values: { text: '-f --format', write: '-o --output' },
    operands: ['command'],
  },
  stdbuf: { ...passing, values: { word: '-i -o -e --input --output --error' }, operands: ['command'] },
  caffeinate: { ...passing, flags: '-d -i -m -s -u', values: { number: '-t -w' }, operands: ['command'] },
  'env genv': {
    does: 'read',
    syntax: 'stops',
    flags: '-i -0 -v --ignore-environment --null --debug --list-signal-handling',
    values: { word: '-u --unset', folder: '-C --chdir', split: '-S --split-string' },
    attached: { word: '--block-signal --default-signal --ignore-signal' },
    assigns: true,
    operands: ['command?'],
  },
  'linux32 linux64 i386 i486 i586 i686 x86_64': {
    ...passing,
    flags:
      '-v -R -3 -B -F -I -L -S -T -X -Z --verbose --addr-no-randomize --32bit --fdpic-funcptrs --short-inode --addr-compat-layout --whole-seconds --sticky-timeouts --read-implies-exec --mmap-page-zero --3gb --4gb --uname-2.6',
    operands: ['command'],
  },
  setarch: {
    ...passing,
    flags:
      '-v -R -3 -B -F -I -L -S -T -X -Z --verbose --addr-no-randomize --32bit --fdpic-funcptrs --short-inode --addr-compat-layout --whole-seconds --sticky-timeouts --read-implies-exec --mmap-page-zero --3gb --4gb --uname-2.6 --list',
    first: 'linux32 linux64 i386 i486 i586 i686 athlon x86_64 aarch64 armv7l arm64 ppc ppc64 s390 s390x uname26',
    operands: ['command'],
  },
  flock: {
    does: 'write',
    syntax: 'stops',
    flags: '-e -F -n -o -s -u -x --close --exclusive --no-fork --nb --nonblock --shared --unlock --verbose',
    values: { number: '-w -E --timeout --wait --conflict-exit-code', line: '-c --command' },
    operands: ['write', 'command?'],
  },
  cpulimit: { ...passing, flags: '-b -f -i -z', values: { number: '-l -p', word: '-e' }, operands: ['command'] },
  'xvfb-run': { ...passing, flags: '-a -l', values: { word: '-n -p -s -w', write: '-e -f' }, operands: ['command'] },
  fakeroot: { ...passing, flags: '-u -h', values: { unread: '-l -f -s -i -b' }, operands: ['command'] },
  chroot: {
    ...acting,
    flags: '--skip-chdir',
    values: { word: '--userspec --groups' },
    operands: ['word', 'command?'],
  },
  unshare: { ...acting, flags: '-c -C -f -i -m -n -p -r -T -u -U', operands: ['command?'] },
  nsenter: {
    ...acting,
    flags: '-a -C -i -m -n -p -r -T -u -U -w -F -Z',
    values: { word: '-t -S -G --target' },
    operands: ['command?'],
  },
  strace: {
    ...acting,
    flags: '-c -C -d -D -f -F -h -i -k -q -r -t -T -v -V -w -x -X -y -z -Z',
    values: { word: '-a -b -e -I -O -P -s -S -u -U', write: '-o', unread: '-E -p' },
    operands: ['command'],
  },
  ltrace: {
    ...acting,
    flags: '-b -c -C -f -h -i -L -r -S -t -T -V',
    values: { word: '-a -A -D -e -n -p -s -u -x', write: '-o', unread: '-F -l' },
    operands: ['command'],
  },
  'doas pkexec': { ...acting, flags: '-n -s -L', values: { word: '-u --user', unread: '-C' }, operands: ['command?'] },
  sudo: {
    ...acting,
    flags:
      '-A -b -B -E -e -H -i -K -k -l -n -P -S -s -V -v -N --askpass --background --edit --set-home --login --remove-timestamp --reset-timestamp --list --non-interactive --preserve-groups --stdin --shell --validate',
    values: {
      word: '-C -g -h -p -r -t -T -u -U --close-from --group --host --prompt --role --type --command-timeout --user --other-user',
      folder: '-D --chdir',
      unread: '-R --chroot',
    },
    attached: { word: '--preserve-env' },
    assigns: true,
    operands: ['command?'],
  },
  'torsocks rlwrap': { ...acting, operands: ['command'] },
  'proxychains proxychains4': { ...acting, flags: '-q', values: { read: '-f' }, operands: ['command'] },
  'su runuser': su,
  script: {
    does: 'write',
    flags: '-a -e -f -q --append --return --flush --quiet',
    values: {
      line: '-c --command',
      write: '-B -I -O -T --log-io --log-in --log-out --log-timing',
      word: '-E -m -o --echo --logging-format --output-limit',
    },
    attached: { write: '-t --timing' },
    operands: ['write?'],
    here: 'write',
  },
  'xargs gxargs': {
    ...passing,
    flags: '-0 -o -p -r -t -x --null --open-tty --interactive --no-run-if-empty --verbose --exit --show-limits',
    values: {
      read: '-a --arg-file',
      text: '-d -E --delimiter',
      number: '-L -n -P -s --max-args --max-procs --max-chars',
      mark: '-I -J',
      unread: '-R -S --process-slot-var',
    },
    attached: { mark: '-i --replace', text: '-e --eof', number: '-l --max-lines' },
    operands: ['command?'],
  },
  'parallel sem': {
    ...passing,
    values: { word: '-j -a -I -S -N -L -P --jobs --arg-file' },
    operands: ['word*'],
  },
  watch: {
    ...passing,
    flags:
      '-b -c -C -d -e -g -p -t -w -x --beep --color --no-color --differences --errexit --chgexit --precise --no-title --no-wrap --exec',
    values: { number: '-n -q --interval --equexit' },
    operands: ['word+'],
  },
  ssh: {
    ...acting,
    flags: '-4 -6 -A -a -C -f -G -g -K -k -M -N -n -q -s -T -t -V -v -X -x -Y -y',
    values: { word: '-B -b -c -D -e -i -J -L -l -m -O -p -Q -R -W -w -E', unread: '-F -I -S', setting: '-o' },
    operands: ['word', 'word*'],
  },
  'at batch': {
    ...acting,
    syntax: 'anywhere',
    flags: '-b -c -d -l -m -M -r -v -V',
    values: { word: '-q -t', unread: '-f' },
    operands: ['word*'],
  },
  crontab: { ...acting, syntax: 'anywhere', flags: '-e -l -r -i', values: { word: '-u' }, operands: ['word*'] },
} as const satisfies Family;
