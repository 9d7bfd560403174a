/** Characters that form a word, join two, or begin another clause, in folded lower-case texts. */
export const isBlank = (code: number): boolean =>
  code === 32 || (code >= 9 && code <= 13) || code === 34 || code === 39 || code === 60 || code === 62 || code === 41;

/** Matches apostrophe, hyphen, full stop, slash. */
export const isJoint = (code: number): boolean => code === 39 || (code >= 45 && code <= 47);

export const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || code > 0xaa;

const asciiWord = new Uint8Array(128);
for (const char of '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz') asciiWord[char.charCodeAt(0)] = 1;

/** Matches letters and digits; beyond ASCII all characters except general and CJK punctuation. */
export const isWord = (code: number): boolean =>
  code < 128
    ? asciiWord[code] === 1
    : code >= 0xaa &&
      !(code >= 0x2000 && code <= 0x206f) &&
      !(code >= 0x3000 && code <= 0x303f) &&
      code !== 0xab &&
      code !== 0xbb;

/** Matches the start of a path, which is one word: `~/.ssh/x`, `/etc/passwd`, `.env`. */
export const isPathStart = (text: string, at: number, code: number): boolean => {
  if (code !== 126 && code !== 47 && code !== 46) return false;
  const next = text.charCodeAt(at + 1);
  return isWord(next) || (code === 126 && next === 47);
};

export function goesOn(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (isWord(code)) return true;
  if (isJoint(code) || code === 0x2019)
    return isWord(text.charCodeAt(at + 1)) || (code === 47 && text.charCodeAt(at + 1) === 46);
  return false;
}

/**
 * Reports whether a list entry begins: the previous line has ended, or the entry does not continue with a lower-case
 * letter.
 */
export function isItem(text: string, at: number): boolean {
  let from = at + 1;
  while (text.charCodeAt(from) === 32) from++;
  const sign = text.charCodeAt(from);
  if ((sign !== 42 && sign !== 43 && sign !== 45) || text.charCodeAt(from + 1) !== 32) return false;
  const next = text.charCodeAt(from + 2);
  return !isLetter(next) || !isLetter(text.charCodeAt(at - 1));
}

/** Matches full stop, comma, colon, semicolon, bracket, line break, dash, list sign and quotation mark. */
export const beginsClause = (code: number): boolean =>
  (code < 64 &&
    (code === 46 ||
      code === 44 ||
      code === 58 ||
      code === 59 ||
      code === 10 ||
      code === 40 ||
      code === 33 ||
      code === 63)) ||
  (code >= 0x2010 && code <= 0x2022);
