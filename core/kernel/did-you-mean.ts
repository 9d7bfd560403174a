/** The word that was probably meant, for messages about unknown keys and names [config.did-you-mean]. */
import { distance } from 'fastest-levenshtein';

/** Letters that may differ, by the length of the word: one in three, at most three. */
const maxEdits = (word: string): number => Math.min(3, Math.floor(word.length / 3));

/** Two letters that changed places are one edit. */
function editsBetween(a: string, b: string): number {
  const edits = distance(a, b);
  return edits === 2 && [...a].sort().join('') === [...b].sort().join('') ? 1 : edits;
}

/** The known word that differs least, without regard to case, or the only longer one that has all of its parts; undefined when none is near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const folded = word.toLowerCase();
  let best: { readonly name: string; readonly edits: number } | undefined;
  for (const name of known) {
    const edits = editsBetween(folded, name.toLowerCase());
    if (edits <= maxEdits(word) && (best === undefined || edits < best.edits)) best = { name, edits };
  }
  return best?.name ?? onlyLonger(folded, known);
}

/** `bot_token_env` for `token_env`. */
function onlyLonger(word: string, known: readonly string[]): string | undefined {
  const parts = word.split(/[_-]/);
  const longer = known.filter((name) => {
    const own = name.toLowerCase().split(/[_-]/);
    return own.length > parts.length && parts.every((part) => own.includes(part));
  });
  return word.length > 3 && longer.length === 1 ? longer[0] : undefined;
}

/** `; did you mean "x"?`, or nothing. */
export function didYouMean(word: string, known: readonly string[]): string {
  const name = nearest(word, known);
  return name === undefined || name === word ? '' : `; did you mean ${JSON.stringify(name)}?`;
}
