/** PII filters, which find personal data and replace it if a filter requires it. */
import { type ContentFilter, type PiiEntity, piiEntities } from '#core/contracts/config.ts';
import { email, ip } from './addresses.ts';
import { apiKey } from './api-key.ts';
import { creditCard } from './credit-card.ts';
import type { Entity } from './entity.ts';
import type { Tally } from './findings.ts';
import { iban } from './iban.ts';
import type { JsonSpelling, RawJson } from './json-spelling.ts';

import { PartialMatches } from './partial-match.ts';
import { patternSet } from './pattern-set.ts';
import { phone } from './phone.ts';
import { type Reading, writtenRange } from './reading.ts';
import { ssn } from './ssn.ts';

export type PiiFilter = Extract<ContentFilter, { type: 'pii' }>;

const all: Readonly<Record<PiiEntity, Entity>> = {
  email,
  ssn,
  credit_card: creditCard,
  phone,
  iban,
  ip,
  api_key: apiKey,
};

/** Filter that implements the `strip_pii` transform. */
export const stripPii: PiiFilter = { name: 'strip_pii', type: 'pii', action: 'redact', entities: [...piiEntities] };

/** Occurrence with its position in the written text. */
export interface Occurrence {
  readonly entity: PiiEntity;
  readonly start: number;
  readonly end: number;
}

/** Returns a label such as `[REDACTED:EMAIL]`. */
export const redactionLabel = (entity: PiiEntity): string => `[REDACTED:${entity.toUpperCase()}]`;

/** PII filters of a phase. */
export class PersonalData {
  readonly entities: readonly Entity[];
  readonly filters: readonly { readonly index: number; readonly filter: PiiFilter }[];
  /** Entities that a filter redacts. */
  readonly redacts: ReadonlySet<PiiEntity>;
  #partial: PartialMatches | undefined;

  constructor(filters: readonly { readonly index: number; readonly filter: PiiFilter }[]) {
    this.filters = filters;
    const used = new Set(filters.flatMap(({ filter }) => filter.entities));
    this.entities = piiEntities.filter((name) => used.has(name)).map((name) => all[name]);
    const redacting = filters.filter(({ filter }) => filter.action === 'redact');
    this.redacts = new Set(redacting.flatMap(({ filter }) => filter.entities));
  }

  /**
   * Checks a text.
   * @returns the text, redacted if required.
   */
  check(raw: string, reading: Reading, tally: Tally, spelling?: JsonSpelling): string {
    const found = this.find(reading, () => 0, spelling?.raw(0));
    for (const { index, filter } of this.filters) {
      const theirs = withoutOverlaps(found.filter(({ entity }) => filter.entities.includes(entity)));
      if (theirs.length > 0) tally.found(index, theirs.length, [...new Set(theirs.map(({ entity }) => entity))]);
    }
    const redactions = withoutOverlaps(found.filter(({ entity }) => this.redacts.has(entity)));
    return redactions.length === 0 ? raw : replaceOccurrences(raw, redactions, spelling);
  }

  /**
   * Returns occurrences of every entity, without overlaps within a kind. `from` returns the position where the search
   * for a kind starts.
   */
  find(reading: Reading, from: (entity: PiiEntity) => number, raw?: RawJson, least = 0): Occurrence[] {
    const found = this.entities.flatMap((entity) =>
      entity.find(reading.text, from(entity.name)).map(([first, last]): Occurrence => {
        const [start, end] = writtenRange(reading, first, last);
        return { entity: entity.name, start, end };
      }),
    );
    if (raw && this.entities.includes(apiKey)) found.push(...escapedKeys(raw, least));
    return found.sort(earlierLonger);
  }

  /** Returns partial matches for streams. Shapes are bounded, so no window is needed. */
  partial(holds: (entity: PiiEntity) => boolean): PartialMatches {
    if (this.#partial) return this.#partial;
    const shaped = this.entities.filter(({ shape }) => shape !== undefined);
    const { program } = patternSet(shaped.map(({ shape }) => shape!));
    this.#partial = new PartialMatches(
      program,
      shaped.map(({ name }) => holds(name)),
      Infinity,
    );
    return this.#partial;
  }
}

/**
 * Finds secrets in the written form: an escaped quote is part of a quoted password, but a decoded quote would end it.
 */
const escapedKeys = ({ text, indexOf, decodedAt }: RawJson, least: number): Occurrence[] =>
  apiKey.find(text, indexOf(least)).map(([start, end]) => ({
    entity: 'api_key',
    start: decodedAt(start),
    end: decodedAt(end - 1) + 1,
  }));

const earlierLonger = (a: Occurrence, b: Occurrence): number => a.start - b.start || b.end - a.end;

/** Removes overlaps by keeping the first, then the longest occurrence. None of the results begins before `from`. */
export function withoutOverlaps(sorted: readonly Occurrence[], from = 0): Occurrence[] {
  const kept: Occurrence[] = [];
  let end = from;
  for (const occurrence of sorted) {
    if (occurrence.start < end) continue;
    kept.push(occurrence);
    end = occurrence.end;
  }
  return kept;
}

function replaceOccurrences(
  raw: string,
  occurrences: readonly Occurrence[],
  spelling: JsonSpelling | undefined,
): string {
  const written = (start: number, end: number) => spelling?.written(start, end) ?? raw.slice(start, end);
  let text = '';
  let from = 0;
  for (const { entity, start, end } of occurrences) {
    const label = redactionLabel(entity);
    text += written(from, start) + (spelling?.redacted(start, end, label) ?? label);
    from = end;
  }
  return text + (spelling?.rest(from) ?? raw.slice(from));
}
