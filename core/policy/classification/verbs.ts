/** Verbs in tool names, from `core/catalog/tool-names.yaml`, which explains what each list means. */

import { verbs } from '#core/catalog/tool-names.ts';
import type { Capability } from '#core/contracts/envelope.ts';
import { wordSet } from '#core/kernel/word-set.ts';

export type Change = Exclude<Capability, 'read'>;
type Words = ReadonlySet<string>;

const setsOf = (table: Readonly<Record<string, string>>): ReadonlyMap<string, Words> =>
  new Map(Object.entries(table).map(([word, words]) => [word, wordSet(words)]));
const changes = (table: Readonly<Record<Change, string>>): ReadonlyMap<string, Change> =>
  new Map(
    (Object.keys(table) as Change[]).flatMap((change) =>
      table[change].split(' ').map((word) => [word, change] as const),
    ),
  );

export const readingVerbs = wordSet(verbs.reading);
export const readingNouns = wordSet(verbs.reading_nouns);
export const explainingNouns = wordSet(`${verbs.reading_nouns} ${verbs.explaining_nouns}`);
export const measures = wordSet(verbs.measures);
export const authoringVerbs = wordSet(verbs.authoring);
export const readingWith: ReadonlyMap<string, { readonly objects: Words; readonly otherwise: Change }> = new Map(
  Object.entries(verbs.reading_with).map(([verb, { objects, otherwise }]) => [
    verb,
    { objects: wordSet(objects), otherwise },
  ]),
);
export const actingOn = setsOf(verbs.acting_on);
export const offering = wordSet(verbs.offering);
export const prepositions = wordSet(verbs.prepositions);
export const listed = wordSet(verbs.listed);
export const verbParticles = wordSet(verbs.particles);
export const joining = wordSet(verbs.joining);
export const transparent = wordSet(verbs.transparent);
export const changingVerbs = changes(verbs.changing);
export const producingVerbs = wordSet(verbs.producing);
export const nounsAndVerbs = changes(verbs.nouns_and_verbs);
export const verbObjects = setsOf(verbs.verb_objects);
export const leadingNouns = wordSet(verbs.leading_nouns);
export const services = wordSet(verbs.services);
export const compounds = wordSet(verbs.compounds);
export const sendingVerbs = wordSet(verbs.sending);
