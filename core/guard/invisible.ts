/** Finds invisible characters that carry words, and characters that change the displayed order of text. */
import type { TextFinding } from './finding.ts';

/** Any character matched by the patterns below. */
// biome-ignore lint/suspicious/noMisleadingCharacterClass: single characters are what is looked for
const any = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufe00-\ufe0f\u115f\u3164\u180e\u00ad]|\udb40/;
/** Tag letters. The tags of a flag come after U+1F3F4. */
const tags = /(?:\u{1f3f4})?[\u{e0001}\u{e0020}-\u{e007f}]+/gu;
const letters = /[\u{e0020}-\u{e007e}]+/gu;
/** First UTF-16 unit of tag letters and of the rarer variation selectors. */
const tagLead = '\udb40';
const variation = /[\ufe00-\ufe0f]{4}/;
const variations = /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{4,}/gu;
/** Characters with which the patterns below begin. */
const widthless = /[\u200b-\u200d\u202d\u202e\u2060-\u2064\ufeff\u180e\u115f\u3164\u00ad]/;
// biome-ignore lint/suspicious/noMisleadingCharacterClass: as above
const zeroWidths = /[\u200b\u200c\u200d\u2060-\u2064\ufeff\u180e\u115f\u3164\u00ad]{6,}/g;
const overrides = /[\u202d\u202e][^\u202c\n]{0,2000}\u202c?/g;
/** Pattern that is matched after the first letter, because zero-width characters are rarer than letters. */
const wordSplits =
  /(?<=[A-Za-z])[\u200b\u2060\ufeff\u00ad\u200c\u200d](?:[A-Za-z][\u200b\u2060\ufeff\u00ad\u200c\u200d]){3,}/g;

/** Yields the findings, unsorted. */
export function* invisibleText(text: string): Iterable<TextFinding<'invisible_text'>> {
  if (!any.test(text)) return;
  // Each pattern scans the whole text, and a single emoji is enough to reach this point, so the pattern's characters
  // are checked for first.
  if (text.includes(tagLead))
    for (const match of text.matchAll(tags))
      if (!match[0].startsWith('\u{1f3f4}') || match[0].length > 16)
        yield finding(match, 'high', 'Letters of the Unicode tag block: invisible, and read by models.');
  if (text.includes(tagLead) || variation.test(text))
    for (const match of text.matchAll(variations))
      yield finding(match, 'high', 'A run of variation selectors, which can carry hidden bytes.');
  if (!widthless.test(text)) return;
  for (const match of text.matchAll(zeroWidths))
    yield finding(match, 'high', 'A run of zero-width characters, which can carry hidden bytes.');
  for (const match of text.matchAll(wordSplits))
    yield finding(match, 'medium', 'Zero-width characters inside words.', 1);
  for (const match of text.matchAll(overrides))
    yield finding(match, 'high', 'A direction override: the text is displayed in a different order than it is read.');
}

const finding = (
  match: RegExpExecArray,
  severity: 'medium' | 'high',
  description: string,
  before = 0,
): TextFinding<'invisible_text'> => ({
  kind: 'invisible_text',
  description,
  severity,
  start: match.index - before,
  end: match.index + match[0].length,
});

/** Returns the text spelled in tag characters, with spaces between separate runs. */
export const spelledByTags = (text: string): string =>
  (text.match(letters) ?? [])
    .map((run) => [...run].map((tag) => String.fromCodePoint(tag.codePointAt(0)! - 0xe0000)).join(''))
    .join(' ');
