/** Finds text that models read but people do not see: comments, alternative text, hidden elements. */
import { nextOf } from './next-of.ts';

/** Half-open ranges of the whole part (`start`, `end`) and of its words (`from`, `to`). */
interface HiddenPart {
  readonly start: number;
  readonly end: number;
  readonly from: number;
  readonly to: number;
}

const maxCharacters = 8_192;
const slash = 47;

/** Returns the hidden parts of a text, in order and without overlaps. */
export function hiddenParts(text: string): HiddenPart[] {
  const parts: HiddenPart[] = [];
  if (text.includes('<!--')) parts.push(...partsBetween(text, '<!--', '-->'));
  if (text.includes('](')) parts.push(...alternativeTexts(text));
  if (text.includes(']: ')) parts.push(...markdownComments(text));
  if (text.includes('<')) parts.push(...attributes(text), ...hiddenElements(text));
  return withoutOverlaps(parts);
}

function* partsBetween(text: string, open: string, close: string): Iterable<HiddenPart> {
  const ends = nextOf(text, close);
  let at = text.indexOf(open);
  while (at >= 0) {
    const from = at + open.length;
    const to = Math.min(ends(from), from + maxCharacters, text.length);
    const end = Math.min(text.length, text.startsWith(close, to) ? to + close.length : to);
    yield { start: at, end, from, to };
    at = text.indexOf(open, Math.max(end, from));
  }
}

/** Finds the words between the brackets in `![alternative text](…)`. */
function* alternativeTexts(text: string): Iterable<HiddenPart> {
  const ends = nextOf(text, ']');
  for (let at = text.indexOf('!['); at >= 0; at = text.indexOf('![', at + 2)) {
    const to = ends(at + 2);
    if (to === Infinity) return;
    if (to - at < maxCharacters) yield { start: at + 2, end: to, from: at + 2, to };
  }
}

const linkComment = /^[ \t]{0,3}\[[^\]\n]{1,40}\]: {1,4}(?:#|<>|<#>) {1,4}["'(]([^\n]{1,4096})/gm;

/** Finds comments written as unused links: `[//]: # (…)`. */
function* markdownComments(text: string): Iterable<HiddenPart> {
  for (const match of text.matchAll(linkComment)) {
    const end = match.index + match[0].length;
    yield { start: match.index, end, from: end - match[1]!.length, to: end };
  }
}

const attribute = /[\s"'](?:alt|title|aria-label|aria-description|content|data-[a-z]{1,16}|summary)={1}(["'])/gi;

function* attributes(text: string): Iterable<HiddenPart> {
  const ends = { '"': nextOf(text, '"'), "'": nextOf(text, "'") } as const;
  for (const match of text.matchAll(attribute)) {
    const from = match.index + match[0].length;
    const to = ends[match[1] as '"' | "'"](from);
    if (to - from < maxCharacters) yield { start: from, end: to, from, to };
  }
}

const unseenStyle =
  /display:none|visibility:hidden|font-size:(?:0|1px)|opacity:0(?:[^.\d]|$)|color:(?:white|#fff(?:fff)?\b|transparent)|(?:left|top|text-indent):-\d{3,}|clip:rect\(0/i;
/** Checks for a style that hides an element. All such styles contain a colon. */
const hasUnseenStyle = (tag: string): boolean => tag.includes(':') && unseenStyle.test(tag.replace(/\s/g, ''));
const unseenAttribute = /\s(?:hidden|aria-hidden="true"|class="(?:sr-only|visually-hidden|hidden)")[\s>/]/i;
const unseenTags: ReadonlySet<string> = new Set(['template', 'noscript', 'script', 'style', 'noembed']);
const tagName = /^<([a-z][a-z0-9]{0,20})/i;

function* hiddenElements(text: string): Iterable<HiddenPart> {
  const ends = nextOf(text, '>');
  const closing = closingTags(text);
  let at = text.indexOf('<');
  while (at >= 0) {
    const close = ends(at);
    if (close === Infinity) return;
    const found = close - at < 600 ? hiddenElement(text, at, close, closing) : undefined;
    if (found) yield found;
    at = text.indexOf('<', found ? found.end : at + 1);
  }
}

/** Returns a function that finds the next closing tag of an element, ignoring case. The page is scanned only once. */
function closingTags(text: string): (name: string, from: number) => number {
  let lower: string | undefined;
  const known = new Map<string, ReturnType<typeof nextOf>>();
  return (name, from) => {
    // Lower-cases only ASCII, because lower-casing other letters may change their length.
    lower ??= text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
    const next = known.get(name) ?? nextOf(lower, `</${name}`);
    known.set(name, next);
    return next(from);
  };
}

function hiddenElement(
  text: string,
  at: number,
  close: number,
  closing: ReturnType<typeof closingTags>,
): HiddenPart | undefined {
  // Fast path, because half of all tags are closing tags.
  if (text.charCodeAt(at + 1) === slash || text.charCodeAt(close - 1) === slash) return undefined;
  const tag = text.slice(at, close + 1);
  const name = tagName.exec(tag)?.[1]?.toLowerCase();
  if (name === undefined) return undefined;
  const isBare = tag.length === name.length + 2;
  if (!unseenTags.has(name) && (isBare || !(unseenAttribute.test(tag) || hasUnseenStyle(tag)))) return undefined;
  const to = Math.min(closing(name, close + 1), close + 1 + maxCharacters, text.length);
  return { start: at, end: Math.max(to, close + 1), from: close + 1, to };
}

function withoutOverlaps(parts: HiddenPart[]): HiddenPart[] {
  parts.sort((a, b) => a.start - b.start || b.end - a.end);
  const kept: HiddenPart[] = [];
  let end = 0;
  for (const part of parts) {
    if (part.start < end) continue;
    kept.push(part);
    end = part.end;
  }
  return kept;
}
