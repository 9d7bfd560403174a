/** A character as a reader sees it: in lower case, and Latin if it only looks Latin; 0 for an invisible character. */
import { astralFolds, astralLetters, folds, letters } from './tables';

export function foldCode(code: i32): i32 {
  if (code < 0x80) return code >= 0x41 && code <= 0x5a ? code + 32 : code;
  if (code < 0x10000) return folded(letters, folds, code, code);
  if (code < 0x20000) return folded(astralLetters, astralFolds, code - 0x10000, 0xfffd);
  // Tag characters repeat ASCII invisibly.
  if (code >= 0xe0020 && code <= 0xe007e) return foldCode(code - 0xe0000);
  return code >= 0xe0000 && code <= 0xe0fff ? 0 : 0xfffd;
}

/** Looks a letter up in a sorted list. */
function folded(from: string, to: string, code: i32, other: i32): i32 {
  let low = 0;
  let high = from.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const letter = from.charCodeAt(middle);
    if (letter === code) return to.charCodeAt(middle);
    if (letter < code) low = middle + 1;
    else high = middle - 1;
  }
  return other;
}
