/** A character as a reader sees it: small, without accents, Latin where it only looks Latin; 0 for one that is invisible. */

/** U+00C0 to U+017F without their accents. */
const accented =
  'aaaaaaaceeeeiiiidnooooo*ouuuuytsaaaaaaaceeeeiiiidnooooo/ouuuuyty' +
  'aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkkllllllllllnnnnnnnnnoooooooorrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs';

/** Letters of Greek and Cyrillic, and the Latin ones that look like them. */
const lookAlikes = 'аеорсухіѕјԁԛԝһαορνιυκɡɑɩ';
const latin = 'aeopcyxisjdqwhaopviukgai';

export function foldCode(code: i32): i32 {
  if (code < 0x80) return code >= 0x41 && code <= 0x5a ? code + 32 : code;
  if (code < 0x180)
    return code >= 0xc0 ? accented.charCodeAt(code - 0xc0) : code === 0xad ? 0 : code === 0xa0 ? 0x20 : code;
  if (code < 0x2000) return foldLetter(code);
  if (code < 0x10000) return foldSign(code);
  return foldBeyond(code);
}

function foldLetter(code: i32): i32 {
  if (code >= 0x300 && code < 0x370) return 0;
  let small = code;
  if ((code >= 0x391 && code <= 0x3a9) || (code >= 0x410 && code <= 0x42f)) small = code + 32;
  else if (code >= 0x400 && code <= 0x40f) small = code + 80;
  for (let i = 0; i < lookAlikes.length; i++) if (lookAlikes.charCodeAt(i) === small) return latin.charCodeAt(i);
  return small;
}

/** Spaces and punctuation, signs without width, letters and digits of full width. */
function foldSign(code: i32): i32 {
  if (code <= 0x200a || code === 0x202f || code === 0x205f || code === 0x3000) return 0x20;
  if (code <= 0x200f || (code >= 0x202a && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f)) return 0;
  if (code >= 0x2010 && code <= 0x2015) return 0x2d;
  if (code === 0x2018 || code === 0x2019) return 0x27;
  if (code === 0x201c || code === 0x201d) return 0x22;
  if (code === 0x2028 || code === 0x2029) return 0x0a;
  if (code === 0x3002) return 0x2e;
  if (code >= 0xff01 && code <= 0xff5e) return foldCode(code - 0xfee0);
  return code === 0xfeff || (code >= 0xfe00 && code <= 0xfe0f) ? 0 : code;
}

/** Tags repeat ASCII invisibly; mathematical and framed letters are Latin ones in another block. */
function foldBeyond(code: i32): i32 {
  if (code >= 0xe0020 && code <= 0xe007e) return foldCode(code - 0xe0000);
  if (code >= 0xe0000 && code <= 0xe0fff) return 0;
  if (code >= 0x1d400 && code <= 0x1d6a3) return 0x61 + ((code - 0x1d400) % 26);
  if (code >= 0x1d7ce && code <= 0x1d7ff) return 0x30 + ((code - 0x1d7ce) % 10);
  if (code >= 0x1f130 && code <= 0x1f149) return code - 0x1f130 + 0x61;
  if (code >= 0x1f150 && code <= 0x1f169) return code - 0x1f150 + 0x61;
  if (code >= 0x1f170 && code <= 0x1f189) return code - 0x1f170 + 0x61;
  return 0xfffd;
}

/** A letter or a digit of any script, or `_`: what words are made of. */
export function isWordCode(code: i32): bool {
  if (code < 0x80) return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39) || code === 0x5f;
  if (code < 0x2000) return code >= 0xaa && code !== 0xab && code !== 0xbb && code !== 0xb7 && code !== 0xbf;
  return code >= 0x3040 && code !== 0xfffd;
}
