/** The script of a letter, by Unicode block; empty for characters that are not letters. */
export function scriptOf(code: i32): string {
  if (code < 0xc0) return isAsciiLetter(code) || code === 0xaa || code === 0xb5 || code === 0xba ? 'latin' : '';
  if (code < 0x250) return code === 0xd7 || code === 0xf7 ? '' : 'latin';
  if (code < 0x2b0 || (code >= 0x1e00 && code < 0x1f00) || (code >= 0xff21 && code <= 0xff5a)) return 'latin';
  if (code < 0x370) return ''; // modifiers and accents
  if (code < 0x400 || (code >= 0x1f00 && code < 0x2000)) return 'greek';
  if (code < 0x530 || (code >= 0x1c80 && code < 0x1c90) || (code >= 0x2de0 && code < 0x2e00)) return 'cyrillic';
  if (code >= 0x590 && code < 0x600) return 'hebrew';
  if ((code >= 0x600 && code < 0x780) || (code >= 0xfb50 && code < 0xfe00) || (code >= 0xfe70 && code < 0xff00))
    return 'arabic';
  if (code >= 0x900 && code < 0xe00) return 'indic';
  if (code >= 0xe00 && code < 0xe80) return 'thai';
  if ((code >= 0x1100 && code < 0x1200) || (code >= 0xac00 && code < 0xd7b0)) return 'hangul';
  if (code >= 0x3040 && code < 0x3100) return 'kana';
  if ((code >= 0x3400 && code < 0xa000) || (code >= 0xf900 && code < 0xfb00) || (code >= 0x20000 && code < 0x32000))
    return 'han';
  // Mathematical letters, which spell Latin words in a way that bypasses word filters.
  if (code >= 0x1d400 && code < 0x1d800) return 'other';
  if (isSymbol(code)) return '';
  return 'other';
}

function isAsciiLetter(code: i32): bool {
  return (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
}

/** Matches punctuation, arrows, mathematical symbols, boxes, emoji, private use and variation selectors. */
function isSymbol(code: i32): bool {
  return (
    (code >= 0x2000 && code < 0x2c00) ||
    (code >= 0x2e00 && code < 0x3040) ||
    (code >= 0xe000 && code < 0xf900) ||
    (code >= 0xfe00 && code < 0xfe70) ||
    (code >= 0xff00 && code < 0xff21) ||
    (code >= 0x1f000 && code < 0x1fb00) ||
    code >= 0xe0000
  );
}
