/**
 * Determines a tool's capability from its name, in the same way for chat, MCP and Git hosts. The most severe verb in
 * the name counts. A name counts as a read only if all of it clearly implies reading [action.class].
 */
import { type Capability, capabilities } from '#core/contracts/call-sizes.ts';
import { rememberedText } from '#core/kernel/remembered.ts';
import { type ToolWords, toolWordCuts } from './tool-words.ts';
import {
  actingOn,
  type Change,
  changingVerbs,
  compounds,
  joining,
  leadingNouns,
  listed,
  nounsAndVerbs,
  offering,
  prepositions,
  readingNouns,
  readingVerbs,
  readingWith,
  services,
  transparent,
  verbObjects,
  verbParticles,
} from './verbs.ts';

/** A capability and the reason for it. */
export interface ToolClass {
  readonly capability: Capability;
  readonly why: string;
}

/** Class derived from a tool name. */
interface NamedClass extends ToolClass {
  /** True if a verb in the name implies a change. */
  readonly changes: boolean;
}

/** MCP `annotations` of a tool, as sent by its server. Unknown members are ignored. */
type Annotations = unknown;

/** Returns the more severe of two capabilities. */
export const moreSevere = (a: Capability, b: Capability): Capability =>
  capabilities.indexOf(a) >= capabilities.indexOf(b) ? a : b;

/**
 * Returns a tool's capability based on its name. Annotations from its server can only make the capability more severe.
 */
export const capabilityFromName = (name: string, annotations?: Annotations): Capability =>
  classifyTool(name, annotations).capability;

/**
 * Returns the capability with its reason. A name without a known verb counts as `execute`. `readOnlyHint: false` turns
 * a read into a write. `destructiveHint: true` means `delete` only if no verb in the name implies a change: with a verb
 * such as `write`, the hint only means that data is overwritten.
 */
export function classifyTool(name: string, annotations?: Annotations): NamedClass {
  const named = byName(name);
  const hint = (key: string): unknown =>
    annotations !== null && typeof annotations === 'object' ? (annotations as Record<string, unknown>)[key] : undefined;
  if (hint('destructiveHint') === true && !named.changes)
    return {
      ...named,
      capability: 'delete',
      why: `${named.why}; its server declares it destructive (destructiveHint)`,
    };
  if (hint('readOnlyHint') === false && named.capability === 'read') {
    return {
      ...named,
      capability: 'write',
      why: `${named.why}; its server says that it changes something (readOnlyHint)`,
    };
  }
  return named;
}

const byName = rememberedText((name: string): NamedClass => {
  const [first, ...others] = toolWordCuts(name).map(byWords);
  if (postMethod.test(name) && /[a-z]/.test(name))
    others.push({ capability: 'write', why: 'the method POST in its name', changes: true });
  // From the other ways to split a name, only verbs count: `DBListTables` is not unknown because of `dbl` and `ist`.
  return others
    .filter(({ changes }) => changes)
    .reduce(
      (gravest, next) => (moreSevere(gravest.capability, next.capability) === gravest.capability ? gravest : next),
      first!,
    );
});

/**
 * Matches POST in capitals among other letters, which is the HTTP method rather than a noun: `readPOSTdata`,
 * `read_post_data`.
 */
const postMethod = /(?<![A-Z])POST(?![A-Z])/;

function byWords({ family, words: written, ascii }: ToolWords): NamedClass {
  const words = withCompounds(written);
  let gravest: { readonly word: string; readonly change: Change } | undefined;
  const found = (word: string, change: Change): void => {
    if (!gravest || moreSevere(change, gravest.change) !== gravest.change) gravest = { word, change };
  };
  for (const word of family) {
    const change = changingVerbs.get(word);
    if (change) found(word, change);
  }
  const lead = leadOf(words);
  words.forEach((word, i) => {
    const change = changeAt(words, i, lead, family.length > 0);
    if (change) found(word, change);
  });
  if (gravest) return { capability: gravest.change, why: `the verb "${gravest.word}" in its name`, changes: true };
  if (ascii && hasReadingWord(words, lead, family))
    return { capability: 'read', why: 'its name describes only reading', changes: false };
  return { capability: 'execute', why: 'its name does not say what it does', changes: false };
}

/** Joins compound nouns, so that `pull_request_read` begins with a single noun. */
function withCompounds(words: readonly string[]): string[] {
  const joined: string[] = [];
  for (const word of words) {
    const pair = `${joined.at(-1)}-${word}`;
    if (compounds.has(pair)) joined.splice(-1, 1, pair);
    else joined.push(word);
  }
  return joined;
}

/** Returns the index of the first word after service names, single letters and numbers (`s3_list_objects`). */
function leadOf(words: readonly string[]): number {
  const at = words.findIndex(
    (word) => word.length > 1 && !/^\d+$/.test(word) && !services.has(word) && !transparent.has(word),
  );
  return at < 0 ? words.length : at;
}

