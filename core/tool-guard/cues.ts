/**
 * Reads a text word by word and reports what in it speaks to a model. One pass, without backtracking: the time grows with the
 * length alone [guard.linear].
 */
import { isPlain } from '#core/content-policy/visible.ts';
import { furthest, neededBy } from './needed-classes.ts';
import { partedWords } from './parted-words.ts';
import type { Cue, Near } from './rule.ts';
import { rules } from './rules.ts';
import { isSecretPath } from './secret-paths.ts';
import { turnedWay } from './turned-words.ts';
import { classCount, classIds, unspacedPhrases, type WordClass, wordClasses } from './words.ts';

export interface CueHit {
  readonly cue: Cue;
  readonly strong: boolean;
  /** Words since the scan began. */
  readonly at: number;
}

const sentenceWords = 10;
const paragraphWords = 30;
const itemWords = 20;

const prepared = rules.map((rule) => ({ ...rule, needed: neededBy(rule) }));
const rulesOf = Array.from({ length: classCount }, (_, id) =>
  prepared.filter(({ on }) => on.some((name) => classIds[name] === id)),
);

const markers = [
  ...[
    '<|im_start|>',
    '<|im_end|>',
    '<|system|>',
    '<|user|>',
    '<|assistant|>',
    '[inst]',
    '[/inst]',
    '<<sys>>',
    '<</sys>>',
  ],
  ...[
    '<important>',
    '</important>',
    '<system>',
    '</system>',
    '<system_prompt>',
    '<system-reminder>',
    '<instructions>',
    '[system]',
    '[system message]',
  ],
  ...[
    '</tool_result>',
    '<tool_result>',
    '</function_results>',
    '<function_results>',
    '</tool_response>',
    '<assistant>',
    '<admin>',
    '<secret>',
    '[assistant]',
    '<override>',
    '<critical>',
  ],
];

/** A page has a bracket every few characters. */
const firstTwo = (text: string, at: number): number => text.charCodeAt(at) * 0x1_0000 + text.charCodeAt(at + 1);
const markersBy = Map.groupBy(markers, (marker) => firstTwo(marker, 0));

const letterOfDigit = 'oi\0eas\0t';
/** The letter that a digit may stand for; a digit that stands for none stays. */
function asLetter(code: number): number {
  if (code < 48 || code > 55) return code;
  return letterOfDigit.charCodeAt(code - 48) || code;
}

/** Words of one text after the other; what stands close to the end of one counts for the beginning of the next. */
export class CueScan {
  readonly #last = new Int32Array(classCount).fill(-10_000);
  #at = 0;
  #hasAccents = false;
  #turned = 0;
  readonly #near: Near = (name, words) => this.#at - this.#last[classIds[name]]! <= words;

