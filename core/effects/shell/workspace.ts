/** Makes absolute paths in the caller's workspace relative to it [effects.profiles]. */
import { posix } from 'node:path';
import { folders } from '#core/catalog/file-names.ts';
import { isOfKind } from '#core/catalog/program-kind.ts';
import { takingPaths } from '#core/catalog/program-words.ts';
import { wordSet } from '#core/kernel/word-set.ts';
import type { Arg } from './words.ts';

const systemFolders = wordSet(folders.system);

/**
 * Returns the workspace folder, or undefined for a system folder or anything that is not a normalised absolute path.
 */
export function workspaceOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 4096 || /[\0\n]/.test(value)) return undefined;
  if (value === '/' || systemFolders.has(value.split('/')[1]!)) return undefined;
  return value.startsWith('/') && posix.normalize(value) === value && !value.endsWith('/') ? value : undefined;
}

/**
 * Returns the words of a command with paths relative to one folder of the workspace. Paths that leave the workspace
 * through `..` are unchanged. If the folder is not known, all words are left unchanged.
 */
export function relativeWords(
  binary: string,
  args: readonly Arg[],
  { workspace, cwds }: { readonly workspace: string | undefined; readonly cwds: readonly string[] },
): readonly Arg[] {
  const [cwd] = cwds;
  if (workspace === undefined || cwd === undefined || cwds.length !== 1 || /^(?:[/~]|\.\.)/.test(cwd)) return args;
  if (!isOfKind(binary, takingPaths)) return args;
  return args.map((arg) => {
    const inside = arg.text === workspace || arg.text.startsWith(`${workspace}/`);
    if (!inside || !arg.known || arg.text.split('/').includes('..')) return arg;
    const text = posix.relative(posix.join('/', cwd), `/${arg.text.slice(workspace.length)}`) || '.';
    // A path with a leading `..` would be blocked, while an absolute one is reviewed.
    if (text.startsWith('..')) return arg;
    return { ...arg, text: text.startsWith('-') || text.startsWith('~') ? `./${text}` : text };
  });
}
