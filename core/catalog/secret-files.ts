/** Lists of files that hold keys and credentials, from `secret-files.yaml`, as globs. `isSecretPath` of `core/text` matches them. */
import type { SecretFileList, SecretFiles, Undescribed } from '#core/contracts/catalog.ts';
import { secretFilesData } from './data.ts';

interface FileGlobs {
  readonly globs: readonly string[];
  readonly except: readonly string[];
}

/** Returns the globs of a list. */
export const fileGlobs = (list: keyof SecretFiles): FileGlobs => globsOf(secretFilesData[list]);

export const secretFileLists = Object.keys(secretFilesData) as readonly (keyof SecretFiles)[];

function globsOf({ files, except = [] }: Undescribed<SecretFileList>): FileGlobs {
  const globs = files.flatMap(({ names, paths = [] }) => (names ? [inEveryFolder(names), ...paths] : paths));
  return { globs, except };
}

/** Names with their contents, and copies such as `.netrc.bak`. */
const inEveryFolder = (names: readonly string[]): string =>
  `{**/,}${names.length === 1 ? names[0] : `{${names.join(',')}}`}{,[!A-Za-z0-9_]**,/**}`;
