/** Programs that pack and unpack. */
import type { Family, Profile } from './profile.ts';

const zip = {
  does: 'write',
  flags:
    '-1 -2 -3 -4 -5 -6 -7 -8 -9 -a -f -k -n -N -q -r -v --ascii --fast --best --force --keep --name --no-name --quiet --recursive --verbose',
  changes: { read: '-c -l -t --stdout --to-stdout --list --test', write: '-d --decompress --uncompress -z --compress' },
  values: { word: '-S --suffix -T --threads -b' },
  operands: ['write*'],
} as const satisfies Profile;

export const archivePrograms = {
  'tar bsdtar gtar': {
    does: 'write',
    syntax: 'anywhere',
    flags: `-A -a -B -c -d -G -h -i -j -J -k -l -m -n -o -O -p -P -r -R -s -S -t -u -U -v -w -W -x -z -Z --append --auto-compress --absolute-names
      --bzip2 --catenate --concatenate --create --compare --diff --delete --dereference --exclude-vcs --exclude-vcs-ignores --exclude-backups --extract --get --gzip
      --keep-newer-files --keep-old-files --list --no-recursion --no-same-owner --no-same-permissions --no-wildcards --numeric-owner --one-file-system
      --overwrite --preserve-permissions --recursion --same-owner --same-permissions --skip-old-files --sparse --to-stdout --totals --touch --ungzip --update
      --verbose --verify --wildcards --xz --zstd --lzma --lzip --sort`,
    values: {
      write: '-C --directory',
      read: '-T -X --files-from --exclude-from',
      text: '--exclude --transform --xform --label',
      word: '-b -g -H -K -L -N -V --format --mode --owner --group --mtime --strip-components --strip --newer --after-date --blocking-factor --listed-incremental',
      unread:
        '-F -I --checkpoint-action --to-command --use-compress-program --info-script --new-volume-script --rsh-command --rmt-command --checkpoint --warning-action',
      archive: '-f --file',
    },
    bundles: true,
    idle: true,
    operands: ['word*'],
  },
  'zip unzip zipinfo': {
    does: 'write',
    syntax: 'anywhere',
    flags:
      '-0 -1 -2 -3 -4 -5 -6 -7 -8 -9 -a -b -B -C -f -g -h -j -k -K -L -m -M -n -N -o -p -q -r -R -s -S -t -u -U -v -V -W -X -y -z -Z -: -^ -@',
    values: { write: '-d', text: '-x -i', word: '-P', unread: '-T --unzip-command' },
    changes: { read: '-l' },
    operands: ['write+'],
  },
  'gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd': zip,
  patch: {
    does: 'write',
    flags:
      '-b -c -e -E -f -l -n -N -R -s -t -T -u -v -Z --backup --batch --binary --dry-run --force --forward --ignore-whitespace --remove-empty-files --reverse --silent --quiet --unified --verbose',
    values: {
      number: '-p -F -g --strip --fuzz',
      word: '-B -D -V -Y -z --suffix --prefix',
      read: '-i --input',
      write: '-o -r -d --output --reject-file --directory',
    },
    operands: ['write?', 'read?'],
    here: 'write',
  },
  rsync: {
    does: 'write',
    syntax: 'anywhere',
    flags: `-0 -4 -6 -8 -a -A -b -c -C -d -D -E -g -h -H -i -I -k -K -l -L -m -n -N -o -O -p -P -q -r -R -s -S -t -u -U -v -W -x -X -y -z --archive --checksum --compress
      --dry-run --existing --force --human-readable --ignore-errors --ignore-existing --inplace --itemize-changes --links --list-only --no-perms --no-owner
      --no-group --no-times --numeric-ids --one-file-system --partial --perms --progress --prune-empty-dirs --quiet --recursive --relative --sparse --stats --times
      --update --verbose --whole-file`,
    values: {
      text: '-f --exclude --include --filter',
      word: '--bwlimit --chmod --chown --max-size --min-size --port --timeout --info --out-format',
      read: '--exclude-from --include-from --files-from --password-file',
      write: '-T --temp-dir --backup-dir --partial-dir --log-file',
      unread: '-e -M -B --rsh --rsync-path --remote-option --compare-dest --copy-dest --link-dest --daemon --config',
    },
    changes: {
      delete:
        '--delete --delete-after --delete-before --delete-during --delete-delay --delete-excluded --remove-source-files',
    },
    operands: ['read+', 'write'],
    below: { reach: 'everything' },
  },
  dd: { does: 'write', syntax: 'none', operands: ['word*'] },
} as const satisfies Family;
