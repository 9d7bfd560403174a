/** E-mail and IP addresses. */
import { candidates, type Entity, nameLetters, type Range, wordClass } from './entity.ts';

const sizes = { local: 64, domain: 254 } as const;

const lettersHere = String.raw`\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}`;
const localPart = new RegExp(`[${lettersHere}0-9._%+'-]`, 'u');
const localStart = new RegExp(`[${lettersHere}0-9_]`, 'u');
const domainRun = new RegExp(`[${lettersHere}0-9.-]{1,${sizes.domain}}`, 'uy');
const topLevel = new RegExp(`^(?:[${lettersHere}]{2,24}|xn--[a-z0-9-]{2,59})$`, 'iu');

/** E-mail addresses. Scanning starts at each @, so text without one costs nothing. */
export const email: Entity = {
  name: 'email',
  shape: `[${nameLetters}0-9_][${nameLetters}0-9._%+'\\-]{0,${sizes.local - 1}}@[${nameLetters}0-9.\\-]{1,${sizes.domain}}`,
  find(text, from) {
    const found: Range[] = [];
    let least = from;
    for (let sign = text.indexOf('@', from); sign >= 0; sign = text.indexOf('@', sign + 1)) {
      const start = localStartOf(text, sign, least);
      const end = domainEndOf(text, sign + 1);
      if (start === undefined || end === undefined) continue;
      found.push([start, end]);
      least = end;
    }
    return found;
  },
};

function localStartOf(text: string, sign: number, least: number): number | undefined {
  let start: number | undefined;
  const limit = Math.max(least, sign - sizes.local);
  for (let i = sign - 1; i >= limit && localPart.test(text[i]!); i--) if (localStart.test(text[i]!)) start = i;
  return start;
}

/** Returns the end of the last label that can be a top-level domain; any remaining text belongs to the sentence. */
function domainEndOf(text: string, start: number): number | undefined {
  domainRun.lastIndex = start;
  const labels = (domainRun.exec(text)?.[0] ?? '').split('.');
  while (labels.length > 1) {
    const last = labels.at(-1)!.replace(/-+$/, '');
    const before = labels.slice(0, -1);
    if (topLevel.test(last) && before.every((label) => label !== '' && !label.startsWith('-')))
      return start + [...before, last].join('.').length;
    labels.pop();
  }
  return undefined;
}

const v6Pattern = new RegExp(`(?<![${wordClass}:.])(?:[0-9a-f]{1,4}:|::)[0-9a-f:.]{0,43}`, 'giu');
const goesOn = new RegExp(`^[${wordClass}:]`, 'u');
const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const v4Pattern = new RegExp(`(?<![${wordClass}]|\\d\\.)${octet}(?:\\.${octet}){3}(?![${wordClass}]|\\.\\d)`, 'gu');

/**
 * Number of characters before four dotted numbers that are searched for a word such as `version` or `section`, which
 * rules out an address.
 */
const versionCharacters = 48;
const versionWords = `versions? vers? v releases? builds? firmware driver sdk revision rev upgraded? updated? downgraded? section
  chapter clause § oid fileversion productversion image tag`;
const products = 'chrome chromium firefox safari edge? opera opr openssl nginx apache java jdk linux windows';
const anyOf = (words: string): string => words.split(/\s+/).join('|');
const versionBefore = new RegExp(
  [
    // pip install x==1.2.3.4
    String.raw`[=~<>^]=$|\^$`,
    // lib-1.2.3.4, not ip-10.0.0.1
    String.raw`(?<!(?<![\p{L}\d])(?:ip|host|node|server|subnet|net|gateway|vm|ec2))(?<=\p{L})-$`,
    // version 1.2.3.4, versions 1.2.3.4 to 1.2.3.5, Chrome/1.2.3.4
    String.raw`(?<![\p{L}\d])(?:(?:${anyOf(versionWords)})[^\p{L}\d\n]{0,4}|(?:${anyOf(products)})[/ ])(?:(?:no|nr|number|is|was|to|from|and|or|of|\d+(?:\.\d+)+)[ ,/&→]{1,3}){0,4}$`,
  ].join('|'),
  'iu',
);

export const ip: Entity = {
  name: 'ip',
  shape: [
    String.raw`\b\d{1,3}(?:\.\d{1,3}){3}(?:\.(?s:.)|[^.])`,
    String.raw`(?:\b[0-9A-Fa-f]{1,4}:|\B::)[0-9A-Fa-f:.]{0,43}`,
  ]
    .map((shape) => `(?:${shape})`)
    .join('|'),
  find(text, from) {
    const sixes = candidates(v6Pattern, text, from, (found, start) => v6Length(text, found, start));
    const fours = candidates(v4Pattern, text, from, (found, start) =>
      versionBefore.test(text.slice(Math.max(0, start - versionCharacters), start)) ? undefined : found.length,
    );
    const inside = (range: Range) => sixes.some(([start, end]) => range[0] < end && start < range[1]);
    return [...sixes, ...fours.filter((range) => !inside(range))].sort((a, b) => a[0] - b[0]);
  },
};

/** Returns the length of the address, excluding a full stop or colon that ends the sentence. */
function v6Length(text: string, run: string, start: number): number | undefined {
  const written = run.replace(/\.+$/, '').replace(/([^:]):$/, '$1');
  const isWhole = !goesOn.test(text.slice(start + run.length, start + run.length + 2));
  return isWhole && isV6(written) ? written.length : undefined;
}

function isV6(text: string): boolean {
  const halves = text.split('::');
  if (halves.length > 2 || text.includes(':::')) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const four = groups.at(-1)?.includes('.') ? groups.pop() : undefined;
  if (four !== undefined && !new RegExp(`^${octet}(?:\\.${octet}){3}$`).test(four)) return false;
  const count = groups.length + (four === undefined ? 0 : 2);
  const areGroups = groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group));
  // `Dead::Beef` is a name in a program; matching addresses without digits is not worth the false positives.
  return areGroups && (halves.length === 2 ? count > 0 && count < 8 && /\d/.test(text) : count === 8);
}
