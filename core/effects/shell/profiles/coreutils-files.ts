/** Programs that list, make, move and delete files. */
import type { Family, Profile } from './profile.ts';

const mode = {
  does: 'write',
  flags:
    '-c -f -h -H -L -P -R -v --changes --silent --quiet --verbose --recursive --dereference --no-dereference --preserve-root --no-preserve-root',
  values: { read: '--reference', text: '--from' },
  operands: ['text', 'write+'],
  instead: [{ with: '--reference', operands: ['write+'] }],
} as const satisfies Profile;

const backup = {
  values: { text: '-S --suffix', write: '-t --target-directory' },
  attached: { word: '--backup' },
} as const;

export const filePrograms = {
  'ls dir vdir': {
    does: 'read',
    showsNames: {},
    flags: `-1 -a -A -b -B -c -C -d -D -f -F -g -G -h -H -i -k -l -L -m -n -N -o -p -q -Q -r -R -s -S -t -u -U -v -x -X -Z --all
      --almost-all --author --escape --ignore-backups --directory --dired --no-group --human-readable --si --dereference
      --dereference-command-line --dereference-command-line-symlink-to-dir --inode --kibibytes --numeric-uid-gid --literal
      --hide-control-chars --show-control-chars --quote-name --reverse --recursive --size --context --full-time --zero
      --group-directories-first --file-type`,
    values: {
      text: '-I --hide --ignore',
      number: '-w -T --width --tabsize',
      word: '--block-size --format --indicator-style --quoting-style --sort --time --time-style',
    },
    attached: { word: '--classify --color --hyperlink' },
    operands: ['names*'],
    here: 'names',
  },
  tree: {
    does: 'read',
    // These read patterns and remarks from files.
    showsNames: { unless: '--info --gitignore' },
    syntax: 'anywhere',
    exact: true,
    flags: `-a -A -C -d -D -f -F -g -h -i -J -l -n -N -p -q -Q -r -s -S -t -u -U -v -x -X -c --dirsfirst --filesfirst --noreport --gitignore
      --matchdirs --ignore-case --prune --inodes --device --si --du --info --metafirst --noicase --nolinks --fflinks`,
    values: {
      number: '-L --filelimit',
      text: '-I -P --timefmt',
      word: '-H -T --charset --sort',
      read: '--gitfile --infofile',
      write: '-o',
    },
    refused: '-R --fromfile --fromtabfile',
    operands: ['names*'],
    here: 'names',
  },
  du: {
    does: 'read',
    showsNames: {},
    flags: `-0 -a -b -c -D -h -H -k -l -L -m -P -s -S -x --null --all --apparent-size --bytes --total --dereference-args --human-readable
      --inodes --count-links --dereference --no-dereference --separate-dirs --si --summarize --one-file-system`,
    values: {
      number: '-d -t --max-depth --threshold',
      text: '--exclude',
      word: '-B --block-size --time-style',
      read: '-X --exclude-from',
      unread: '--files0-from',
    },
    attached: { word: '--time' },
    operands: ['names*'],
    here: 'names',
  },
  df: {
    does: 'read',
    flags:
      '-a -h -H -i -k -l -m -P -T -v --all --human-readable --si --inodes --local --no-sync --sync --portability --total --print-type',
    values: { word: '-B --block-size -t -x --type --exclude-type' },
    attached: { word: '--output' },
    operands: ['names*'],
  },
  stat: {
    does: 'read',
    showsNames: {},
    // `-f`: of file systems (GNU), or a format follows (BSD); either way only names are looked at.
    flags: '-f -L -t -x -l -n -q -r -s --dereference --file-system --terse',
    values: { text: '-c --format --printf', word: '--cached' },
    operands: ['names+'],
  },
  file: {
    does: 'read',
    flags:
      '-0 -b -E -h -i -I -k -L -l -n -N -r -v -d --print0 --brief --dereference --no-dereference --extension --keep-going --list --mime --mime-type --mime-encoding --apple --no-buffer --no-pad --raw --debug --checking-printout -c',
    values: {
      text: '-e -F --exclude --exclude-quiet --separator',
      word: '-P --parameter',
      unread: '-f -m --files-from --magic-file',
    },
    refused:
      '-C -p -s -S -z -Z --compile --preserve-date --special-files --no-sandbox --uncompress --uncompress-noreport',
    operands: ['read+'],
  },
  readlink: {
    does: 'read',
    showsNames: {},
    flags:
      '-e -f -m -n -q -s -v -z --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose --zero',
    operands: ['names+'],
  },
  'realpath grealpath': {
    does: 'read',
    showsNames: {},
    flags:
      '-e -L -m -P -q -s -z --canonicalize-existing --canonicalize-missing --logical --physical --quiet --strip --no-symlinks --zero',
    values: { names: '--relative-to --relative-base' },
    operands: ['names+'],
  },
  touch: {
    does: 'write',
    flags: '-a -c -f -h -m --no-create --no-dereference',
    values: { read: '-r --reference', text: '-d -t --date --time' },
    operands: ['write+'],
  },
  mkdir: {
    does: 'write',
    flags: '-p -v -Z --parents --verbose',
    values: { word: '-m --mode' },
    attached: { word: '--context' },
    operands: ['write+'],
  },
  mkfifo: {
    does: 'write',
    flags: '-Z',
    values: { word: '-m --mode' },
    attached: { word: '--context' },
    operands: ['write+'],
  },
  mknod: {
    does: 'write',
    flags: '-Z',
    values: { word: '-m --mode' },
    operands: ['write', 'word', 'number?', 'number?'],
  },
  tee: {
    does: 'write',
    flags: '-a -i -p --append --ignore-interrupts',
    attached: { word: '--output-error' },
    operands: ['write*'],
  },
  truncate: {
    does: 'write',
    flags: '-c -o --no-create --io-blocks',
    values: { read: '-r --reference', word: '-s --size' },
    operands: ['write+'],
  },
  chmod: mode,
  'chown chgrp': mode,
  chattr: { does: 'write', flags: '-R -V -f', values: { word: '-v -p' }, operands: ['text', 'write+'] },
  cp: {
    does: 'read',
    flags: `-a -b -d -f -H -i -l -L -n -p -P -r -R -s -T -u -v -x -Z --archive --attributes-only --copy-contents --force --interactive
      --link --dereference --no-clobber --no-dereference --parents --recursive --remove-destination --strip-trailing-slashes
      --symbolic-link --no-target-directory --verbose --one-file-system`,
    ...backup,
    attached: { word: '--backup --context --preserve --reflink --update' },
    values: { ...backup.values, word: '--no-preserve --sparse' },
    operands: ['read+', 'write'],
    instead: [{ with: '-t --target-directory', operands: ['read+'] }],
    below: { when: '-a -r -R --archive --recursive', reach: 'everything' },
  },
  mv: {
    does: 'write',
    flags:
      '-b -f -i -n -T -u -v -Z --force --interactive --no-clobber --no-target-directory --strip-trailing-slashes --verbose --context',
    ...backup,
    attached: { word: '--backup --update' },
    operands: ['write+', 'write'],
    instead: [{ with: '-t --target-directory', operands: ['write+'] }],
  },
  ln: {
    does: 'write',
    flags:
      '-b -d -f -F -h -i -L -n -P -r -s -T -v --directory --force --interactive --logical --no-dereference --physical --relative --symbolic --no-target-directory --verbose',
    ...backup,
    operands: ['read', 'write'],
    instead: [{ with: '-t --target-directory', operands: ['read+'] }],
  },
  install: {
    does: 'write',
    flags:
      '-b -c -C -D -p -s -T -v -Z --compare --preserve-timestamps --no-target-directory --verbose --preserve-context',
    values: { ...backup.values, word: '-g -m -o --group --mode --owner', unread: '--strip-program' },
    attached: { word: '--backup --context' },
    refused: '--strip',
    changes: { write: '-d --directory' },
    operands: ['read+', 'write'],
    instead: [
      { with: '-d --directory', operands: ['write+'] },
      { with: '-t --target-directory', operands: ['read+'] },
    ],
  },
  rm: {
    does: 'delete',
    flags: '-d -f -i -I -P -r -R -v -W -x --dir --force --no-preserve-root --one-file-system --recursive --verbose',
    attached: { word: '--interactive --preserve-root' },
    operands: ['delete*'],
  },
  rmdir: { does: 'delete', flags: '-p -v --ignore-fail-on-non-empty --parents --verbose', operands: ['delete+'] },
  unlink: { does: 'delete', operands: ['delete'] },
  shred: {
    does: 'delete',
    flags: '-f -u -v -x -z --force --verbose --exact --zero',
    values: { number: '-n -s --iterations --size', read: '--random-source' },
    attached: { word: '--remove' },
    operands: ['delete+'],
  },
  'srm wipe': { does: 'delete', flags: '-d -D -f -i -l -m -q -r -R -s -v -z', operands: ['delete+'] },
  'split csplit': {
    does: 'write',
    flags:
      '-d -e -u -x -k -s -q -z --verbose --elide-empty-files --unbuffered --keep-files --quiet --silent --suppress-matched',
    values: {
      number: '-a -b -C -l --suffix-length --bytes --line-bytes --lines --additional-suffix --digits',
      word: '-n -t -f --number --separator --prefix --suffix-format',
      unread: '--filter',
    },
    attached: { number: '--numeric-suffixes --hex-suffixes' },
    digits: true,
    operands: ['read?', 'write*'],
    here: 'write',
  },
} as const satisfies Family;
