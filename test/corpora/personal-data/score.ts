/** Computes recall and precision on the personal data corpus. */

import type { PiiEntity } from '#core/contracts/config.ts';
import { PersonalData } from '#core/models/content-policy/personal-data.ts';
import { readingOf } from '#core/models/content-policy/reading.ts';
import type { Sample } from './corpus.ts';

export interface Score {
  readonly recall: number;
  readonly precision: number;
  readonly missed: readonly string[];
  /** False findings, with the text around them. */
  readonly wrong: readonly string[];
}

/** The number of extra characters that may be redacted around planted data. */
const marginCharacters = 2;

/** Scores one kind separately over the whole corpus; it must not find the other kinds. */
export function scoreOf(kind: PiiEntity, samples: readonly Sample[]): Score {
  const personalData = new PersonalData([
    { index: 0, filter: { name: 'pii', type: 'pii', action: 'redact', entities: [kind] } },
  ]);
  const missed: string[] = [];
  const wrong: string[] = [];
  let found = 0;
  for (const { text, planted } of samples) {
    const wanted = planted?.kind === kind ? planted : undefined;
    let hit = false;
    for (const { start, end } of personalData.find(readingOf(text), () => 0)) {
      const isWanted =
        wanted &&
        start <= wanted.start &&
        end >= wanted.end &&
        end - start - (wanted.end - wanted.start) <= marginCharacters;
      if (isWanted) hit = true;
      else wrong.push(`${text.slice(start, end)} in ${text}`);
    }
    if (hit) found++;
    else if (wanted) missed.push(`${text.slice(wanted.start, wanted.end)} in ${text}`);
  }
  return { recall: found / (found + missed.length), precision: found / (found + wrong.length), missed, wrong };
}
