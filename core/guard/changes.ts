/**
 * Finds what a changed definition adds to the accepted one. The stored form of the accepted definition contains none of
 * its server's words, only digests of names and the gateway's own classes [guard.changes].
 */
import { digestOf } from '#core/kernel/canonical.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { remembered } from '#core/kernel/remembered.ts';
import { addressesIn } from '#core/text/decode/addresses.ts';
import { foldForJudging } from './check-text.ts';
import { definitionTexts } from './definition-texts.ts';
import { checkDefinition } from './definitions.ts';
import type { ChangeKind } from './finding.ts';
import { shapesOf } from './parameter-shapes.ts';
import { unreadSentences } from './unread-sentences.ts';

/** The relevant parts of a definition. */
interface Surface {
  /**
   * Kinds of findings in the text; its word classes, with a count if each mention matters (`orders#2`); digests of
   * addresses (`at.`), of sentences in other languages (`unread.`) and of text beyond the part that is read (`rest.`).
   */
  readonly says: readonly string[];
  /** Marks, keyed by the digest of a parameter's path, as in `shapesOf`. */
  readonly parameters: Readonly<Record<string, string>>;
  /** `readOnlyHint`, `destructiveHint`, `idempotentHint`, `openWorldHint`: y, n or -. */
  readonly hints: string;
}