/** Returns what the word at an index changes, if it is used as a verb in that position. */
function changeAt(words: readonly string[], i: number, lead: number, inFamily: boolean): Change | undefined {
  const word = words[i]!;
  const always = changeOfWord(word);
  if (always) return always;
  const joined = joining.has(words[i - 1] ?? '');
  const restricted = readingWith.get(word);
  if (restricted && (i === lead || joined || !nounsAndVerbs.has(word)))
    return restricted.objects.has(words[i + 1] ?? '') ? undefined : restricted.otherwise;
  if (joined && !isReading(words, i)) return nounsAndVerbs.get(word) ?? 'execute';
  if (readingVerbs.has(word) && (verbParticles.has(words[i + 1] ?? '') || actingOn.get(word)?.has(words[i + 1] ?? '')))
    return 'write';
  if (word === 'list' && isOffer(words.slice(i + 1))) return 'write';
  const change = nounsAndVerbs.get(word);
  const isLast = i === words.length - 1;
  if (change && verbObjects.get(word)?.has(words[i + 1] ?? '')) return change;
  if (!change || (isLast && (i > 0 || inFamily) && readingNouns.has(word))) return undefined;
  if (i === lead) return change === 'write' && isNounBefore(words, i) ? undefined : change;
  const isVerb = (at: number): boolean => isReading(words, at) || changingVerbs.has(words[at]!);
  return isLast && !words.slice(lead, i).some((_, at) => isVerb(lead + at)) ? change : undefined;
}

/** Checks for a sales offer: `list_item_for_sale`. */
const isOffer = (words: readonly string[]): boolean =>
  words.some((word, at) => at > 0 && offering.has(word) && prepositions.has(words[at - 1]!));

/**
 * Checks for a plural or a collection: `list_items` and `list_directory` read, but `list_item` may offer the item for
 * sale.
 */
function listsMany(words: readonly string[]): boolean {
  const end = words.findIndex((word) => prepositions.has(word));
  const things = end < 0 ? words : words.slice(0, end);
  return things.length === 0 || things.some((word) => listed.has(word) || /[^siu]s$/.test(word));
}

/** Checks for a noun before a final reading verb: `issue_read`. */
const isNounBefore = (words: readonly string[], i: number): boolean =>
  words.length === i + 2 && (readingVerbs.has(words[i + 1]!) || readingNouns.has(words[i + 1]!));

const isReading = (words: readonly string[], i: number): boolean =>
  readingVerbs.has(words[i]!) || (readingWith.get(words[i]!)?.objects.has(words[i + 1] ?? '') ?? false);

/** Checks for a leading verb that reads, or for a known noun with a reading word at the end: `directory_tree`. */
function hasReadingWord(words: readonly string[], lead: number, family: readonly string[]): boolean {
  const first = words[lead];
  if (first === undefined) return false;
  if (isReading(words, lead)) return first !== 'list' || listsMany(words.slice(lead + 1));
  const last = words.at(-1)!;
  const behindNoun =
    lead < words.length - 1 && (leadingNouns.has(first) || compounds.has(first) || nounsAndVerbs.has(first));
  if (behindNoun) return readingVerbs.has(last) || readingNouns.has(last);
  // `git_log` and `scm.status` consist of a service and the data that is read.
  return (
    readingNouns.has(last) &&
    lead >= words.length - 1 &&
    (words.length > 1 || family.some((word) => services.has(word)))
  );
}

/** Returns what a word changes in any position: it is a verb that implies a change, or is derived from one. */
export const changeOfWord = (word: string): Change | undefined => changingVerbs.get(word) ?? derivedChange(word);

/** Returns what a word derived from a verb changes: `autosave`, `rescale`, `normalize`, `deleteall`. */
function derivedChange(word: string): Change | undefined {
  if ([leadingNouns, services, nounsAndVerbs, readingVerbs, compounds].some((known) => known.has(word)))
    return undefined;
  const stem = prefixed.exec(word)?.[1];
  const repeated = stem === undefined ? undefined : changingVerbs.get(stem);
  if (repeated) return repeated;
  if (/(?:[a-z]{3}ize|[a-z]{2}ify)$/.test(word)) return 'write';
  for (let end = shortestStem; end < word.length; end++) {
    const change = changingVerbs.get(word.slice(0, end));
    if (change && (end >= 5 || change === 'delete') && !ending.test(word.slice(end))) return change;
  }
  return undefined;
}

const prefixed = /^(?:auto|de|mass|mis|over|pre|re|un)([a-z]{3,})$/;
const shortestStem = 4;
/** Endings that turn a verb into a noun or an adjective: `updates`, `created`, `publisher`, `assignment`. */
const ending =
  /^(?:d|ed|led|s|es|r|er|ers|or|ors|st|ing|ings|ion|ions|ation|ations|lation|lations|ment|ments|able|al|als|ance|ant|ee|ees|up|ups)$/;
