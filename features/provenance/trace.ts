/** Traces each value of a call to the text and results that the session has seen [provenance.traced]. */
import {
  type CallSources,
  sourceKey,
  system,
  trusted,
  unknown,
  type ValueOrigin,
  type ValueSource,
} from '#core/contracts/provenance.ts';
import { addressesIn } from '#core/text/decode/addresses.ts';
import { jsonIn, readingsOf } from '#core/text/decode/encodings.ts';
import { type DatePart, datePartsIn } from './date-parts.ts';
import { disguisedTexts } from './disguises.ts';
import { type ValueForms, valueForms } from './forms.ts';
import { piecesOf } from './pieces.ts';
import { isNamed } from './places.ts';

/**
 * One message or result that the session has seen. It can be searched for forms but does not contain the text itself.
 */
export interface SeenText extends Omit<ValueOrigin, 'part'> {
  has(form: string): boolean;
}

/** Everything that a session has seen. */
export interface SessionTexts {
  readonly seen: readonly SeenText[];
  /** False if results are missing from the record because it was full or they were too large. */
  readonly complete: boolean;
}

const maxValues = 2_000;
const maxCharacters = 16_384;
const maxOrigins = 8;
const maxLevels = 64;

/**
 * Returns the sources of the values. Omits deeply nested values and values after the first 2,000: a condition on their
 * source never holds.
 */
export function traceValues(values: readonly unknown[], session: SessionTexts): CallSources {
  const names = new Map<string, ValueSource>();
  const found = new Map<string, ValueSource>();
  const dateParts = datePartsIn(values);
  for (const value of values) walk(value, 0);
  return Object.fromEntries([...names, ...found]);

  function walk(value: unknown, level: number): void {
    if (found.size >= maxValues || level > maxLevels) return;
    if (value !== null && typeof value === 'object') {
      for (const [name, item] of Object.entries(value)) {
        if (!Array.isArray(value) && names.size < maxValues) names.set(sourceKey(name), ofName(name, session));
        walk(item, level + 1);
      }
      for (const { pieces, joined } of piecesOf(value)) noteJoined(pieces, sourceOf(joined, session));
      return;
    }
    const key = sourceKey(value);
    if (!found.has(key)) found.set(key, sourceOf(value, session, dateParts.get(key)));
  }

  /** Marks a result that contains the joined text as a partial source of each piece. */
  function noteJoined(pieces: readonly unknown[], { from = [] }: ValueSource): void {
    const results = from.filter(({ label }) => label !== trusted && label !== system);
    if (results.length === 0) return;
    for (const piece of pieces) {
      const source = found.get(sourceKey(piece));
      if (!source || source.whole.includes(trusted)) continue;
      const parts = results.flatMap(labelsOf).filter((label) => !source.whole.includes(label));
      const origins = [...(source.from ?? []), ...results.map((origin) => ({ ...origin, part: true as const }))];
      found.set(sourceKey(piece), {
        ...source,
        parts: distinctLabels([...source.parts, ...parts]),
        from: origins.slice(0, maxOrigins),
      });
    }
  }
}

/**
 * Returns the source of a member name. Names come from the tool's schema, so an ordinary word does not count as coming
 * from a result. An address, a long number or encoded text is data and must have a source.
 */
function ofName(name: string, session: SessionTexts): ValueSource {
  if (!valueForms(name)?.marks.length) return { whole: [], parts: [] };
  const source = sourceOf(name, session);
  return isData(name) || !source.whole.includes(unknown) ? source : { ...source, whole: [] };
}

const isData = (name: string): boolean =>
  /.@.|\d{5}/.test(name) || addressesIn(name).length > 0 || readingsOf(name).length > 0;

/**
 * Returns the source of a string, number, boolean or null. A boolean or null is too common to trace.
 * @param datePart the part of a date that the value represents, according to its names in the call.
 */
export function sourceOf(value: unknown, session: SessionTexts, datePart?: DatePart, depth = 0): ValueSource {
  if (typeof value !== 'string' && typeof value !== 'number') return { whole: [unknown], parts: [] };
  const text = String(value);
  const inside = typeof value === 'string' && depth < 2 ? jsonIn(text) : undefined;
  if (inside !== undefined)
    return commonSources(leaves(inside).map((leaf) => sourceOf(leaf, session, undefined, depth + 1)));
  const cut = text.slice(0, maxCharacters);
  const origins = text.length > cut.length ? partialOrigins(cut, session.seen) : originsOf(cut, session.seen, datePart);
  const whole = origins.filter(({ part }) => !part).flatMap(labelsOf);
  const parts = [...origins.filter(({ part }) => part).flatMap(labelsOf), ...foreignAddresses(cut, session)];
  return {
    whole: whole.length > 0 ? distinctLabels(whole) : [unknown],
    parts: distinctLabels(parts.filter((label) => !whole.includes(label))),
    ...(!session.complete && { incomplete: true as const }),
    ...(origins.length > 0 && { from: origins.slice(0, maxOrigins) }),
  };
}

/**
 * Finds addresses in a text that the person did not write: `address:<tool>`, or `address:unknown` if they are not in
 * any result. Text that sends its reader to such an address can leak data, even to a recipient named by the person
 * [pack.provenance].
 */
