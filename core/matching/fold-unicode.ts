/** Folds Unicode so that what reads alike compares alike (policies match what a human sees). */
import { confusables } from './confusables.ts';

const outsideAscii = /[\u0080-\uffff]/;
const invisible = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;
/** Marks NFKC could not compose with an ASCII character only decorate or enclose it. */
const decoration = /([!-~])[\p{Mn}\p{Me}]+/gu;
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
  const visible = text.normalize('NFKC').replace(invisible, '').replace(decoration, '$1');
  if (isAscii(visible)) return visible;
  let folded = '';
  for (const char of visible) folded += confusables.get(char) ?? char;
  return folded;
}
