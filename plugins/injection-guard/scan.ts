/** Reads a text word by word, in one pass without backtracking, so the time grows linearly with the length. */
import { begin, finish, goOn, hit, mark, saw } from './judge';
import { partStart, partsOf, partUnits } from './parts';
import {
  ADDRESS,
  CLAUSE,
  FILLED_LINK,
  FOREIGN_PHRASE,
  LINK,
  MARKER,
  markers,
  phrases,
  SECRET_NAME,
  SECRET_PATH,
  TOOL_NAME,
} from './tables';
import { addressOf, char, count, isAt } from './text';
import { classOf, find, isMark, namesSecretFile, next, turnedWay, unaccented, withDigits } from './words';

const sentenceWords: i32 = 10;
const paragraphWords: i32 = 30;
const itemWords: i32 = 20;
/** Maximum number of characters that are checked in a joined word. */
const maxWord: i32 = 64;
/** Length above which a word is treated as several words without spaces, because English words are shorter. */
const longWord: i32 = 22;

let hasAccents = false;
let hasPhrase = false;
let turned: i32 = 0;

/** Bit set of units that begin a phrase, by their low bits. */
let phraseUnits: u64 = 0;
for (let i = 0; i < phrases.length; i++) phraseUnits |= (<u64>1) << (phrases[i].charCodeAt(0) & 63);

/**
 * Judges a text. @param reading 0 for a part of a longer text, 1 for a separate text. @returns the bits of `judge.ts`.
 */
export function scan(reading: i32): i32 {
  begin(reading);
  turned = 0;
  hasPhrase = false;
  hasAccents = false;
  mark(CLAUSE);
  const length = count();
  for (let i = 0; i < length && !hasAccents; i++) hasAccents = isAccent(char(i));
  for (let from = 0; from < length; ) {
    const code = char(from);
    from = isWordUnit(code) || isPathStart(from, code) ? readWord(from) : readMark(from, code);
  }
  if (hasPhrase) hit(FOREIGN_PHRASE, true);
  return finish();
}

/** Returns how a word of the last text was turned, in the form of `turnedWay`. */
export function lastTurned(): i32 {
  return turned;
}

function readWord(from: i32): i32 {
  let end = from;
  let plain = true;
  let joined = false;
  do {
    const code = char(end++);
    if (code >= 0x590) seekPhrase(end - 1, code);
    if (isLetter(code)) continue;
    plain = false;
    if (isJoint(code) || code === 0x5f) joined = true;
  } while (goesOn(end));
  goOn(1);
  const after = char(end);
  if (after === 0x3a && isAt(from, 'http') && isAt(end, '://')) return readLink(end);
  if (after === 0x40 && isWordUnit(char(end + 1))) {
    saw(LINK);
    saw(ADDRESS);
  }
  const entry = find(addressOf(from), end - from);
  if (entry !== 0) sawAll(entry);
  else if (plain) readUnknown(from, end);
  else if (joined) readJoined(from, min(end, from + maxWord));
  else sawAll(withDigits(addressOf(from), end - from));
  return end;
}

function sawAll(first: i32): void {
  for (let entry = first; entry !== 0; entry = next(entry)) saw(classOf(entry));
}

function readLink(from: i32): i32 {
  let end = from;
  for (; end < count() && !isBlank(char(end)); end++)
    if (char(end) === 0x24 && char(end + 1) === 0x28) saw(FILLED_LINK);
  saw(LINK);
  return end;
}

function readUnknown(from: i32, end: i32): void {
  const way = turnedWay(addressOf(from), end - from);
  if (way > 0) turned = way;
  if (end - from >= longWord && char(from) < 128) readParts(from, min(end, from + maxWord));
  else if (hasAccents) sawAll(unaccented(addressOf(from), end - from));
}

/** Reads `ignoreallpreviousinstructions`. */
function readParts(from: i32, end: i32): void {
  const length = partsOf(addressOf(from), end - from);
  let start = 0;
  for (let i = 0; i <= length; i++) {
    if (i < length && partUnits(i) !== 0x20) continue;
    goOn(1);
    sawAll(find(partStart(start), i - start));
    start = i + 1;
  }
}

/** Reads a word that contains joints or underscores. */
function readJoined(from: i32, end: i32): void {
  const word = addressOf(from);
  const length = end - from;
  if (namesSecretFile(word, length)) {
    saw(SECRET_PATH);
    return;
  }
  const known = classesOf(from, end);
  sawAll(known);
  if (known === 0) readBetween(from, end, false);
  let underscores = 0;
  for (let i = from; i < end; i++) if (char(i) === 0x5f) underscores++;
  if (underscores === 0) return;
  // Names in code have two or three parts; anything longer is a sentence.
  if (underscores >= 3 && hasParts(from, end)) readBetween(from, end, true);
  if (isSecretName(from, end)) saw(SECRET_NAME);
  if (underscores <= 6 && isToolName(from, end)) saw(TOOL_NAME);
}

function classesOf(from: i32, end: i32): i32 {
  if (end - from > 4)
    for (let i = from; i < end - 1; i++)
      if (char(i) === 0x27 && char(i + 1) === 0x73) {
        const entry = find(addressOf(from), i - from);
        if (entry !== 0) return entry;
        break;
      }
  return withDigits(addressOf(from), end - from);
}

/** Reads the parts of `ignore/previous.instructions`, or of `ignore_all_previous_instructions`. */
function readBetween(from: i32, end: i32, underscores: bool): void {
  let joints = 0;
  for (let i = from; i < end; i++) if (underscores || isJoint(char(i))) joints++;
  if (joints === 0) return;
  let start = from;
  for (let i = from; i <= end; i++) {
    if (i < end && !(underscores ? char(i) === 0x5f : isJoint(char(i)))) continue;
    goOn(1);
    sawAll(find(addressOf(start), i - start));
    start = i + 1;
  }
}

