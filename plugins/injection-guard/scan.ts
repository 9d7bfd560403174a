/** Reads a text word by word. One pass without backtracking, so the time grows with the length alone. */
import { basis, lists, mixed, slotOf } from '../shared/word-table';
import { isWordCode } from './fold';
import { begin, goOn, saw } from './rules';
import { char, charCount, standsAt } from './visible';
import { LINK, MARKER, markers, SECRET_PATH, secretFile, TOOL_NAME, unspaced } from './words';

const sentenceWords = 10;
const paragraphWords = 30;
const longestWord = 40;

/** @returns what the text does to a model; empty when it does nothing. */
export function scan(decoded: bool): string {
  begin(decoded);
  phrase = false;
  let verdict = '';
  for (let offset = 0; offset < charCount() && verdict.length === 0; ) {
    found = 0;
    offset = isWordCode(char(offset)) ? readWord(offset) : readMark(offset);
    if (found !== 0) verdict = saw(found);
    if (phrase) verdict = 'orders to ignore the instructions of the model, in a script without blanks';
  }
  return verdict;
}

/** Lists of what was read last. */
let found: u64 = 0;
let phrase = false;

function readWord(offset: i32): i32 {
  const apart = lettersApart(offset);
  if (apart > 0) return apart;
  let end = offset;
  let hash = basis;
  let asLetters = basis;
  let digits = 0;
  let joints = 0;
  for (let code = char(end); isWordCode(code) && end - offset < longestWord; code = char(++end)) {
    hash = mixed(hash, <u32>code);
    asLetters = mixed(asLetters, <u32>letterFor(code));
    if (code < 0x3a) digits++;
    else if (code === 0x5f) joints++;
  }
  goOn(1);
  const size = end - offset;
  if (char(offset) >= 0x3040) {
    phrase = isPhrase(offset, end);
    return end;
  }
  if (standsAt(offset, 'http') && standsAt(end, '://')) return readAddress(end);
  if (char(end) === 0x40 && isWordCode(char(end + 1))) found |= (<u64>1) << LINK;
  found |= lists[slotOf(hash)];
  if (digits > 0 && digits < size && size >= 4) found |= lists[slotOf(asLetters)];
  if (joints > 0 && found === 0 && digits + joints < size) found |= (<u64>1) << TOOL_NAME;
  if (found & secretFile) {
    found &= ~secretFile;
    if (isPath(offset) && !standsAt(end, '.pub')) found |= (<u64>1) << SECRET_PATH;
  }
  return end;
}

/** Of a path: `~/.ssh`, `.env`, `/etc/shadow`. */
function isPath(offset: i32): bool {
  const before = char(offset - 1);
  return before === 0x2f || (before === 0x2e && !isWordCode(char(offset - 2)));
}

function readAddress(from: i32): i32 {
  found |= (<u64>1) << LINK;
  let end = from;
  while (end < charCount() && char(end) > 0x20 && char(end) !== 0x22 && char(end) !== 0x29) end++;
  return end;
}

/** `1gn0re`. */
function letterFor(code: i32): i32 {
  switch (code) {
    case 0x30:
      return 0x6f;
    case 0x31:
      return 0x69;
    case 0x33:
      return 0x65;
    case 0x34:
      return 0x61;
    case 0x35:
      return 0x73;
    case 0x37:
      return 0x74;
    default:
      return code;
  }
}

/** `i g n o r e   a l l`, `i.g.n.o.r.e`: three single letters or more with the same sign between them; 0 where they do not stand. */
function lettersApart(offset: i32): i32 {
  const between = char(offset + 1);
  if (between !== 0x20 && between !== 0x2e && between !== 0x2d && between !== 0x2a && between !== 0x5f) return 0;
  let end = offset;
  let hash = basis;
  let letters = 0;
  for (; ; end += 2) {
    hash = mixed(hash, <u32>char(end));
    letters++;
    if (char(end + 1) !== between || !isWordCode(char(end + 2)) || isWordCode(char(end + 3))) break;
  }
  if (letters < 3) return 0;
  goOn(1);
  found |= lists[slotOf(hash)];
  return end + 1;
}

function readMark(offset: i32): i32 {
  const code = char(offset);
  if (code === 0x3c || code === 0x5b || code === 0x23)
    for (let i = 0; i < markers.length; i++)
      if (standsAt(offset, markers[i])) {
        goOn(1);
        found |= (<u64>1) << MARKER;
        return offset + markers[i].length;
      }
  const after = char(offset + 1);
  const ends = code === 0x2e || code === 0x21 || code === 0x3f;
  if (ends && (after <= 0x22 || after === 0x27 || after === 0x29 || after === 0x3c)) goOn(sentenceWords);
  else if (code === 0x0a && after === 0x0a) goOn(paragraphWords);
  return offset + 1;
}

function isPhrase(offset: i32, end: i32): bool {
  for (let from = offset; from < end; from++)
    for (let i = 0; i < unspaced.length; i++) if (standsAt(from, unspaced[i])) return true;
  return false;
}
