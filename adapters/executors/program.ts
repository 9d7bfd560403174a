/** Resolves a program and its working directory to absolute paths inside the configured folders, following links. */
import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { callRefused } from '#core/execution/executors/fault.ts';

/** Search path for programs, also passed to them as PATH. */
export const programPath = '/usr/local/bin:/usr/bin:/bin';

/** Returns the path of a program. @throws ExecutionFault `refused` if there is no such executable. */
export async function programAt(name: string, path: string): Promise<string> {
  if (name.includes('/') || name === '' || name.startsWith('.'))
    throw callRefused(`${name} is not a plain program name`);
  for (const folder of path.split(':')) {
    const found = join(folder, name);
    if (await isProgram(found)) return found;
  }
  throw callRefused(`program ${name} is not installed`, `The search path is ${path}.`);
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** Resolves a folder, following links. @throws ExecutionFault `refused` if it does not exist or is outside the root. */
export async function folderIn(root: string, cwd = '.'): Promise<string> {
  if (isAbsolute(cwd) && !isInside(root, cwd))
    throw callRefused(`working directory ${cwd} is outside the configured one`);
  const base = await realFolder(root);
  const wanted = isAbsolute(cwd) ? join(base, relative(root, cwd)) : join(base, cwd);
  const folder = await realFolder(wanted).catch(() => {
    throw callRefused(`working directory ${cwd} is not a folder`);
  });
  if (isInside(base, folder)) return folder;
  throw callRefused(`working directory ${cwd} is outside the configured one`);
}

async function realFolder(path: string): Promise<string> {
  const folder = await realpath(path).catch(() => undefined);
  if (folder !== undefined && (await stat(folder)).isDirectory()) return folder;
  throw callRefused(
    'the configured working directory does not exist',
    'Have an operator create it or configure another one.',
  );
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '' || (way !== '..' && !way.startsWith('../') && !isAbsolute(way));
}