/** Matches parts of 1 to 24 letters between underscores. */
function hasParts(from: i32, end: i32): bool {
  let letters = 0;
  for (let i = from; i < end; i++) {
    const code = char(i);
    if (code === 0x5f ? letters === 0 : code < 0x61 || code > 0x7a) return false;
    letters = code === 0x5f ? 0 : letters + 1;
    if (letters > 24) return false;
  }
  return letters > 0;
}

/** Matches lower-case letters and digits between underscores, starting with a letter. */
function isToolName(from: i32, end: i32): bool {
  if (!isSmall(char(from)) || char(end - 1) === 0x5f) return false;
  for (let i = from; i < end; i++) {
    const code = char(i);
    if (!isSmall(code) && !isDigit(code) && (code !== 0x5f || char(i - 1) === 0x5f)) return false;
  }
  return true;
}

const secretNames: StaticArray<string> = [
  'secret',
  'token',
  'password',
  'passwd',
  'api_key',
  'private_key',
  'access_key',
];

/** Matches names of secret environment variables: `aws_secret_access_key`. */
function isSecretName(from: i32, end: i32): bool {
  for (let i = from; i < end; i++) {
    if (i > from && char(i - 1) !== 0x5f) continue;
    for (let name = 0; name < secretNames.length; name++) {
      const after = i + secretNames[name].length;
      if (after <= end && isAt(i, secretNames[name]) && (after === end || char(after) === 0x5f)) return true;
    }
  }
  return false;
}

function readMark(from: i32, code: i32): i32 {
  if (code === 0x3c || code === 0x5b)
    for (let i = 0; i < markers.length; i++)
      if (isAt(from, markers[i])) {
        goOn(1);
        saw(MARKER);
        return from + markers[i].length;
      }
  const after = char(from + 1);
  const ends = code === 0x2e || code === 0x21 || code === 0x3f || code === 0x3002;
  if (ends && (from + 1 >= count() || isBlank(after) || code === 0x3002)) goOn(sentenceWords);
  else if (code === 0x0a && after === 0x0a) goOn(paragraphWords);
  else if (code === 0x0a && isItem(from)) goOn(itemWords);
  if (beginsClause(code)) mark(CLAUSE);
  return from + 1;
}

/** Looks for phrases in scripts without spaces between words. */
function seekPhrase(at: i32, code: i32): void {
  if (hasPhrase || ((phraseUnits >> (code & 63)) & 1) === 0) return;
  for (let i = 0; i < phrases.length && !hasPhrase; i++) hasPhrase = isAt(at, phrases[i]);
}

function isAccent(code: i32): bool {
  return (code >= 0xc0 && code <= 0x24f) || (code >= 0x1e00 && code <= 0x1eff) || isMark(code);
}

function isBlank(code: i32): bool {
  if (code === 0x20 || (code >= 9 && code <= 13)) return true;
  return code === 0x22 || code === 0x27 || code === 0x3c || code === 0x3e || code === 0x29;
}

/** Matches apostrophe, hyphen, full stop and slash. */
function isJoint(code: i32): bool {
  return code === 0x27 || (code >= 0x2d && code <= 0x2f);
}

function isSmall(code: i32): bool {
  return code >= 0x61 && code <= 0x7a;
}

function isDigit(code: i32): bool {
  return code >= 0x30 && code <= 0x39;
}

function isLetter(code: i32): bool {
  return isSmall(code) || code > 0xaa;
}

/** Matches letters and digits; beyond ASCII, all characters except general and CJK punctuation. */
function isWordUnit(code: i32): bool {
  if (code < 128) return isSmall(code) || isDigit(code) || code === 0x5f || (code >= 0x41 && code <= 0x5a);
  if (code < 0xaa || code === 0xab || code === 0xbb) return false;
  return !(code >= 0x2000 && code <= 0x206f) && !(code >= 0x3000 && code <= 0x303f);
}

/** Matches the start of a path, which counts as one word: `~/.ssh/x`, `/etc/passwd`, `.env`. */
function isPathStart(at: i32, code: i32): bool {
  if (code !== 0x7e && code !== 0x2f && code !== 0x2e) return false;
  return isWordUnit(char(at + 1)) || (code === 0x7e && char(at + 1) === 0x2f);
}

function goesOn(at: i32): bool {
  const code = char(at);
  if (isWordUnit(code)) return true;
  if (!isJoint(code) && code !== 0x2019) return false;
  return isWordUnit(char(at + 1)) || (code === 0x2f && char(at + 1) === 0x2e);
}

/**
 * Reports whether a list entry begins here: the previous line has ended, or the entry does not continue with a
 * lower-case letter.
 */
function isItem(at: i32): bool {
  let from = at + 1;
  while (char(from) === 0x20) from++;
  const sign = char(from);
  if ((sign !== 0x2a && sign !== 0x2b && sign !== 0x2d) || char(from + 1) !== 0x20) return false;
  return !isLetter(char(from + 2)) || !isLetter(char(at - 1));
}

/** Matches full stop, comma, colon, semicolon, bracket, line break, exclamation and question marks, dashes, list signs and quotation marks. */
function beginsClause(code: i32): bool {
  if (code >= 0x2010) return code <= 0x2022;
  if (code === 0x2e || code === 0x2c || code === 0x3a || code === 0x3b) return true;
  return code === 0x0a || code === 0x28 || code === 0x21 || code === 0x3f;
}
