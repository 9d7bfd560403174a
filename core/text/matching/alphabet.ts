/**
 * Chooses one character from each class of characters that all automata of a policy treat alike. This gives a small
 * alphabet with exact results.
 */
import type { Walker } from './automaton.ts';
import { foldUnicode } from './fold-unicode.ts';

const readable = [...'abcdefghijklmnopqrstuvwxyz0123456789-_/. '].map((char) => char.charCodeAt(0));
const longestScan = 4096;

/**
 * Returns the characters, the most readable ones first. Omits classes that cannot occur in normalised text, such as
 * look-alikes.
 */
export function alphabetOf(walkers: readonly Walker[]): number[] {
  const cuts = [...new Set(walkers.flatMap((walker) => walker.cuts))].sort((a, b) => a - b);
  const classOf = (code: number): string => walkers.map((walker) => walker.classOf(code)).join();
  const found = new Map<string, number>();
  for (const code of readable) if (!found.has(classOf(code))) found.set(classOf(code), code);
  cuts.forEach((from, i) => {
    const key = classOf(from);
    if (found.has(key)) return;
    const to = Math.min((cuts[i + 1] ?? 0x110000) - 1, from + longestScan);
    for (let code = from; code <= to; code++) {
      if (!isNormal(code)) continue;
      found.set(key, code);
      break;
    }
  });
  return [...found.values()];
}

/** Checks that normalisation never changes a character in any position. */
function isNormal(code: number): boolean {
  if (code < 0x80) return true;
  const char = String.fromCodePoint(code);
  return (
    char.isWellFormed() &&
    foldUnicode(char) === char &&
    char.toLowerCase() === char &&
    !/[\p{M}\p{Z}\p{Cc}\p{Cn}]/u.test(char)
  );
}
