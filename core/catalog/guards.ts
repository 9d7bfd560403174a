/** Guards that packs refer to by name: the lists of `secret-files.yaml`, and `guards.yaml`. */
import type { SecretFiles } from '#core/contracts/catalog.ts';
import type { CatalogGuard, ToolGuard } from '#core/contracts/tool-policy.ts';
import { guardsData, secretFilesData } from './data.ts';
import { fileGlobs } from './secret-files.ts';

/** Returns the entries of a guard. */
export const catalogGuard = (name: CatalogGuard): readonly ToolGuard[] =>
  isFileList(name) ? [fileGuard(name)] : guardsData.filter((guard) => guard.name === name);

const isFileList = (name: string): name is keyof SecretFiles => Object.hasOwn(secretFilesData, name);

/** In a command line every text may be a path, so `shell` has an entry of its own. */
function fileGuard(name: keyof SecretFiles): ToolGuard {
  const { globs, except } = fileGlobs(name);
  const { reason, contents } = secretFilesData[name];
  return {
    name,
    protocols: ['*', 'shell'],
    paths: [...globs],
    ...(except.length > 0 && { except: [...except] }),
    ...(contents && { contents }),
    reason,
  };
}
