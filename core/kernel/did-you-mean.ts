/** Suggests a known word in messages about unknown keys and names [config.unknown-keys]. */
import { distance } from 'fastest-levenshtein';

/** Returns the number of letters that may differ: one in three, up to a maximum of three. */
const maxEdits = (word: string): number => Math.min(3, Math.floor(word.length / 3));

/** Counts the edits between two words. Swapping two letters counts as one edit. */
function editsBetween(a: string, b: string): number {
  const edits = distance(a, b);
  return edits === 2 && [...a].sort().join('') === [...b].sort().join('') ? 1 : edits;
}

/**
 * Returns the closest known word, ignoring case. If there is none, returns the only longer word that contains all parts
 * of the given one, or undefined.
 */
export function nearestWord(word: string, known: readonly string[]): string | undefined {
  const folded = word.toLowerCase();
  let best: { readonly name: string; readonly edits: number } | undefined;
  for (const name of known) {
    const edits = editsBetween(folded, name.toLowerCase());
    if (edits <= maxEdits(word) && (best === undefined || edits < best.edits)) best = { name, edits };
  }
  return best?.name ?? onlyLonger(folded, known);
}

/** Finds `bot_token_env` for `token_env`. */
function onlyLonger(word: string, known: readonly string[]): string | undefined {
  const parts = word.split(/[_-]/);
  const longer = known.filter((name) => {
    const own = name.toLowerCase().split(/[_-]/);
    return own.length > parts.length && parts.every((part) => own.includes(part));
  });
  return word.length > 3 && longer.length === 1 ? longer[0] : undefined;
}

/** Returns `; did you mean "x"?`, or an empty string. */
export function didYouMean(word: string, known: readonly string[]): string {
  const name = nearestWord(word, known);
  return name === undefined || name === word ? '' : `; did you mean ${JSON.stringify(name)}?`;
}
