/**
 * Describes the effects of a call for its approver: one line with its risk for each effect, and one sentence that
 * covers all of them.
 */
import type { CallSummary, EffectRisk } from '#core/contracts/approval.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import { countText } from '#core/kernel/count-text.ts';
import { foldCase } from '#core/text/matching/fold-unicode.ts';
import { shorten } from '#core/text/secrets/visible-text.ts';
import { changedLines, fileChanges, lineCount } from './file-changes.ts';
import type { Effect, Effects } from './ports.ts';
import { callPhrase, hostPhrase, httpPhrase, type Phrase, riskOf } from './service-phrases.ts';
import { addedByWrapper, shellPhrase } from './shell-phrases.ts';
import { sqlPhrase } from './sql-phrases.ts';

interface EffectLine {
  readonly text: string;
  readonly risk: EffectRisk;
  /** True if the phrase repeats text that will be executed. */
  readonly ofProgram: boolean;
}

interface Line {
  readonly phrase: Phrase;
  readonly ofProgram: boolean;
  /** True for a wrapper around the next command, such as `timeout`, that has no effect of its own. */
  readonly wraps: boolean;
}

/** Risks from harmless to severe. `unknown` ranks below `deletes`, because it is not known to destroy anything. */
const gravity: readonly EffectRisk[] = ['reads', 'writes', 'sends', 'unknown', 'deletes'];
const severity = (risk: EffectRisk): number => gravity.indexOf(risk);

/** Maximum number of lines that a person will read. The most severe are kept. */
const maxLines = 60;

/** Returns at least one line: a call without separate effects is described by its tool name. */
export function effectsInWords(call: ToolCall, effects: Effects): EffectLine[] {
  const all = linesOf(call, effects);
  const kept = all.length > maxLines ? gravest(all) : all;
  const lines = kept.map(({ phrase, ofProgram }) => ({ text: phraseText(phrase), risk: phrase.risk, ofProgram }));
  if (kept.length < all.length) {
    const { risk } = kept.at(-1)!.phrase;
    lines.push({ text: `${all.length - kept.length} more, none of them more severe`, risk, ofProgram: false });
  }
  const distinct = lines.filter(({ text }, index) => lines.findIndex((line) => line.text === text) === index);
  const { unclear, shows } = effects;
  return unclear === undefined
    ? distinct
    : [
        ...distinct,
        {
          text: `Cannot be determined: ${unclear}`,
          risk: shows ? ('reads' as const) : ('unknown' as const),
          ofProgram: true,
        },
      ];
}

type TextFormat = (text: string, ofProgram: boolean) => string;

/**
 * Returns one sentence for all effects, without its full stop, and the most severe risk [approval.card].
 * @param shown masks text that reviewers must not see, before the text is shortened.
 */
export function summaryInWords(call: ToolCall, effects: Effects, shown: TextFormat = (text) => text): CallSummary {
  const lines = linesOf(call, effects)
    .filter(({ wraps }) => !wraps)
    .map(({ phrase, ofProgram }) => ({ phrase: maskedPhrase(phrase, (text) => shown(text, ofProgram)) }));
  const changing = lines.filter(({ phrase }) => phrase.risk !== 'reads');
  const phrases = mergedPhrases((changing.length > 0 ? changing : lines).map(({ phrase }) => phrase));
  const isUnknown = effects.unclear !== undefined && effects.shows === undefined;
  const risks: readonly EffectRisk[] = [...phrases.map(({ risk }) => risk), ...(isUnknown ? ['unknown' as const] : [])];
  const risk = gravity.findLast((each) => risks.includes(each)) ?? 'unknown';
  const told = risk === 'unknown' && phrases.every((phrase) => phrase.risk !== 'unknown');
  return {
    text: sentenceOf(phrases) + (told ? ', and may do more' : ''),
    risk,
  };
}

const maskedPhrase = ({ verb, objects, tail = '', risk }: Phrase, shown: (text: string) => string): Phrase => ({
  verb: shown(verb),
  objects: objects.map(shown),
  tail: shown(tail),
  risk,
});

function sentenceOf(phrases: readonly Phrase[]): string {
  if (phrases.length <= 2) return phrases.map((phrase, index) => shortText(phrase, index > 0)).join(' and ');
  const worst = phrases.reduce((one, other) => (severity(other.risk) > severity(one.risk) ? other : one));
  return `${shortText(worst)} and ${phrases.length - 1} more effects`;
}

