/**
 * File names for ids that callers choose: short enough for every file system, and distinct even if the file system
 * ignores case.
 */
import { sha256 } from '#core/kernel/canonical.ts';

/** Ids that are used as file names unchanged. */
const plainName = /^[a-z0-9][a-z0-9_-]{0,127}$/;
/** For any other id, the number of characters that precede the digest. Plain names contain no dot. */
const shownCharacters = 60;

/** Returns at most 128 characters from `[a-z0-9._-]`: the id itself, or the beginning of the id and its SHA-256. */
export function fileNameOf(id: string): string {
  if (plainName.test(id)) return id;
  const shown = id
    .slice(0, shownCharacters)
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]/g, '_');
  return `${shown}.${sha256(id)}`;
}