const reach: Readonly<Record<string, RegExp>> = {
  send: /\b(?:send|sends|sent|mail|mails|email|emails|post|posts|upload|uploads|forward|forwards|share|shares|publish|publishes|notif(?:y|ies)|transmits?|sync|syncs|webhook)\b/,
  delete:
    /\b(?:delete|deletes|remove|removes|erase|erases|drop|drops|purge|purges|wipe|wipes|overwrite|overwrites|destroy|destroys)\b/,
  write:
    /\b(?:write|writes|create|creates|update|updates|modif(?:y|ies)|edit|edits|insert|inserts|set|sets|change|changes|merge|merges|push|pushes)\b/,
  execute:
    /\b(?:execute|executes|run|runs|shell|command|commands|script|scripts|eval|spawn|install|installs|deploy|deploys)\b/,
  network: /\b(?:https?|url|urls|internet|download|downloads|fetch|fetches|remote|external|third[- ]party)\b/,
  pay: /\b(?:pay|pays|payment|purchase|buy|buys|transfer|transfers|refund|charge|charges)\b/,
  secrets: /\b(?:password|passwords|secret|secrets|credential|credentials|token|tokens|api[ _-]?keys?|private key)\b/,
  people:
    /\b(?:personal data|contacts|address book|location|calendar|messages|conversation|history|chat|transcript|prompts?|(?:user|person|customer|they|you) (?:has |have |just )?(?:said|asked|wrote|typed|told))\b/,
  orders:
    /\b(?:must|always|never|important|before|first|do not|don't|required to|instead|ignore|immediately|please|kindly|ensure|make sure|be sure|remember to|should|need to|have to)\b/,
};

/** Classes that are counted, because a second mention may mean something else. */
const countedKinds: ReadonlySet<string> = new Set(['orders', 'secrets']);
const oneText = 8_192;
const allTexts = 65_536;
const maxDigests = 16;
const maxParameters = 32;
const hintNames = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'];

export function surfaceOf(definition: JsonObject): Surface {
  const { annotations } = definition;
  const hint = (name: string): string => {
    const value = (annotations as JsonObject | undefined)?.[name];
    return value === true ? 'y' : value === false ? 'n' : '-';
  };
  return { says: saidBy(definition), parameters: parametersOf(definition), hints: hintNames.map(hint).join('') };
}

function saidBy(definition: JsonObject): string[] {
  const texts = definitionTexts(definition).map(({ text }) => text);
  const whole = texts.map((text) => text.slice(0, oneText)).join('\n');
  const read = whole.slice(0, allTexts);
  const rest = [whole.slice(allTexts), ...texts.map((text) => text.slice(oneText))].filter((text) => text !== '');
  const text = foldForJudging(read);
  const kinds = checkDefinition(definition)
    .filter(({ severity }) => severity !== 'low')
    .map(({ kind }) => `found:${kind}`);
  const classes = Object.entries(reach).flatMap(([name, words]) => {
    if (!countedKinds.has(name)) return words.test(text) ? [name] : [];
    const times = text.match(new RegExp(words, 'g'))?.length ?? 0;
    return times === 0 ? [] : [times === 1 ? name : `${name}#${times}`];
  });
  return [
    ...new Set([
      ...kinds,
      ...classes,
      ...digests('at', addressesIn(read.toLowerCase())),
      ...digests('unread', unreadSentences(read)),
      ...(rest.length > 0 ? [`rest.${digestOf(rest).slice(0, 8)}`] : []),
    ]),
  ].sort();
}

/**
 * Returns the digests of the first `maxDigests` strings and, if there are more, one digest of all strings together, so
 * that the size is bounded.
 */
function digests(of: string, texts: readonly string[]): string[] {
  const all = [...new Set(texts)].sort();
  const single = all.slice(0, maxDigests).map((text) => `${of}.${digestOf(text).slice(0, 8)}`);
  return all.length > maxDigests ? [...single, `${of}.${digestOf(all).slice(0, 8)}`] : single;
}

function parametersOf(definition: JsonObject): Record<string, string> {
  const shapes = shapesOf(definition).filter(({ path, mark }) => path !== '' || mark !== wholeSchema);
  const listed = shapes.slice(0, maxParameters).map(({ path, mark }) => [digestOf(path).slice(0, 8), mark]);
  const rest = shapes.slice(maxParameters);
  return Object.fromEntries(rest.length > 0 ? [...listed, [others, `any~${digestOf(rest).slice(0, 8)}`]] : listed);
}

/** Mark of a schema that has no content apart from its parameters. */
const wholeSchema = 'object!';
const root = digestOf('').slice(0, 8);
/** Name that represents all parameters after the listed ones. */
const others = 'others';

/** Returns the text stored with a fingerprint, about a hundred characters long. */
export const surfaceText = ({ says, parameters, hints }: Surface): string =>
  [
    says.join(','),
    Object.entries(parameters)
      .map(([name, mark]) => `${name}=${mark}`)
      .join(','),
    hints,
  ].join('|');

export function surfaceFrom(text: string): Surface {
  const [says = '', parameters = '', hints = '----'] = text.split('|');
  const listed = (part: string): string[] => (part === '' ? [] : part.split(','));
  return {
    says: listed(says),
    parameters: Object.fromEntries(listed(parameters).map((each) => each.split('=') as [string, string])),
    hints,
  };
}

/** Returns the kinds of additions in the later definition. Empty if the change does not matter. */
export function changesBetween(before: Surface, after: Surface): ChangeKind[] {
  const kinds = new Set<ChangeKind>(newlySaid(before, after).map(({ kind }) => kind));
  for (const [name, now] of Object.entries(after.parameters)) {
    const was = before.parameters[name] ?? (name === root ? wholeSchema : undefined);
    if (was === now) continue;
    const [secret, required] = [now.includes('*'), now.includes('!')];
    if (required && !was?.includes('!')) kinds.add(secret ? 'new_secret' : 'new_reach');
    const isTaken = was !== undefined || name === others;
    if (isTaken && (was === undefined || plainMark(was) !== plainMark(now))) kinds.add('new_reach');
  }
  if (before.parameters[root] !== undefined && after.parameters[root] === undefined) kinds.add('new_reach');
  const [readOnly, destructive, , world] = [...after.hints];
  const [readBefore, destroyedBefore, , worldBefore] = [...before.hints];
  if (
    (readOnly === 'y' && readBefore === 'n') ||
    (destroyedBefore === 'y' && destructive !== 'y') ||
    (worldBefore === 'y' && world === 'n')
  )
    kinds.add('looser_annotation');
  return [...kinds].sort();
}

/**
 * Returns the additions in the text of a definition.
 * @returns classes or digest prefixes, each with its kind.
 */
export function newlySaid(before: Surface, after: Surface): { readonly said: string; readonly kind: ChangeKind }[] {
  const times = new Map(before.says.map(countOf));
  return after.says.flatMap((each) => {
    const [name, count] = countOf(each);
    if (count <= (times.get(name) ?? 0)) return [];
    const said = /^(at|unread|rest)\./.exec(name)?.[1] ?? name;
    return [{ said, kind: changeKind(said) }];
  });
}

function countOf(said: string): [string, number] {
  const [name = '', count = '1'] = said.split('#');
  return [name, Number(count)];
}

const changeKind = (said: string): ChangeKind =>
  said.startsWith('found:') || said === 'orders' || said === 'unread'
    ? 'new_instruction'
    : said === 'secrets'
      ? 'new_secret'
      : 'new_reach';

const plainMark = (mark: string): string => mark.replace(/[!*]/g, '');

/**
 * Returns the digest of a definition that an approval is bound to, in addition to the call. It changes if a change to
 * the definition matters for the call. Corrected wording, and changes to optional parameters that the call does not
 * use, leave it unchanged.
 */
export function meaningDigest(definition: JsonObject, args: Readonly<Record<string, unknown>>): string {
  const { says, shapes, hints } = meaningOf(definition);
  const isUsed = (path: string) => ofAll.test(path) || Object.hasOwn(args, /^[^.[]*/.exec(path)?.[0] ?? '');
  const taken = shapes.filter(({ path, mark }) => mark.includes('!') || isUsed(path));
  return digestOf({ says, taken, hints });
}

/** Parts of a schema that any parameter may refer to. */
const ofAll = /^(?:\$defs|definitions|(?:all|any|one)Of\d+)(?:\.|\[|$)/;

const meaningOf = remembered((definition: JsonObject) => {
  const { says, hints } = surfaceOf(definition);
  return { says, hints, shapes: shapesOf(definition) };
});
