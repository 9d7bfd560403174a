/** Makes absolute paths in the caller's workspace relative to it [effects.profiles]. */
import { posix } from 'node:path';
import type { Arg } from './words.ts';

/**
 * Programs whose arguments with a leading `/` are paths, patterns or messages. In sed or awk, such arguments are
 * programs.
 */
const takesPaths = new Set(
  `ls tree du stat find cat head tail tac nl wc grep egrep fgrep rg diff cmp comm sort uniq cut file readlink realpath basename dirname
  md5sum sha1sum sha256sum mkdir touch cp mv rm rmdir ln cd chdir redirect git pytest py.test jest vitest mocha ruff mypy flake8 pylint eslint prettier tsc`.split(
    /\s+/,
  ),
);

/** Returns the folder. Returns undefined for system folders and for anything that is not a normalised absolute path. */
export function workspaceOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 4096 || /[\0\n]/.test(value)) return undefined;
  if (/^\/(?:$|(?:etc|proc|sys|dev|boot|bin|sbin|lib|run)(?:\/|$))/.test(value)) return undefined;
  return value.startsWith('/') && posix.normalize(value) === value && !value.endsWith('/') ? value : undefined;
}

/**
 * Returns the words of a command with paths relative to one folder of the workspace. Paths that leave it by `..` are
 * unchanged. If the folder is uncertain, all words are unchanged.
 */
export function relativeWords(
  binary: string,
  args: readonly Arg[],
  { workspace, cwds }: { readonly workspace: string | undefined; readonly cwds: readonly string[] },
): readonly Arg[] {
  const [cwd] = cwds;
  if (workspace === undefined || cwd === undefined || cwds.length !== 1 || /^(?:[/~]|\.\.)/.test(cwd)) return args;
  if (!takesPaths.has(binary)) return args;
  return args.map((arg) => {
    const inside = arg.text === workspace || arg.text.startsWith(`${workspace}/`);
    if (!inside || !arg.known || arg.text.split('/').includes('..')) return arg;
    const text = posix.relative(posix.join('/', cwd), `/${arg.text.slice(workspace.length)}`) || '.';
    // A path with a leading `..` would be blocked, while an absolute one is reviewed.
    if (text.startsWith('..')) return arg;
    return { ...arg, text: text.startsWith('-') || text.startsWith('~') ? `./${text}` : text };
  });
}
