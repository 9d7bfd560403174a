/** Verbs in tool names, from `core/catalog/tool-names.yaml`, which says what each list means. */
import { verbs } from '#core/catalog/tool-names.ts';
import type { Capability } from '#core/contracts/envelope.ts';

export type Change = Exclude<Capability, 'read'>;
type Words = ReadonlySet<string>;

const set = (words: string): Words => new Set(words.split(' '));
const setsOf = (table: Readonly<Record<string, string>>): ReadonlyMap<string, Words> =>
  new Map(Object.entries(table).map(([word, words]) => [word, set(words)]));
const changes = (table: Readonly<Record<Change, string>>): ReadonlyMap<string, Change> =>
  new Map(
    (Object.keys(table) as Change[]).flatMap((change) =>
      table[change].split(' ').map((word) => [word, change] as const),
    ),
  );

export const readingVerbs = set(verbs.reading);
export const readingNouns = set(verbs.reading_nouns);
export const readingWith: ReadonlyMap<string, { readonly objects: Words; readonly otherwise: Change }> = new Map(
  Object.entries(verbs.reading_with).map(([verb, { objects, otherwise }]) => [
    verb,
    { objects: set(objects), otherwise },
  ]),
);
export const actingOn = setsOf(verbs.acting_on);
export const offering = set(verbs.offering);
export const prepositions = set(verbs.prepositions);
export const listed = set(verbs.listed);
export const verbParticles = set(verbs.particles);
export const joining = set(verbs.joining);
export const transparent = set(verbs.transparent);
export const changingVerbs = changes(verbs.changing);
export const producingVerbs = set(verbs.producing);
export const nounsAndVerbs = changes(verbs.nouns_and_verbs);
export const verbObjects = setsOf(verbs.verb_objects);
export const leadingNouns = set(verbs.leading_nouns);
export const services = set(verbs.services);
export const compounds = set(verbs.compounds);
export const sendingVerbs = set(verbs.sending);
