/** Applies the output filters to one stream of text, and tracks which text is held, clean or to be redacted. */
import type { PiiEntity } from '#core/contracts/config.ts';
import { apiKey } from './api-key.ts';
import type { Filters } from './filters.ts';
import type { Tally } from './findings.ts';
import { JsonSpelling } from './json-spelling.ts';
import { advance, copyLines, type Lines, newLine } from './lines.ts';
import { MatchCount } from './match-count.ts';
import type { PatternMatch } from './partial-match.ts';
import { type Occurrence, redactionLabel, withoutOverlaps } from './personal-data.ts';
import { basesOf, endsIncomplete, indexIn, lastLetter, readingOf } from './reading.ts';

/** Number of released characters kept as context, because preceding text affects whether something is an entity. */
const contextCharacters = 192;
/**
 * Maximum number of held characters in any spelling, such as letters separated by thousands of invisible characters.
 */
const heldAtMost = 32 * 1024;

/** Scan of one channel. Positions count from the start of the channel, in decoded text if it is JSON. */
export class ChannelScan {
  readonly #filters: Filters;
  readonly #tally: Tally;
  readonly #lines: Lines;
  readonly #looksForKeys: boolean;
  readonly #holdsKeys: boolean;
  readonly #json: JsonSpelling | undefined;

  #text = '';
  /** Position at which `#text` begins. */
  #base = 0;
  /** Position up to which letters are complete and have been read. */
  #read = 0;
  /** Position up to which text has been released. */
  #released = 0;
  /** Position before which all personal data has been found. */
  #decided = 0;
  /** True if an entity's shape was completed after `#decided`. */
  #hasShape = false;
  /** Start of a possible secret, computed when the text ended at `#keysSeen`. */
  #keysFrom = Infinity;
  #keysSeen = 0;
  readonly #redactions: Occurrence[] = [];
  #redactedTo = 0;
  /** End positions of the last occurrences, by entity and by filter. */
  readonly #entityEnds = new Map<PiiEntity, number>();
  readonly #filterEnds = new Map<number, number>();
  readonly #keywordCount = new MatchCount();
  readonly #readCount = new MatchCount();
  #writtenCount: MatchCount | undefined;