  /** @param text folded, in lower case. */
  feed(text: string): CueHit[] {
    const hits: CueHit[] = [];
    this.#turned = 0;
    this.#last[clause] = this.#at;
    const isForeign = !isPlain(text);
    this.#hasAccents = isForeign && accents.test(text);
    let from = 0;
    while (from < text.length) {
      const code = text.charCodeAt(from);
      if (isWord(code) || isPathStart(text, from, code)) from = this.#word(text, from, hits);
      else from = this.#mark(text, from, code, hits);
    }
    if (isForeign && hasUnspaced(text) && unspacedPhrases.some((phrase) => text.includes(phrase)))
      hits.push({ cue: 'foreign-phrase', strong: true, at: this.#at });
    return hits;
  }

  /** As if nothing had been read. */
  forget(): void {
    this.#last.fill(-10_000);
    this.#at = 0;
  }

  /** How a word of the last text was turned: backwards, or its letters by thirteen places; 0 where none was. */
  get turned(): number {
    return this.#turned;
  }

  /** Between texts that do not belong together. */
  pause(): void {
    this.#at += paragraphWords;
  }

  #word(text: string, from: number, hits: CueHit[]): number {
    let end = from;
    let plain = true;
    let joined = false;
    do {
      const code = text.charCodeAt(end++);
      if (isLetter(code)) continue;
      plain = false;
      if (isJoint(code) || code === underscore) joined = true;
    } while (end < text.length && goesOn(text, end));
    this.#at++;
    const next = text.charCodeAt(end);
    if (next === 58 && text.startsWith('http', from) && text.startsWith('://', end)) {
      while (end < text.length && !isBlank(text.charCodeAt(end))) {
        if (text.charCodeAt(end) === 36 && text.charCodeAt(end + 1) === 40) this.#saw('filledLink', hits);
        end++;
      }
      this.#saw('link', hits);
      return end;
    }
    if (next === 64 && isWord(text.charCodeAt(end + 1))) {
      this.#saw('link', hits);
      this.#saw('address', hits);
    }
    const known = classesAt(text, from, end);
    if (known !== none) for (const id of known) this.#sawId(id, hits);
    else if (plain) this.#unknown(text, from, end, hits);
    else if (joined) this.#joined(text.slice(from, Math.min(end, from + maxWord)), hits);
    else for (const id of withDigits(text, from, end)) this.#sawId(id, hits);
    return end;
  }

  #unknown(text: string, from: number, end: number, hits: CueHit[]): void {
    const way = turnedWay(text, from, end);
    if (way > 0) this.#turned = way;
    if (end - from >= longWord && isLatin(text.charCodeAt(from)))
      this.#each(partedWords(text.slice(from, Math.min(end, from + maxWord))).split(' '), hits);
    else if (this.#hasAccents) for (const id of unaccented(text.slice(from, end))) this.#sawId(id, hits);
  }

  /** Words with joints or underscores. */
  #joined(word: string, hits: CueHit[]): void {
    if (isSecretPath(word)) {
      this.#saw('secretPath', hits);
      return;
    }
    const known = classesOf(word);
    for (const id of known) this.#sawId(id, hits);
    if (known.length === 0 && parting.test(word)) this.#parts(word, hits);
    if (!word.includes('_')) return;
    if (manyParts.test(word)) this.#each(word.split('_'), hits);
    if (secretName.test(word)) this.#saw('secretName', hits);
    if (/^[a-z][a-z0-9]*(?:_[a-z0-9]+){1,6}$/.test(word)) this.#saw('toolName', hits);
  }

