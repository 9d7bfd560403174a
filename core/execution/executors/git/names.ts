/** Schemas for names inside a repository that host and policy interpret in the same way. */
import * as z from 'zod';

/** A branch, given by its plain name only, since `refs/heads/main` and `main` would refer to the same branch. */
export const branch = z
  .string()
  .max(250)
  .refine(isPlainBranch, 'a branch by its plain name, such as main or feature/one');

function isPlainBranch(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Git forbids them
  if (name === '' || /[\u0000-\u0020\u007f~^:?*[\\%]|@\{|\.\.|\/\/|\/\./.test(name)) return false;
  if (/^(?:[-/.+@]|refs\/|heads\/)|(?:\/|\.|\.lock)$/.test(name)) return false;
  return name !== 'HEAD' && name.isWellFormed();
}

/** A branch, tag or commit to read from. */
export const ref = z.union([branch, z.string().regex(/^[0-9a-f]{40}$/)]);

export const sha = z.string().regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/, 'a whole commit or blob id in lower-case hex');

/** A path below the repository's root, without `.` and `..`. */
export const path = z.string().max(4096).refine(isPlainPath, 'a path such as src/main.ts, without "." or ".."');

function isPlainPath(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are invisible
  if (/[\u0000-\u001f\u007f\\]|%[0-9a-f]{2}/i.test(text) || !text.isWellFormed()) return false;
  return text.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..');
}

export const encodePath = (name: string): string => name.split('/').map(encodeURIComponent).join('/');
