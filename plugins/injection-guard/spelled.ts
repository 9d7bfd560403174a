/** Spaced-out letters: `i g n o r e a l l`, `i.g.n.o.r.e`. */
import { addressOf, char, count, hold } from './text';

const leastLetters: i32 = 4;
/** Longest gap between two letters: `t ,   p` ends a word and a clause. */
const mostBetween: i32 = 5;

/** Replaces the text in place with the words that are spelled out in it. @returns false if there are none. */
export function keepSpelled(): bool {
  let kept = 0;
  for (let from = 0; from < count(); ) {
    const sign = isLetter(from - 1) || !isLetter(from) ? 0 : char(from + 1);
    const end = isSign(sign) ? runEnd(from, sign) : 0;
    if (end === 0) {
      from++;
      continue;
    }
    for (let at = from; at < end; at++) {
      if (isLetter(at)) kept = keep(kept, char(at));
      else if (char(at) === 0x2c) kept = keep(kept, 0x2c);
      else if (!isLetter(at - 1) && isLetter(at + 1)) kept = keep(kept, 0x20);
    }
    kept = keep(keep(kept, 0x0a), 0x0a);
    from = end;
  }
  hold(kept);
  return kept > 0;
}

/** Returns the end of a run of single letters with the same sign between them; 0 if it has fewer than four letters. */
function runEnd(from: i32, sign: i32): i32 {
  let end = from + 1;
  let letters = 1;
  for (;;) {
    let next = end;
    while (char(next) === sign || char(next) === 0x20 || char(next) === 0x2c) next++;
    if (next === end || next - end > mostBetween || !isLetter(next) || isLetter(next + 1)) break;
    letters++;
    end = next + 1;
  }
  return letters >= leastLetters ? end : 0;
}

function keep(at: i32, code: i32): i32 {
  store<u16>(addressOf(at), <u16>code);
  return at + 1;
}

/** Matches space, full stop, hyphen, slash, asterisk, underscore and vertical bar. */
function isSign(code: i32): bool {
  return (code >= 0x2d && code <= 0x2f) || code === 0x20 || code === 0x2a || code === 0x5f || code === 0x7c;
}

function isLetter(at: i32): bool {
  const code = char(at);
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
}
