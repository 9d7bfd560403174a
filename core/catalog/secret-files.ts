/** Globs for files with keys and credentials, from `secret-files.yaml`, for `isSecretPath` in `core/text`. */
import type { SecretFiles } from '#core/contracts/catalog.ts';
import { secretFilesData } from './data.ts';

type FileList = keyof SecretFiles;

export const secretFileLists = Object.keys(secretFilesData) as readonly FileList[];

/** Returns the globs of a list, which apply to whole paths. */
export function fileGlobs(list: FileList): { readonly globs: readonly string[]; readonly except: readonly string[] } {
  const { names, paths, except } = secretFilesData[list];
  return { globs: names.length === 0 ? paths : [inEveryFolder(names), ...paths], except };
}

/** Returns a glob that matches names in any folder, including folder contents and copies such as `.netrc.bak`. */
const inEveryFolder = (names: readonly string[]): string => `{**/,}{${names.join(',')}}{,[!A-Za-z0-9_]**,/**}`;
