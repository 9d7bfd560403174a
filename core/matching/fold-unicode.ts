/** Folds Unicode so that what reads alike compares alike (policies match what a human sees). */
import { confusables } from './confusables.ts';

const outsideAscii = /[\u0080-\uffff]/;
const invisible = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;
/** Marks NFKC could not compose with an ASCII character only decorate or enclose it. */
const decoration = /([!-~])[\p{Mn}\p{Me}]+/gu;
/** Letters in circles, squares and flags that NFKC leaves alone: each of these runs is A to Z. */
const enclosedRuns = [0x1f150, 0x1f170, 0x1f1e6] as const;
const enclosed = /[\u{1f150}-\u{1f169}\u{1f170}-\u{1f189}\u{1f1e6}-\u{1f1ff}]/gu;

export const isAscii = (text: string): boolean => !outsideAscii.test(text);

/** NFKC, invisible characters removed, look-alikes folded to ASCII; the identity on ASCII. */
export function foldUnicode(text: string): string {
  if (isAscii(text)) return text;
  // Removing an invisible character may let its neighbours compose, and a fold may yield a new pair.
  let folded = text;
  for (let round = 0; round < 4; round++) {
    const next = foldOnce(folded);
    if (next === folded) break;
    folded = next;
  }
  return folded;
}

/** Lower case that is stable under folding: for the names of protocols, tools, capabilities and hosts. */
export const foldCase = (text: string): string =>
  isAscii(text) ? text.toLowerCase() : foldUnicode(text.toLowerCase());

function foldOnce(text: string): string {
  const plain = text.normalize('NFKC').replace(invisible, '');
  // All enclosed letters begin with this surrogate: most texts have none.
  const visible = (plain.includes('\ud83c') ? plain.replace(enclosed, letterOf) : plain).replace(decoration, '$1');
  if (isAscii(visible)) return visible;
  let folded = '';
  for (const char of visible) folded += confusables.get(char) ?? char;
  return folded;
}

function letterOf(char: string): string {
  const code = char.codePointAt(0) as number;
  const first = enclosedRuns.find((run) => code >= run && code < run + 26) ?? code;
  return String.fromCharCode(0x41 + code - first);
}
