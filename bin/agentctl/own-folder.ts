/**
 * Checks that a state folder that was found, rather than named, is the user's own [cli.own-folder]. Cloned repositories
 * and unpacked archives can contain such folders, whose files specify addresses and keys.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, realpathSync, type Stats } from 'node:fs';
import { basename, dirname, join, parse } from 'node:path';

/** Returns why an existing folder is rejected and what to do about it, or undefined if it may be used. */
export function folderTrouble(folder: string): string | undefined {
  if (process.getuid === undefined) return 'this system does not report its owner';
  const real = join(realpathSync.native(dirname(folder)), basename(folder));
  const found = lstatSync(folder);
  // The case differs: the file system ignores it, but Git may track the folder under its own spelling.
  if (found.isSymbolicLink() || realpathSync.native(folder) !== real)
    return 'it is a link; name the folder that it points to';
  if (!found.isDirectory()) return 'it is not a folder';
  return privacyTrouble(found, folder, '700') ?? trackedTrouble(real);
}

/** Returns why a file in such a folder is rejected, or undefined if it is private or absent. */
export function ownFileTrouble(file: string): string | undefined {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (!found.isFile()) return `${basename(file)} is not a regular file`;
  return privacyTrouble(found, file, '600');
}

function privacyTrouble({ uid, mode }: Stats, path: string, wanted: string): string | undefined {
  if (uid !== process.getuid?.()) return `${path} belongs to another user`;
  if ((mode & 0o077) === 0) return undefined;
  return `other users have access to ${path} (mode ${(mode & 0o777).toString(8)}); if you made it, run: chmod ${wanted} ${path}`;
}

/**
 * Returns why a folder tracked by Git is rejected. The mode is not sufficient: Git does not set modes, so a clone under
 * umask 077 is private too.
 */
function trackedTrouble(folder: string): string | undefined {
  if (!isBelowGit(folder)) return undefined;
  // Prevents repository settings from starting programs: https://git-scm.com/docs/git-config, core.fsmonitor.
  const settings = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'];
  const asked = ['ls-files', '-z', '--', basename(folder)];
  const { HOME, PATH, XDG_CONFIG_HOME } = process.env;
  const { status, stdout, stderr, error } = spawnSync(
    'git',
    ['--no-pager', '--literal-pathspecs', ...settings, '-C', dirname(folder), ...asked],
    {
      cwd: parse(folder).root,
      env: { HOME, PATH, XDG_CONFIG_HOME, LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0' },
      encoding: 'utf8',
      timeout: 10_000,
    },
  );
  if (status !== 0)
    return `Git cannot report whether it tracks the folder (${(error?.message ?? stderr).trim().split('\n')[0]})`;
  return stdout === '' ? undefined : 'Git tracks it, so it may have come with the repository';
}

function isBelowGit(folder: string): boolean {
  const above = dirname(folder);
  return existsSync(join(above, '.git')) || (above !== dirname(above) && isBelowGit(above));
}
