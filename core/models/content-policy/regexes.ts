/** Regex filters: configured patterns, applied to the text as written and as read. */
import type { ContentFilter } from '#core/contracts/config.ts';
import type { Tally } from './findings.ts';
import { PartialMatches } from './partial-match.ts';
import { type PatternSet, patternSet } from './pattern-set.ts';
import type { Reading } from './reading.ts';

export type RegexFilter = Extract<ContentFilter, { type: 'regex' }>;

/** Maximum number of characters held back for a pattern with unbounded matches. */
const windowCharacters = 256;

type IndexedFilter = { readonly index: number; readonly filter: RegexFilter };

interface CompiledFilters {
  readonly set: PatternSet;
  /** Filter that each pattern belongs to. */
  readonly owners: readonly number[];
  /**
   * Filters whose patterns do not compile, which is possible only in a configuration that was stored without
   * validation.
   */
  readonly broken: readonly number[];
}

/** Regex filters of a phase as one set, which is compiled when first needed. */
export class Regexes {
  readonly #filters: readonly IndexedFilter[];
  #compiled: CompiledFilters | undefined;
  #partial: PartialMatches | undefined;

  constructor(filters: readonly IndexedFilter[]) {
    this.#filters = filters;
  }

  get broken(): readonly number[] {
    return this.#ready().broken;
  }

  get owners(): readonly number[] {
    return this.#ready().owners;
  }

  check(raw: string, reading: Reading, tally: Tally): void {
    const { set, owners, broken } = this.#ready();
    for (const filter of broken) tally.erred(filter);
    if (owners.length === 0) return;
    const inText = set.matching(reading.text);
    const inRaw = reading.text === raw ? inText : set.matching(raw);
    if (inText.length === 0 && inRaw.length === 0) return;
    const [asRead, asWritten] = [new Set(inText), new Set(inRaw)];
    for (const pattern of asRead.union(asWritten)) {
      const inReading = asRead.has(pattern) ? set.count(pattern, reading.text) : 0;
      const inWriting = reading.text !== raw && asWritten.has(pattern) ? set.count(pattern, raw) : 0;
      tally.found(owners[pattern]!, Math.max(inReading, inWriting));
    }
  }

  /** Returns the partial matches for streams. */
  partial(holds: (filter: number) => boolean): PartialMatches {
    const { set, owners } = this.#ready();
    this.#partial ??= new PartialMatches(set.program, owners.map(holds), windowCharacters);
    return this.#partial;
  }

  #ready(): CompiledFilters {
    this.#compiled ??= compiledOf(this.#filters) ?? compiledApart(this.#filters);
    return this.#compiled;
  }
}

function compiledOf(filters: readonly IndexedFilter[]): CompiledFilters | undefined {
  try {
    const set = patternSet(filters.flatMap(({ filter }) => filter.patterns));
    return { set, owners: filters.flatMap(({ index, filter }) => filter.patterns.map(() => index)), broken: [] };
  } catch {
    return undefined;
  }
}

/** Compiles the set, omitting filters that do not compile, or every filter if together they are too large. */
function compiledApart(filters: readonly IndexedFilter[]): CompiledFilters {
  const sound = filters.filter((filter) => compiledOf([filter]) !== undefined);
  const compiled = compiledOf(sound);
  const broken = filters.filter((filter) => !compiled || !sound.includes(filter)).map(({ index }) => index);
  return { ...(compiled ?? { set: patternSet([]), owners: [] }), broken };
}
