/**
 * Scans a text word by word for cues that address a model, in one pass without backtracking, so in linear time
 * [guard.linear].
 */
import { isPlain } from '#core/text/fold/visible.ts';
import { namesSecretFile } from '#core/text/secrets/secret-paths.ts';
import { markerAt } from './cue-markers.ts';
import { furthest, neededBy } from './needed-classes.ts';
import { partedWords } from './parted-words.ts';
import type { Cue, Near } from './rule.ts';
import { rules } from './rules.ts';
import { turnedWay } from './turned-words.ts';
import { beginsClause, goesOn, isBlank, isItem, isJoint, isLetter, isPathStart, isWord } from './word-characters.ts';
import { accents, classesAt, classesOf, none, unaccented, withDigits } from './word-lookup.ts';
import { classCount, classIds, unspacedPhrases, type WordClass, wordClasses } from './words.ts';

export interface CueHit {
  readonly cue: Cue;
  readonly strong: boolean;
  /** Number of words since the scan began. */
  readonly at: number;
}

const sentenceWords = 10;
const paragraphWords = 30;
const itemWords = 20;

const prepared = rules.map((rule) => ({ ...rule, needed: neededBy(rule) }));
const rulesOf = Array.from({ length: classCount }, (_, id) =>
  prepared.filter(({ on }) => on.some((name) => classIds[name] === id)),
);

/** Scan of consecutive texts: words near the end of one count as near the beginning of the next. */
export class CueScan {
  readonly #last = new Int32Array(classCount).fill(-10_000);
  #at = 0;
  #hasAccents = false;
  #turned = 0;
  readonly #near: Near = (name, words) => this.#at - this.#last[classIds[name]]! <= words;

  /**
   * Scans a text and returns its cues.
   * @param text folded, in lower case.
   */
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

  /** Resets the scan. */
  forget(): void {
    this.#last.fill(-10_000);
    this.#at = 0;
  }

  /** How a word of the last text was turned: reversed, or ROT13; 0 if none was. */
  get turned(): number {
    return this.#turned;
  }

  /** Separates unrelated texts. */
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

  /** Checks words with joints or underscores. */
  #joined(word: string, hits: CueHit[]): void {
    if (namesSecretFile(word)) {
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

  /** Checks the parts of joined words such as `ignore/previous.instructions`. */
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
      const marker = markerAt(text, from);
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

const clause = classIds.clause;

/** Maximum number of characters checked in a joined word. */
const maxWord = 64;
const underscore = 95;
/** English words are shorter: longer ones are several words without spaces. */
const longWord = 22;
/** Names in code have two or three parts; more are a sentence. */
const manyParts = /^[a-z]{1,24}(?:_[a-z]{1,24}){3,}$/;
const isLatin = (code: number): boolean => code < 128;
const parting = /['\-./]/;
/** Name of a secret variable: `aws_secret_access_key`. */
const secretName = /(?:^|_)(?:secret|token|password|passwd|api_key|private_key|access_key)(?:_|$)/;

const unspaced = /[\u0600-\u06ff\u0590-\u05ff\u0900-\u097f\u0e00-\u0e7f\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/;
const hasUnspaced = (text: string): boolean => unspaced.test(text);
