/** Programs that print words, count, or describe the system. */
import type { Family } from './profile.ts';

export const systemPrograms = {
  echo: { does: 'read', syntax: 'none', operands: ['text*'] },
  printf: { does: 'read', syntax: 'stops', values: { unread: '-v' }, operands: ['text+'] },
  expr: { does: 'read', syntax: 'none', operands: ['text+'] },
  seq: {
    does: 'read',
    syntax: 'stops',
    flags: '-w --equal-width',
    values: { text: '-f -s -t --format --separator' },
    digits: true,
    operands: ['text', 'text?', 'text?'],
  },
  basename: {
    does: 'read',
    syntax: 'stops',
    flags: '-a -z --multiple --zero',
    values: { text: '-s --suffix' },
    operands: ['text', 'text?'],
    instead: [{ with: '-a --multiple -s --suffix', operands: ['text+'] }],
  },
  dirname: { does: 'read', flags: '-z --zero', operands: ['text+'] },
  pwd: { does: 'read', flags: '-L -P --logical --physical', operands: [] },
  sleep: { does: 'read', operands: ['text+'] },
  yes: { does: 'read', operands: ['text*'] },
  date: {
    does: 'read',
    flags: '-j -n -R -u --debug --rfc-email --rfc-822 --rfc-2822 --resolution --universal --utc --uct',
    // GNU `-d` is a time, BSD sets daylight saving; neither touches a file.
    values: { text: '-d -v -s --date --set', read: '-r --reference --file', word: '--rfc-3339', unread: '-f -z' },
    attached: { word: '-I --iso-8601' },
    changes: { write: '-s --set' },
    // Without the plus it sets the clock.
    plus: 'required',
    operands: ['text?'],
  },
  'whoami tty logname nproc arch uptime users groups hostid': {
    does: 'read',
    flags: '-p -s --all --pretty --since --quiet --silent',
    values: { number: '--ignore' },
    operands: ['text?'],
  },
  id: {
    does: 'read',
    flags: '-a -A -c -F -g -G -n -p -P -r -u -z -Z --context --group --groups --name --real --user --zero',
    operands: ['text*'],
  },
  uname: {
    does: 'read',
    flags:
      '-a -i -m -n -o -p -r -s -v --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor --hardware-platform --operating-system',
    operands: [],
  },
  hostname: {
    does: 'read',
    flags: '-a -A -d -f -i -I -s -y --alias --all-fqdns --all-ip-addresses --domain --fqdn --ip-address --long --short',
    refused: '-F --file',
    operands: [],
  },
  ps: {
    does: 'read',
    flags: '-A -a -d -e -f -F -H -j -l -L -M -r -w -x -y',
    values: { word: '-o -p -u -C' },
    operands: [],
  },
  free: {
    does: 'read',
    flags: '-b -h -k -l -m -g -t -v -w --bytes --human --kilo --mega --giga --total --wide --si',
    values: { number: '-c -s --count --seconds' },
    operands: [],
  },
  printenv: { does: 'read', flags: '-0 --null', operands: ['text+'] },
} as const satisfies Family;
