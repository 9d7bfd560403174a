/**
 * The pull-request comment of an approval: what is asked, of which commit, and the lines to answer with. Everything an agent or a
 * person wrote stands in code, where it can neither format, mention, link nor pass for a line of ours.
 */
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { shorten, visible, visibleLines } from '#core/evidence/visible-text.ts';
import { headlineOf } from './headline.ts';
import { questionDigest } from './pull-requests.ts';
import { approvalUrl } from './views.ts';

/** GitHub refuses a longer comment. */
const maxComment = 65_536;

export function pullRequestComment(row: ApprovalRow, headSha: string, linkBase: string): string {
  const head = [
    `**${headlineOf(row, (text, room) => codeSpan(text, room))}**`,
    ...(row.status === 'pending' ? answers(row, headSha) : []),
    `[Details](<${approvalUrl(linkBase, row.envelope_id)}>)`,
    codeBlock(facts(row), maxComment / 2),
    'Parameters:',
  ].join('\n\n');
  const parameters = visibleLines(JSON.stringify(row.parameters, null, 1));
  return `${head}\n\n${codeBlock(parameters, maxComment - head.length - 2)}`;
}

/** None of these lines begins with a slash, so that no service takes the question for its answer. */
const answers = (row: ApprovalRow, headSha: string): readonly string[] => [
  'To decide, begin a comment with one of these lines:',
  `- \`/approve ${row.envelope_id} ${questionDigest(row, headSha)}\`\n- \`/deny ${row.envelope_id} why not\``,
  `Asked at commit ${headSha}, and void after a push. The last word of the approval, which may be left out, stands for this call at that commit.`,
];

const facts = (row: ApprovalRow): string =>
  [
    ['Tool', row.tool, 250],
    ['Target', row.target, 1000],
    ['Capability', row.capability, 100],
    ['Asked by', row.actor.agent, 150],
    ['Session', row.session_id, 150],
    ['Rule', row.matched_rule, 250],
    ['Why', row.justification, 2000],
    ['Withheld', row.withheld.join(', '), 1000],
    ['Digest', row.call_digest, 64],
  ]
    .filter(([, text]) => text !== '')
    .map(([name, text, room]) => `${String(name).padEnd(11)}${shorten(visible(text as string), room as number)}`)
    .join('\n');

/** Why a comment did not count, for its writer: they are mentioned, and nobody else. */
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
  const shown = shorten(visible(text), room);
  const fence = '`'.repeat(longestRun(shown) + 1);
  return shown.trim() === '' ? '—' : `${fence} ${shown} ${fence}`;
}

const longestRun = (text: string): number =>
  (text.match(/`+/g) ?? []).reduce((longest, { length }) => Math.max(longest, length), 0);
