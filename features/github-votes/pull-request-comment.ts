/**
 * Builds the pull-request comment for an approval: the call, its commit, and the lines to reply with. All text from
 * agents and people is formatted as code, so that it cannot add formatting, mentions or links, or imitate the gateway's
 * lines.
 */

import { approvalUrl } from '#core/approvals/approval-url.ts';
import {
  beginningOf,
  effectsOf,
  executedTexts,
  factsOf,
  ownFacts,
  riskWord,
  sentBesideExecuted,
  sentOf,
} from '#core/approvals/card.ts';
import { headlineOf } from '#core/approvals/headline.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { shorten, spelledText, visibleLines, visibleText } from '#core/text/secrets/visible-text.ts';
import { questionDigest } from './notice.ts';

/** Maximum length of a GitHub comment. */
const maxComment = 65_536;

/**
 * Checks whether the comment shows the whole call. Only then can the call be approved there [approval.whole-or-deny].
 */
export const isWholeInComment = (row: ApprovalRow, headSha: string, linkBase: string): boolean =>
  wholeComment(row, headSha, linkBase, undefined) !== undefined;

/** Returns the comment. @param place the rule's location as `file:line`. */
export function pullRequestComment(row: ApprovalRow, headSha: string, linkBase: string, place?: string): string {
  if (isWholeInComment(row, headSha, linkBase)) {
    const whole = wholeComment(row, headSha, linkBase, place) ?? wholeComment(row, headSha, linkBase, undefined);
    if (whole !== undefined) return whole;
  }
  const [names, values] = beginningOf(row, maxComment / 4);
  return [
    commentHead(row, linkBase, place, row.status === 'pending' ? answers(row, headSha, false) : []),
    ...(row.status === 'pending' ? [tooLongNote(row.envelope_id)] : []),
    `Names of the parameters, and how they begin:\n\n${codeBlock(`${shorten(names, maxComment / 8)}\n\n${values}`, maxComment / 3)}`,
  ].join('\n\n');
}

function commentHead(
  row: ApprovalRow,
  linkBase: string,
  place: string | undefined,
  answerLines: readonly string[],
): string {
  const effects = effectsOf(row).map((line) => `- ${visibleText(line)}`);
  const { summary } = row;
  return [
    ...(summary ? [`${codeSpan(summary.text, 650)} **${riskWord(summary.risk)}**`] : []),
    `**${headlineOf(row, (text, room) => codeSpan(text, room))}**`,
    ...answerLines,
    `[Details](<${approvalUrl(linkBase, row.envelope_id)}>)`,
    codeBlock(
      [facts(row, place), ...(effects.length > 0 ? ['', 'What the call would do:', ...effects] : [])].join('\n'),
      maxComment / 2,
    ),
  ].join('\n\n');
}

/** Returns the comment with the whole call, or undefined if a value would have to be truncated. */
function wholeComment(
  row: ApprovalRow,
  headSha: string,
  linkBase: string,
  place: string | undefined,
): string | undefined {
  const executed = executedTexts(row);
  const areFactsWhole = factsOf(row).every(
    ([label, text]) => spelledText(text).length <= charactersFor(label) || ownFacts.has(label),
  );
  if (!areFactsWhole) return undefined;
  const start = commentHead(row, linkBase, place, row.status === 'pending' ? answers(row, headSha, true) : []);
  const parameters = (json: string) => `Parameters:\n\n${codeBlock(visibleLines(json), Number.POSITIVE_INFINITY)}`;
  const whole = `${start}\n\n${parameters(JSON.stringify(sentOf(row), null, 1))}`;
  if (whole.length <= maxComment) return whole;
  if (executed.length === 0) return undefined;
  const texts = executed.map(([path, text]) => `${path}:\n${visibleLines(text)}`);
  const apart = `${start}\n\nExecuted as it stands:\n\n${codeBlock(texts.join('\n\n'), Number.POSITIVE_INFINITY)}\n\n${parameters(sentBesideExecuted(row))}`;
  return apart.length <= maxComment ? apart : undefined;
}

const tooLongNote = (id: string): string =>
  `The call is too long for a comment. It can be denied here; approve it in the web console, or after reading all of it: \`agentctl show ${id} --full\`.`;

/**
 * Returns the reply lines. They do not begin with a slash, so that other services do not mistake the question for a
 * command.
 */
const answers = (row: ApprovalRow, headSha: string, canApprove: boolean): readonly string[] => [
  'To decide, begin a comment with one of these lines:',
  `${canApprove ? `- \`/approve ${row.envelope_id} ${questionDigest(row, headSha)}\`\n` : ''}- \`/deny ${row.envelope_id} why not\``,
  `Asked at commit ${headSha}; a push voids the question. The last word of the approval is optional; it identifies this call at that commit.`,
];

/** Maximum number of characters for facts that may be longer than a name. */
const rooms: Readonly<Record<string, number>> = { Target: 9000, Reason: 1000, Why: 2000, Withheld: 1000 };
const charactersFor = (label: string): number => rooms[label] ?? 300;

const facts = (row: ApprovalRow, place: string | undefined): string =>
  [...factsOf(row, place), ['Digest', row.call_digest] as const]
    .map(([label, text]) => `${label.padEnd(11)}${shorten(spelledText(text), charactersFor(label))}`)
    .join('\n');

/** Returns a reply that explains to the author why a comment did not count. Only the author is mentioned. */
export const replyComment = (login: string, text: string): string =>
  `@${login}:\n\n${codeBlock(visibleLines(text), 2000)}`;

/** Returns a code block of at most `room` characters. Its fence is longer than any run of backticks inside. */
export function codeBlock(text: string, room: number): string {
  const around = (inside: string) => '`'.repeat(Math.max(3, longestRun(inside) + 1));
  const shown =
    text.length + 2 * around(text).length + 2 <= room ? text : shortenToRoom(text, room - 2 * around(text).length - 2);
  const fence = around(shown);
  return `${fence}\n${shown}\n${fence}`;
}

/**
 * Truncates text, leaving space for the truncation note. Text that consists almost entirely of backticks is dropped.
 */
const shortenToRoom = (text: string, room: number): string => shorten(text, Math.max(0, room - 40));

/** Returns a code span. A space at either end separates backticks in the text from the fence. */
export function codeSpan(text: string, room: number): string {
  const shown = shorten(visibleText(text), room);
  const fence = '`'.repeat(longestRun(shown) + 1);
  return shown.trim() === '' ? '—' : `${fence} ${shown} ${fence}`;
}

const longestRun = (text: string): number =>
  (text.match(/`+/g) ?? []).reduce((longest, { length }) => Math.max(longest, length), 0);
