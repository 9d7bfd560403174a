/**
 * The pull-request comment of an approval: the call, its commit, and the lines to answer with. Everything an agent or a
 * person wrote stands in code, where it can neither format, mention, link nor pass for one of the gateway's lines.
 */
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { shorten, visibleLines, visibleText } from '#core/evidence/visible-text.ts';
import { approvalUrl } from './approval-url.ts';
import { effectsOf, executedTexts, factsOf, sentOf } from './card.ts';
import { headlineOf } from './headline.ts';
import { questionDigest } from './pull-requests.ts';

/** GitHub refuses a longer comment. */
const maxComment = 65_536;

/** @param place of the rule, as `file:line`. */
export function pullRequestComment(row: ApprovalRow, headSha: string, linkBase: string, place?: string): string {
  const effects = effectsOf(row).map((line) => `- ${visibleText(line)}`);
  const head = (canApprove: boolean) =>
    [
      `**${headlineOf(row, (text, room) => codeSpan(text, room))}**`,
      ...(row.status === 'pending' ? answers(row, headSha, canApprove) : []),
      `[Details](<${approvalUrl(linkBase, row.envelope_id)}>)`,
      codeBlock(
        [facts(row, place), ...(effects.length > 0 ? ['', 'What the call would do:', ...effects] : [])].join('\n'),
        maxComment / 2,
      ),
    ].join('\n\n');
  const parameters = visibleLines(JSON.stringify(sentOf(row), null, 1));
  const whole = `${head(true)}\n\nParameters:\n\n${codeBlock(parameters, Number.POSITIVE_INFINITY)}`;
  if (whole.length <= maxComment) return whole;
  // What is executed is shown whole or not at all.
  const executed = executedTexts(row).map(([place, text]) => `${place}:\n${visibleLines(text)}`);
  const shown =
    executed.length > 0 &&
    `${head(true)}\n\nExecuted as it stands:\n\n${codeBlock(executed.join('\n\n'), Number.POSITIVE_INFINITY)}`;
  if (shown && shown.length <= maxComment) return `${shown}${rest(parameters, maxComment - shown.length)}`;
  const start = shown ? `${head(false)}\n\n${tooLong(row.envelope_id)}` : head(true);
  return `${start}${rest(parameters, maxComment - start.length)}`;
}

/** As much of the parameters as there is room for, if there is any. */
function rest(parameters: string, room: number): string {
  const title = '\n\nParameters:\n\n';
  return room < title.length + 200 ? '' : title + codeBlock(parameters, room - title.length);
}

const tooLong = (id: string): string =>
  `What would be executed is too long for a comment. It can be denied here; approve it after reading all of it: \`agentctl show ${id} --full\`.`;

/** None of these lines begins with a slash, so that no service takes the question for its answer. */
const answers = (row: ApprovalRow, headSha: string, canApprove: boolean): readonly string[] => [
  'To decide, begin a comment with one of these lines:',
  `${canApprove ? `- \`/approve ${row.envelope_id} ${questionDigest(row, headSha)}\`\n` : ''}- \`/deny ${row.envelope_id} why not\``,
  `Asked at commit ${headSha}, and void after a push. The last word of the approval, which may be left out, stands for this call at that commit.`,
];

/** Room for facts whose texts are longer than names. */
const rooms: Readonly<Record<string, number>> = { Target: 9000, Reason: 1000, Why: 2000, Withheld: 1000 };

const facts = (row: ApprovalRow, place: string | undefined): string =>
  [...factsOf(row, place), ['Digest', row.call_digest] as const]
    .map(([label, text]) => `${label.padEnd(11)}${shorten(visibleText(text), rooms[label] ?? 300)}`)
    .join('\n');

/** Why a comment did not count, for its writer: only they are mentioned. */
export const replyComment = (login: string, text: string): string =>
  `@${login}:\n\n${codeBlock(visibleLines(text), 2000)}`;

/** A block whose fence is longer than any run of backticks inside it, in at most `room` characters. */
export function codeBlock(text: string, room: number): string {
  const around = (inside: string) => '`'.repeat(Math.max(3, longestRun(inside) + 1));
  const shown =
    text.length + 2 * around(text).length + 2 <= room ? text : cut(text, room - 2 * around(text).length - 2);
  const fence = around(shown);
  return `${fence}\n${shown}\n${fence}`;
}

/** How much was left out has room too; of what is nearly all backticks nothing is shown. */
const cut = (text: string, room: number): string => shorten(text, Math.max(0, room - 40));

/** One line; a blank on either side keeps backticks of its own from joining the fence. */
export function codeSpan(text: string, room: number): string {
  const shown = shorten(visibleText(text), room);
  const fence = '`'.repeat(longestRun(shown) + 1);
  return shown.trim() === '' ? '—' : `${fence} ${shown} ${fence}`;
}

const longestRun = (text: string): number =>
  (text.match(/`+/g) ?? []).reduce((longest, { length }) => Math.max(longest, length), 0);
