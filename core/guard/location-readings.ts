/** The ways in which a server may read a path or an address: as it stands, decoded, and in the plain form of its letters [guard.roots]. */

const maxDecodings = 3;
/** A step up, in whatever neighbourhood a server may find one: `a/..`, `{a,..}`, `..;/`, `.. /`. */
const climbs = /(?:^|[^\p{L}\p{N}_.-])\.\.(?![\p{L}\p{N}_.-])/u;
/** Homes, variables and substitutions: where they lead is known to the server alone. */
const elsewhere = /^~|\$(?:[A-Za-z_{(]|$)|%(?![0-9a-f]{2})[A-Za-z_][A-Za-z0-9_()]{1,31}%|`/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a control character in a path is one of the things looked for
const unreadable = /[\u0000-\u001f\u007f\ufffd]|\p{Cf}|\p{Cs}/u;

/** Each reading with `/` for every separator; undefined for a text that nobody can place. */
export function readingsOf(text: string): string[] | undefined {
  const readings = new Set<string>();
  let decoded = text;
  for (let step = 0; ; step++) {
    for (const form of [decoded, decoded.normalize('NFKC')]) {
      const reading = form.replace(/[\\\u2044\u2215\u29f5\u29f8\ufe68]/g, '/').replaceAll('\u2024', '.');
      if (unreadable.test(reading) || elsewhere.test(reading) || climbs.test(reading)) return undefined;
      readings.add(reading);
    }
    const next = decodedOnce(decoded);
    if (next === undefined || step === maxDecodings) return undefined;
    if (next === decoded) return [...readings];
    decoded = next;
  }
}

/** Undefined for percent signs that stand for no text. A lone sign is a character like any other. */
function decodedOnce(text: string): string | undefined {
  if (!/%[0-9a-f]{2}/i.test(text)) return text;
  try {
    return decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, '%25'));
  } catch {
    return undefined;
  }
}
