/** Possible ways in which a server may read a path or address: verbatim, decoded, and normalised [guard.roots]. */

import { decodePercent } from '#core/text/matching/canonical-text.ts';

const maxDecodings = 3;
/** A step up in any form that a server may accept: `a/..`, `{a,..}`, `..;/`, `.. /`. */
const climbs = /(?:^|[^\p{L}\p{N}_.-])\.\.(?![\p{L}\p{N}_.-])/u;
/** Home directories, variables and substitutions, which only the server can resolve. */
const elsewhere = /^~|\$(?:[A-Za-z_{(]|$)|%(?![0-9a-f]{2})[A-Za-z_][A-Za-z0-9_()]{1,31}%|`/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a control character in a path is one of the things looked for
const unreadableCharacter = /[\u0000-\u001f\u007f\ufffd]|\p{Cf}|\p{Cs}/u;

/** Returns each reading, with `/` for every separator. Returns undefined if the text cannot be resolved. */
export function readingsOf(text: string): string[] | undefined {
  const readings = new Set<string>();
  let decoded = text;
  for (let step = 0; ; step++) {
    for (const form of [decoded, decoded.normalize('NFKC')]) {
      const reading = form.replace(/[\\\u2044\u2215\u29f5\u29f8\ufe68]/g, '/').replaceAll('\u2024', '.');
      if (unreadableCharacter.test(reading) || elsewhere.test(reading) || climbs.test(reading)) return undefined;
      readings.add(reading);
    }
    const next = decodePercent(decoded);
    if (next === decoded) return [...readings];
    if (step === maxDecodings) return undefined;
    decoded = next;
  }
}