  /** @param isJson true for JSON text, whose strings are decoded. */
  constructor(filters: Filters, tally: Tally, isJson = false) {
    const { keywords, regexes, personalData } = filters;
    const blocks = (filter: number): boolean => tally.actionOf(filter) === 'block';
    const holds = (entity: PiiEntity): boolean =>
      personalData.redacts.has(entity) ||
      personalData.filters.some(({ index, filter }) => blocks(index) && filter.entities.includes(entity));
    this.#filters = filters;
    this.#tally = tally;
    this.#json = isJson ? new JsonSpelling() : undefined;
    this.#looksForKeys = personalData.entities.includes(apiKey);
    this.#holdsKeys = this.#looksForKeys && holds('api_key');
    this.#lines = {
      keywords: keywords.phrases.length > 0 ? newLine(keywords.partial(blocks)) : undefined,
      asRead: regexes.owners.length > 0 ? newLine(regexes.partial(blocks)) : undefined,
      asWritten: undefined,
      entities: personalData.entities.length > 0 ? newLine(personalData.partial(holds)) : undefined,
    };
  }

  /** Text that has not yet been released. */
  get held(): string {
    return this.#json?.rest(this.#released) ?? this.#text.slice(this.#released - this.#base);
  }

  get holds(): boolean {
    return this.held !== '';
  }

  get #end(): number {
    return this.#base + this.#text.length;
  }

  /**
   * Adds text.
   * @returns the text to release; empty once the tally blocks.
   */
  push(written: string): string {
    const text = this.#json?.push(written) ?? written;
    if (text === '') return '';
    this.#text += text;
    const unread = this.#text.slice(this.#read - this.#base);
    const last = lastLetter(unread);
    this.#advance(unread.slice(0, last));
    const { open, holding } = this.#lookAhead(unread.slice(last));
    if (this.#lines.entities) this.#decide(open);
    if (this.#tally.blocked) return '';
    const released = this.#release(Math.max(holding, this.#end - heldAtMost));
    this.#forget();
    return released;
  }

  /** Ends the text and returns the rest to release. */
  end(): string {
    this.#text += this.#json?.end() ?? '';
    this.#advance(this.#text.slice(this.#read - this.#base));
    for (const line of [this.#lines.keywords, this.#lines.asRead, this.#lines.asWritten])
      line?.matches.finish(line.walk, line.hits);
    this.#count();
    this.#hasShape = true;
    if (this.#lines.entities) this.#decide(Infinity);
    return this.#tally.blocked ? '' : this.#release(this.#end);
  }

  #advance(letters: string): void {
    advance(this.#lines, letters, this.#read, this.#json);
    this.#read += letters.length;
    this.#count();
  }

  #count(): void {
    const { keywords, asRead, asWritten } = this.#lines;
    const { phrases } = this.#filters.keywords;
    for (const hit of keywords?.hits.splice(0) ?? []) {
      const { filter, keyword } = phrases[hit.pattern]!;
      if (this.#keywordCount.takes(filter, hit)) this.#tally.found(filter, 1, [keyword]);
    }
    if (asWritten) this.#writtenCount ??= this.#readCount.copy();
    this.#countPatterns(asRead?.hits, this.#readCount, this.#writtenCount);
    this.#countPatterns(asWritten?.hits, this.#writtenCount, this.#readCount);
    if (this.#lines.entities) this.#hasShape ||= this.#lines.entities.hits.splice(0).length > 0;
  }

  /** Counts a match once even if it appears in both spellings. */
  #countPatterns(hits: PatternMatch[] | undefined, count: MatchCount | undefined, other: MatchCount | undefined): void {
    for (const hit of hits?.splice(0) ?? []) {
      const isNew = count?.takes(hit.pattern, hit) && count.of(hit.pattern) > (other?.of(hit.pattern) ?? 0);
      if (isNew) this.#tally.found(this.#filters.regexes.owners[hit.pattern]!, 1);
    }
  }

  /**
   * Returns the positions at which open matches and held text start, including the unfinished letter and any marks that
   * may follow it.
   */
  #lookAhead(letter: string): { readonly open: number; readonly holding: number } {
    const seen = endsIncomplete(letter) ? letter.slice(0, -1) : letter;
    let holding = seen === letter ? this.#end : this.#end - 1;
    let open = holding;
    const ahead = copyLines(this.#lines);
    advance(ahead, seen, this.#read, this.#json);
    for (const kind of ['keywords', 'asRead', 'asWritten', 'entities'] as const) {
      const line = ahead[kind];
      if (!line) continue;
      const { matches, walk, hits } = line;
      holding = Math.min(holding, matches.holdFrom(walk, this.#end));
      if (kind === 'entities') {
        open = Math.min(open, matches.openFrom(walk));
        this.#hasShape ||= hits.length > 0;
      } else for (const { pattern, at } of hits) if (matches.holds(pattern)) holding = Math.min(holding, at);
      const before = (this.#lines[kind] ?? this.#lines.asRead)!.walk;
      for (const base of basesOf(seen)) {
        const { continues, begins } = matches.mayCompose(before, base);
        if (continues) holding = Math.min(holding, matches.holdFrom(before, this.#end));
        if (begins) holding = Math.min(holding, this.#read);
        if (kind === 'entities' && continues) open = Math.min(open, matches.openFrom(before));
        if (kind === 'entities' && begins) open = Math.min(open, this.#read);
      }
    }
    if (!this.#looksForKeys) return { open, holding };
    const keys = this.#openKeys();
    return { open: Math.min(open, keys), holding: this.#holdsKeys ? Math.min(holding, keys) : holding };
  }

  /**
   * Returns the start of a possible secret. Long text without whitespace is rescanned only after it has grown by a
   * fraction of its length, so that the cost stays linear.
   */
  #openKeys(): number {
    const fresh = this.#text.slice(this.#keysSeen - this.#base);
    const since = this.#end - this.#keysFrom;
    if (fresh.length * 16 < since && !/\s/.test(fresh)) return this.#keysFrom;
    this.#keysFrom = this.#openKeysNow();
    this.#keysSeen = this.#end;
    return this.#keysFrom;
  }

  #openKeysNow(): number {
    const base = Math.max(this.#base, this.#decided - contextCharacters);
    const reading = readingOf(this.#text.slice(base - this.#base));
    const read = apiKey.openFrom!(reading.text);
    const from = reading.at ? (reading.at[read] ?? Infinity) : read;
    const raw = this.#json?.raw(base);
    if (!raw) return base + from;
    const written = apiKey.openFrom!(raw.text);
    return base + Math.min(from, written === Infinity ? written : raw.decodedAt(written));
  }

  /** Counts and records personal data that begins before `open`, which later text cannot change. */
  #decide(open: number): void {
    if (open <= this.#decided) return;
    if (this.#hasShape || this.#looksForKeys) {
      const base = Math.max(this.#base, this.#decided - contextCharacters);
      const reading = readingOf(this.#text.slice(base - this.#base));
      const from = (entity: PiiEntity): number =>
        indexIn(reading, Math.max(this.#decided, this.#entityEnds.get(entity) ?? 0) - base);
      const found = this.#filters.personalData
        .find(reading, from, this.#json?.raw(base), this.#decided - base)
        .map(({ entity, start, end }) => ({ entity, start: start + base, end: end + base }))
        .filter(({ start }) => start < open);
      this.#note(found);
    }
    this.#hasShape = open < this.#end && this.#hasShape;
    this.#decided = Math.min(open, this.#end);
  }

  #note(found: readonly Occurrence[]): void {
    const { filters, redacts } = this.#filters.personalData;
    for (const { entity, end } of found) this.#entityEnds.set(entity, end);
    for (const { index, filter } of filters) {
      const theirs = found.filter(({ entity }) => filter.entities.includes(entity));
      const counted = withoutOverlaps(theirs, this.#filterEnds.get(index));
      if (counted.length === 0) continue;
      this.#filterEnds.set(index, counted.at(-1)!.end);
      this.#tally.found(index, counted.length, [...new Set(counted.map(({ entity }) => entity))]);
    }
    const redactions = withoutOverlaps(
      found.filter(({ entity }) => redacts.has(entity)),
      this.#redactedTo,
    );
    this.#redactions.push(...redactions);
    this.#redactedTo = redactions.at(-1)?.end ?? this.#redactedTo;
  }

  /** Releases text before `to`. An occurrence that begins before `to` is redacted and released in full. */
  #release(to: number): string {
    let released = '';
    const take = (end: number): void => {
      if (end > this.#released) released += this.#written(this.#released, end);
      this.#released = Math.max(this.#released, end);
    };
    while (this.#redactions[0] && this.#redactions[0].start < to) {
      const { entity, start, end } = this.#redactions.shift()!;
      take(start);
      released += this.#json?.redacted(start, end, redactionLabel(entity)) ?? redactionLabel(entity);
      this.#released = Math.max(this.#released, end);
    }
    take(to);
    return released;
  }

  #written(from: number, to: number): string {
    return this.#json?.written(from, to) ?? this.#text.slice(from - this.#base, to - this.#base);
  }

  /** Drops text that is neither held nor needed as context. Runs rarely, because it copies text. */
  #forget(): void {
    const needed = Math.min(this.#released, this.#read, this.#lines.entities ? this.#decided : Infinity);
    const keep = needed - contextCharacters;
    if (keep - this.#base < 4 * contextCharacters) return;
    this.#text = this.#text.slice(keep - this.#base);
    this.#base = keep;
    this.#json?.forget(keep);
  }
}
