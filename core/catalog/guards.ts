/** Guards that packs use by name, from the lists in `secret-files.yaml` and from `guards.yaml`. */
import type { SecretFiles } from '#core/contracts/catalog.ts';
import type { CatalogGuard } from '#core/contracts/guard-names.ts';
import type { ToolGuard } from '#core/contracts/tool-policy.ts';
import { guardsData, secretFilesData } from './data.ts';
import { fileGlobs } from './secret-files.ts';

/** Returns the entries of a guard. */
export const catalogGuard = (name: CatalogGuard): readonly ToolGuard[] =>
  isFileList(name) ? [fileGuard(name)] : guardsData.filter((guard) => guard.name === name);

const isFileList = (name: string): name is keyof SecretFiles => Object.hasOwn(secretFilesData, name);

/** Returns the guard for a file list. Lists `shell` separately, because any part of a command line may be a path. */
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