  /** `ignore/previous.instructions`: joined words. */
  #parts(word: string, hits: CueHit[]): void {
    let from = 0;
    for (let at = 0; at <= word.length; at++) {
      if (at < word.length && !isJoint(word.charCodeAt(at))) continue;
      this.#at++;
      for (const id of classesAt(word, from, at)) this.#sawId(id, hits);
      from = at + 1;
    }
  }

  #each(words: readonly string[], hits: CueHit[]): void {
    for (const word of words) {
      this.#at++;
      for (const id of wordClasses.get(word) ?? none) this.#sawId(id, hits);
    }
  }

  #mark(text: string, from: number, code: number, hits: CueHit[]): number {
    if (code === 60 || code === 91) {
      const marker = markersBy.get(firstTwo(text, from))?.find((each) => text.startsWith(each, from));
      if (marker) {
        this.#at++;
        this.#saw('marker', hits);
        return from + marker.length;
      }
    }
    const after = text.charCodeAt(from + 1);
    const ends = code === 46 || code === 33 || code === 63 || code === 0x3002;
    if (ends && (Number.isNaN(after) || isBlank(after) || code === 0x3002)) this.#at += sentenceWords;
    else if (code === 10 && after === 10) this.#at += paragraphWords;
    else if (code === 10 && isItem(text, from)) this.#at += itemWords;
    if (beginsClause(code)) this.#last[clause] = this.#at;
    return from + 1;
  }

  #saw(name: WordClass, hits: CueHit[]): void {
    this.#sawId(classIds[name], hits);
  }

  #has(classes: readonly number[]): boolean {
    for (const id of classes) if (this.#at - this.#last[id]! > furthest) return false;
    return true;
  }

  #sawId(id: number, hits: CueHit[]): void {
    this.#last[id] = this.#at;
    for (const { cue, strong = false, holds, sets, needed } of rulesOf[id]!) {
      if (!this.#has(needed) || !holds(this.#near)) continue;
      if (cue) hits.push({ cue, strong, at: this.#at });
      if (sets) this.#last[classIds[sets]] = this.#at;
    }
  }
}

const parting = /['\-./]/;
/** Of a variable: `aws_secret_access_key`. */
const secretName = /(?:^|_)(?:secret|token|password|passwd|api_key|private_key|access_key)(?:_|$)/;

const none: readonly number[] = [];

/** A new entry of a list, where the line before has ended or the entry does not go on with a small letter. */
function isItem(text: string, at: number): boolean {
  let from = at + 1;
  while (text.charCodeAt(from) === 32) from++;
  const sign = text.charCodeAt(from);
  if ((sign !== 42 && sign !== 43 && sign !== 45) || text.charCodeAt(from + 1) !== 32) return false;
  const next = text.charCodeAt(from + 2);
  return !isLetter(next) || !isLetter(text.charCodeAt(at - 1));
}

const clause = classIds.clause;
/** Full stop, comma, colon, semicolon, bracket, line break, dash, list sign and quotation mark. */
const beginsClause = (code: number): boolean =>
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

/** Characters of a word with joints that are looked at. */
const maxWord = 64;
const leastMixed = 4;
const maxMixed = 24;
const underscore = 95;
/** English words are shorter: several words without a blank. */
const longWord = 22;
/** A name in code has two or three. */
const manyParts = /^[a-z]{1,24}(?:_[a-z]{1,24}){3,}$/;
// biome-ignore lint/suspicious/noMisleadingCharacterClass: single characters are what is looked for
const accents = /[\u00c0-\u024f\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u1e00-\u1eff\u20d0-\u20ff\ufe20-\ufe2f]/;
const marks = /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]/g;
const isLatin = (code: number): boolean => code < 128;

/** `ígnóré`, and letters that are struck through. */
const unaccented = (word: string): readonly number[] =>
  accents.test(word) ? (wordClasses.get(word.normalize('NFD').replace(marks, '')) ?? none) : none;

/** Which first and last letters and lengths the words of the classes have: nine in ten other words need no look-up. */
const sketch = new Uint8Array(8_192);
const sketchOf = (first: number, last: number, length: number): number =>
  (first * 37 + last * 401 + length * 2_003) & 8_191;
for (const word of wordClasses.keys())
  sketch[sketchOf(word.charCodeAt(0), word.charCodeAt(word.length - 1), word.length)] = 1;

function classesAt(text: string, from: number, end: number): readonly number[] {
  if (end <= from || sketch[sketchOf(text.charCodeAt(from), text.charCodeAt(end - 1), end - from)] !== 1) return none;
  return wordClasses.get(text.slice(from, end)) ?? none;
}

function classesOf(word: string): readonly number[] {
  const joined =
    word.length > 4 && word.includes("'s") ? wordClasses.get(word.slice(0, word.indexOf("'s"))) : undefined;
  return joined ?? withDigits(word, 0, word.length);
}

/** Digits for letters: 1gn0re. */
function withDigits(text: string, from: number, end: number): readonly number[] {
  const length = end - from;
  if (length < leastMixed || length > maxMixed) return none;
  const [first, last] = [asLetter(text.charCodeAt(from)), asLetter(text.charCodeAt(end - 1))];
  if (sketch[sketchOf(first, last, length)] !== 1) return none;
  let word = '';
  let digits = 0;
  for (let at = from; at < end; at++) {
    const code = text.charCodeAt(at);
    const letter = asLetter(code);
    if (letter !== code) digits++;
    word += String.fromCharCode(letter);
  }
  return digits > 0 && digits < length ? (wordClasses.get(word) ?? none) : none;
}

const isBlank = (code: number): boolean =>
  code === 32 || (code >= 9 && code <= 13) || code === 34 || code === 39 || code === 60 || code === 62 || code === 41;

/** Apostrophe, hyphen, full stop, slash. */
const isJoint = (code: number): boolean => code === 39 || (code >= 45 && code <= 47);

const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || code > 0xaa;

const asciiWord = new Uint8Array(128);
for (const char of '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz') asciiWord[char.charCodeAt(0)] = 1;

/** Letters and digits; beyond ASCII everything but general and CJK punctuation. */
const isWord = (code: number): boolean =>
  code < 128
    ? asciiWord[code] === 1
    : code >= 0xaa &&
      !(code >= 0x2000 && code <= 0x206f) &&
      !(code >= 0x3000 && code <= 0x303f) &&
      code !== 0xab &&
      code !== 0xbb;

/** `~/.ssh/x`, `/etc/passwd`, `.env`: one word. */
const isPathStart = (text: string, at: number, code: number): boolean => {
  if (code !== 126 && code !== 47 && code !== 46) return false;
  const next = text.charCodeAt(at + 1);
  return isWord(next) || (code === 126 && next === 47);
};

function goesOn(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (isWord(code)) return true;
  if (isJoint(code) || code === 0x2019)
    return isWord(text.charCodeAt(at + 1)) || (code === 47 && text.charCodeAt(at + 1) === 46);
  return false;
}

const unspaced = /[\u0600-\u06ff\u0590-\u05ff\u0900-\u097f\u0e00-\u0e7f\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/;
const hasUnspaced = (text: string): boolean => unspaced.test(text);