function foreignAddresses(text: string, { seen }: SessionTexts): string[] {
  return addressesIn(text).flatMap((address) => {
    const asked = valueForms(address);
    if (!asked) return [];
    const holders = holdersOf([asked], seen).filter(({ part }) => !part);
    if (holders.some(({ label }) => label === trusted || label === system)) return [];
    const tools = holders.map(({ label }) => `address:${label.replace(/^tool:/, '')}`);
    return tools.length > 0 ? tools : ['address:unknown'];
  });
}

/** Returns the origins of a text, of part of it, or of its disguised forms. */
function originsOf(text: string, seen: readonly SeenText[], datePart?: DatePart): ValueOrigin[] {
  const found = holdersOf(
    [text, ...readingsOf(text)].flatMap((reading) => valueForms(reading, datePart) ?? []),
    seen,
  );
  // A text that the person stated in full does not have another source.
  if (found.some(({ label, part }) => label === trusted && !part)) return found;
  const others = seen.filter(
    (each) => isResult(each) && !found.some(({ label, action, where }) => isSameText(each, { label, action, where })),
  );
  if (others.length === 0) return found;
  const disguised = disguisedTexts(text).flatMap((each) => valueForms(each) ?? []);
  return [...found, ...holdersOf(disguised, others).map((origin) => ({ ...origin, part: true as const }))];
}

const isResult = ({ label }: Pick<SeenText, 'label'>): boolean => label !== trusted && label !== system;
const isSameText = (a: SeenText, b: Pick<SeenText, 'label' | 'action' | 'where'>): boolean =>
  a.label === b.label && a.action === b.action && a.where === b.where;

/**
 * Returns the messages and results that contain a value. The person's messages are searched together, since a value may
 * span two of them; each result is searched separately.
 */
function holdersOf(asked: readonly ValueForms[], seen: readonly SeenText[]): ValueOrigin[] {
  const own = seen.filter(({ label }) => label === trusted);
  const words = { label: trusted, has: (form: string) => own.some((each) => each.has(form)) };
  return [...(own.length > 0 ? [words] : []), ...seen.filter(({ label }) => label !== trusted)].flatMap((each) => {
    if (asked.some((one) => isWhole(one, each) || (isResult(each) && isWithin(one, each)))) return [originOf(each)];
    // If the words are the same but the place or amount differs, the match is only partial.
    return asked.some((one) => isPart(one, each) || hasWords(one, each))
      ? [{ ...originOf(each), part: true as const }]
      : [];
  });
}

/** Returns the origins of a text that is too long to search as a whole, so only its parts can be traced. */
const partialOrigins = (text: string, seen: readonly SeenText[]): ValueOrigin[] =>
  originsOf(text, seen).map((origin) => ({ ...origin, part: true }));

const isWhole = (asked: ValueForms, seen: Pick<SeenText, 'has'>): boolean =>
  hasWords(asked, seen) &&
  asked.units.every((form) => seen.has(form)) &&
  asked.wider.patterns.every((pattern) => seen.has(`at:${pattern}`)) &&
  asked.wider.places.every((place) => isNamed(place, seen.has));

const hasWords = ({ all, instead }: ValueForms, { has }: Pick<SeenText, 'has'>): boolean =>
  all.every((form) => has(form)) || instead.some((form) => has(form));

const isWithin = ({ within }: ValueForms, { has }: Pick<SeenText, 'has'>): boolean => within.some((form) => has(form));

/** Reports whether a text contains part of a value: an address, a long number, or five consecutive atoms. */
const isPart = ({ runs, marks }: ValueForms, { has }: Pick<SeenText, 'has'>): boolean =>
  marks.some((form) => has(form)) ||
  (runs.length >= 2 && runs.some((form, at) => at > 0 && has(runs[at - 1]!) && has(form)));

const originOf = ({
  label,
  server,
  action,
  where,
}: SeenText | (Pick<SeenText, 'label'> & Partial<SeenText>)): ValueOrigin => ({
  label,
  ...(server !== undefined && { server }),
  ...(action !== undefined && { action }),
  ...(where !== undefined && { where }),
});

const labelsOf = ({ label, server }: ValueOrigin): string[] =>
  server === undefined || label === trusted || label === system ? [label] : [label, `server:${server}`];

const leaves = (value: unknown): unknown[] =>
  value !== null && typeof value === 'object' ? Object.values(value).flatMap(leaves) : [value];

/** Combines the sources of several values into one: a source of the whole must be a source of each value. */
function commonSources(sources: readonly ValueSource[]): ValueSource {
  const [first, ...others] = sources;
  if (!first) return { whole: [unknown], parts: [] };
  const whole = first.whole.filter((label) => others.every((other) => other.whole.includes(label)));
  const all = sources.flatMap((source) => [...source.whole, ...source.parts]);
  const from = sources.flatMap((source) => source.from ?? []);
  return {
    whole: whole.length > 0 ? whole : [unknown],
    parts: distinctLabels(all.filter((label) => label !== unknown && !whole.includes(label))),
    ...(sources.some(({ incomplete }) => incomplete) && { incomplete: true as const }),
    ...(from.length > 0 && { from: from.slice(0, maxOrigins) }),
  };
}

const distinctLabels = (labels: readonly string[]): string[] => [...new Set(labels)];
