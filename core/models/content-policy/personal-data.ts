/** PII filters: finds personal data and, where a filter says so, replaces it. */
import { type ContentFilter, type PiiEntity, piiEntities } from '#core/contracts/config.ts';
import { email, ip } from './addresses.ts';
import { apiKey } from './api-key.ts';
import { creditCard } from './credit-card.ts';
import type { Entity } from './entity.ts';
import type { Tally } from './findings.ts';
import { iban } from './iban.ts';
import type { JsonSpelling, Raw } from './json-spelling.ts';

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

/** A filter that the `strip_pii` transform stands for. */
export const stripPii: PiiFilter = { name: 'strip_pii', type: 'pii', action: 'redact', entities: [...piiEntities] };

/** One occurrence, where it was written. */
export interface Occurrence {
  readonly entity: PiiEntity;
  readonly start: number;
  readonly end: number;
}

/** `[REDACTED:EMAIL]`. */
export const redacted = (entity: PiiEntity): string => `[REDACTED:${entity.toUpperCase()}]`;

/** All PII filters of a phase. */
export class PersonalData {
  readonly entities: readonly Entity[];
  readonly filters: readonly { readonly index: number; readonly filter: PiiFilter }[];
  /** Entities that some filter redacts. */
  readonly redacts: ReadonlySet<PiiEntity>;
  #partial: PartialMatches | undefined;

  constructor(filters: readonly { readonly index: number; readonly filter: PiiFilter }[]) {
    this.filters = filters;
    const used = new Set(filters.flatMap(({ filter }) => filter.entities));
    this.entities = piiEntities.filter((name) => used.has(name)).map((name) => all[name]);
    const redacting = filters.filter(({ filter }) => filter.action === 'redact');
    this.redacts = new Set(redacting.flatMap(({ filter }) => filter.entities));
  }

  /** @returns the text with everything redacted that a filter redacts. */
  check(raw: string, reading: Reading, tally: Tally, spelling?: JsonSpelling): string {
    const found = this.find(reading, () => 0, spelling?.raw(0));
    for (const { index, filter } of this.filters) {
      const theirs = withoutOverlaps(found.filter(({ entity }) => filter.entities.includes(entity)));
      if (theirs.length > 0) tally.found(index, theirs.length, [...new Set(theirs.map(({ entity }) => entity))]);
    }
    const redactions = withoutOverlaps(found.filter(({ entity }) => this.redacts.has(entity)));
    return redactions.length === 0 ? raw : replaced(raw, redactions, spelling);
  }

  /** Occurrences of every entity, each kind apart from itself; `from` is where a kind is looked for. */
  find(reading: Reading, from: (entity: PiiEntity) => number, raw?: Raw, least = 0): Occurrence[] {
    const found = this.entities.flatMap((entity) =>
      entity.find(reading.text, from(entity.name)).map(([first, last]): Occurrence => {
        const [start, end] = writtenRange(reading, first, last);
        return { entity: entity.name, start, end };
      }),
    );
    if (raw && this.entities.includes(apiKey)) found.push(...escapedKeys(raw, least));
    return found.sort(earlierLonger);
  }

  /** For streams: how far a text may still become an entity with a shape. Shapes are bounded, so no window is needed. */
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

/** A quote that is escaped belongs to a password in quotes: decoded it seems to end it. */
const escapedKeys = ({ text, indexOf, decodedAt }: Raw, least: number): Occurrence[] =>
  apiKey.find(text, indexOf(least)).map(([start, end]) => ({
    entity: 'api_key',
    start: decodedAt(start),
    end: decodedAt(end - 1) + 1,
  }));

const earlierLonger = (a: Occurrence, b: Occurrence): number => a.start - b.start || b.end - a.end;

/** Of occurrences that overlap, the one that begins first, then the longest; none begins before `from`. */
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

function replaced(raw: string, occurrences: readonly Occurrence[], spelling: JsonSpelling | undefined): string {
  const written = (start: number, end: number) => spelling?.written(start, end) ?? raw.slice(start, end);
  let text = '';
  let from = 0;
  for (const { entity, start, end } of occurrences) {
    const label = redacted(entity);
    text += written(from, start) + (spelling?.redacted(start, end, label) ?? label);
    from = end;
  }
  return text + (spelling?.rest(from) ?? raw.slice(from));
}