/** Joins phrases that differ only in their object. */
function mergedPhrases(phrases: readonly Phrase[]): readonly Phrase[] {
  const merged = new Map<string, Phrase>();
  for (const phrase of phrases) {
    const key = JSON.stringify([phrase.verb, phrase.tail, phrase.risk, phrase.objects.length > 0]);
    const objects = [...new Set([...(merged.get(key)?.objects ?? []), ...phrase.objects])];
    merged.set(phrase.objects.length > 0 ? key : JSON.stringify(phrase), { ...phrase, objects });
  }
  return [...merged.values()];
}

/** Maximum length of each string in the sentence. */
const maxText = 160;
const maxNamed = 3;

function phraseText({ verb, objects, tail = '' }: Phrase): string {
  return [verb, objects.join(', ')].filter(Boolean).join(' ') + tail;
}

function shortText({ verb, objects, tail = '' }: Phrase, continues = false): string {
  const named = objects.slice(0, maxNamed).map((object) => shorten(object, maxText));
  if (objects.length > maxNamed) named.push(`${objects.length - maxNamed} more`);
  const last = named.pop();
  const list = named.length > 0 ? `${named.join(', ')} and ${last}` : last;
  const text = [shorten(verb, maxText), list].filter(Boolean).join(' ') + shorten(tail, maxText);
  return continues ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}

const gravest = (lines: readonly Line[]): readonly Line[] =>
  [...lines].sort((a, b) => severity(b.phrase.risk) - severity(a.phrase.risk)).slice(0, maxLines);

function linesOf(call: ToolCall, { parts, unclear, carrier }: Effects): Line[] {
  const own = { ...call, parameters: { ...call.parameters, action: undefined } };
  let added = '';
  const lines = parts.map((part, index) => {
    const phrase = phraseOf(part, { before: parts[index - 1], unclear, call });
    const next = parts[index + 1];
    const more = next && addedByWrapper(part, next);
    const tail = (phrase.tail ?? '') + added;
    added = more === undefined ? '' : added + more;
    return { phrase: { ...phrase, tail }, ofProgram: isProgram(part), wraps: more !== undefined };
  });
  const said = Math.max(-1, ...lines.map(({ phrase }) => severity(phrase.risk)));
  // A tool may do more than the text in its call shows.
  const isMore = !carrier && !isRead(call) && severity(riskOf(call)) > said;
  return lines.length > 0 && !isMore
    ? lines
    : [{ phrase: phraseOf(own, { unclear, call }), ofProgram: isProgram(call), wraps: false }, ...lines];
}

const protocolOf = ({ protocol }: ToolCall): string => foldCase(protocol).trim();
const isProgram = (part: ToolCall): boolean => ['shell', 'sql'].includes(protocolOf(part));
/** Checks that a reader of the protocol describes the whole call. */
const isRead = (call: ToolCall): boolean => ['shell', 'sql', 'http', 'git'].includes(protocolOf(call));

interface PhraseContext {
  readonly before?: ToolCall | undefined;
  readonly unclear: string | undefined;
  /** The call that has the effect. */
  readonly call: ToolCall;
}

function phraseOf(part: Effect, { before, unclear, call }: PhraseContext): Phrase {
  switch (protocolOf(part)) {
    case 'shell':
      return shellPhrase(part, before, unclear);
    case 'sql':
      return sqlPhrase(part, call);
    case 'http':
      return httpPhrase(part);
    case 'git':
      return hostPhrase(part);
    default:
      return filePhrase(part) ?? callPhrase(part);
  }
}

/** Describes an edit of one file: `Edits src/login.ts: 2 lines`. */
function filePhrase(call: ToolCall): Phrase | undefined {
  const [file, ...others] = fileChanges(call).files;
  if (!file || others.length > 0) return undefined;
  const { path, replaced, content } = file;
  const count = replaced ? replaced.reduce((sum, each) => sum + changedLines(each), 0) : lineCount(content ?? '');
  const lines = countText(count, 'line');
  const risk = call.capability === 'delete' ? 'deletes' : 'writes';
  return replaced
    ? { verb: `Edits ${path}: ${lines}`, objects: [], risk }
    : { verb: `Writes all of ${path}: ${lines}`, objects: [], risk };
}

/**
 * Describes the change that a command makes, in the words of its program's reader: `deletes pod x in namespace shop`.
 */
export const actionInWords = ({ parameters: { operation, action } }: ToolCall): string | undefined =>
  typeof operation === 'string' && typeof action === 'string' ? action : undefined;
