/**
 * Builds the Slack message of an approval (Block Kit): the facts on its card, the effects, the call. Buttons contain
 * only the id. All text from agents is formatted as code, so that it cannot add formatting, mention users or imitate
 * the gateway's lines.
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
  summaryOf,
} from '#core/approvals/card.ts';
import { headlineOf } from '#core/approvals/headline.ts';
import type { Delivery } from '#core/approvals/notifications/ports.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { spelledText, visibleLines, visibleText } from '#core/text/secrets/visible-text.ts';
import { code, codeBlock, escapeCharacter, fitsWhole, fitText, listThatFits, maxSection } from './text.ts';

export interface SlackMessage {
  /** Text for notifications and for clients without blocks. */
  readonly text: string;
  readonly blocks: readonly object[];
}

/** Maximum number of sections for executable text. Longer calls cannot be approved from Slack. */
const maxExecutedSections = 12;

/** Returns the message. @param place the rule's location as `file:line`. */
export function slackMessage(row: ApprovalRow, linkBase: string, place?: string): SlackMessage {
  const what = summaryOf(row) ?? `${row.tool} on ${row.target}`;
  const text = `${fitText(visibleText(what), 650)}: ${headline(row)}`;
  const { sections, isWhole } = details(row, linkBase, place);
  const blocks = sections.map((section) => ({ type: 'section', text: { type: 'mrkdwn', text: section } }));
  return { text, blocks: row.status === 'pending' ? [...blocks, buttons(row, isWhole)] : blocks };
}

/**
 * Returns the message about an alert. Its text is formatted as code, because callers choose the names of models and
 * tools.
 */
export function slackAlert({ id, severity, message, change }: NonNullable<Delivery['alert']>): SlackMessage {
  const title = `Alert ${change} (${severity})`;
  const lines = [
    `*${title}*`,
    code(message, 1000),
    `Acknowledge it with ${code(`agentctl alerts acknowledge ${id}`, 200)}`,
  ];
  const shown = change === 'resolved' ? lines.slice(0, 2) : lines;
  return {
    text: `${title}: ${fitText(visibleText(message), 400)}`,
    blocks: [{ type: 'section', text: { type: 'mrkdwn', text: shown.join('\n') } }],
  };
}

interface Details {
  readonly sections: readonly string[];
  /** True if the message shows everything covered by the digest, and all text from the caller in full. */
  readonly isWhole: boolean;
}

/**
 * Checks whether the message shows the whole call; only then can it be approved from Slack [approval.whole-or-deny].
 */
export const isWholeInSlack = (row: ApprovalRow): boolean => details(row, '', undefined).isWhole;

/**
 * Returns the sections of the message. Each kind of fact has its own section, so that a long fact does not displace
 * another.
 */
function details(row: ApprovalRow, linkBase: string, place: string | undefined): Details {
  const { envelope_id, call_digest, summary } = row;
  const effect = summary ? `${code(summary.text, 650)} *${riskWord(summary.risk)}*\n` : '';
  const link = `<${approvalUrl(linkBase, envelope_id)}|details>`;
  const head = `${effect}*${headline(row)}*\nDigest ${code(call_digest.slice(0, 16), 16)}, ${link}, or ${code(`agentctl show ${envelope_id}`, 80)}`;
  const facts = factsOf(row, place).map(
    ([label, text]) => `${label}: ${code(spelledText(text), charactersFor(label))}`,
  );
  const effects = effectsOf(row).map((line) => `• ${code(line, 250)}`);
  const before = [
    head,
    ...fittingSections(facts),
    ...(effects.length > 0 ? [listThatFits('What the call would do:', effects)] : []),
  ];
  const executed = executedTexts(row);
  const cut = factsOf(row).filter(([label, text]) => isCut(label, text));
  const areFactsWhole = cut.every(
    ([label]) => ownFacts.has(label) || (label === 'Target' && executed.some(([path]) => path === 'target')),
  );
  const call = wholeCall(row, executed);
  if (areFactsWhole && call) return { sections: [...before, ...call], isWhole: true };
  const [names, values] = beginningOf(row, maxSection - 1000);
  const named = `Parameters: ${code(names, 900)}\nTheir first characters:\n`;
  const beginning = named + codeBlock(values, maxSection - named.length);
  return {
    sections: [...before, beginning, ...(row.status === 'pending' ? [tooLong(envelope_id)] : [])],
    isWhole: false,
  };
}

/**
 * Returns the parameters in one section and the executable text in additional ones, or undefined if they do not fit.
 */
function wholeCall(row: ApprovalRow, executed: ReturnType<typeof executedTexts>): readonly string[] | undefined {
  const whole = parametersIn(JSON.stringify(sentOf(row), null, 1));
  const sections = (texts: typeof executed) =>
    texts.reduce((length, [, text]) => length + text.length, 0) <= maxExecutedSections * maxSection
      ? texts.flatMap(([path, text]) => codeSections(path, text))
      : undefined;
  const apart = sections(
    whole ? executed.filter(([path, text]) => path === 'target' && isCut('Target', text)) : executed,
  );
  const rest = whole ?? parametersIn(sentBesideExecuted(row));
  return apart && apart.length <= maxExecutedSections && rest ? [...apart, rest] : undefined;
}

/** Returns the parameters as one section, or undefined if they do not fit. */
function parametersIn(json: string): string | undefined {
  if (json.length > maxSection) return undefined;
  const section = `Parameters:\n${codeBlock(json, Number.POSITIVE_INFINITY)}`;
  return section.length <= maxSection ? section : undefined;
}

/** Maximum number of characters for facts that may be longer than a name. */
const rooms: Readonly<Record<string, number>> = {
  Tool: 250,
  Target: 400,
  Rule: 200,
  Reason: 300,
  Withheld: 200,
  Why: 400,
};
const charactersFor = (label: string): number => rooms[label] ?? 130;
/**
 * Checks whether the text is truncated when shown. A backtick is escaped as six characters, so even a short text can be
 * truncated.
 */
const isCut = (label: string, text: string): boolean => !fitsWhole(spelledText(text), charactersFor(label));

/** Packs lines into as few sections as possible; each line fits in one section. */
function fittingSections(lines: readonly string[]): string[] {
  const sections: string[] = [];
  for (const line of lines) {
    const longer = `${sections.at(-1)}\n${line}`;
    if (sections.length > 0 && longer.length <= maxSection) sections[sections.length - 1] = longer;
    else sections.push(line);
  }
  return sections;
}

const tooLong = (id: string): string =>
  `*The call is too long for Slack.* It can be denied here; approve it in the web console, or after reading all of it: ${code(`agentctl show ${id} --full`, 80)}`;

/** Splits text into sections without truncating it. */
function codeSections(place: string, text: string): string[] {
  const parts = [''];
  for (const char of visibleLines(text)) {
    const next = escapeCharacter(char, '\\u{60}');
    if (parts.at(-1)!.length + next.length > maxSection - 250) parts.push('');
    parts[parts.length - 1] += next;
  }
  const count = (index: number) => (parts.length > 1 ? `, ${index + 1} of ${parts.length}` : '');
  return parts.map(
    (part, index) => `Executed exactly as shown (${code(place, 100)}${count(index)}):\n\`\`\`${part}\`\`\``,
  );
}

const headline = (row: ApprovalRow) => headlineOf(row, (text, room) => fitText(visibleText(text), room));

/** Returns the buttons. If the whole call is not shown, there is no approve button. */
const buttons = (row: ApprovalRow, isWhole: boolean) => ({
  type: 'actions',
  elements: [...(isWhole ? [button(row, 'approve', 'Approve', 'primary')] : []), button(row, 'deny', 'Deny', 'danger')],
});

const button = (row: ApprovalRow, action_id: string, label: string, style: string) => ({
  type: 'button',
  action_id,
  style,
  text: { type: 'plain_text', text: label },
  value: row.envelope_id,
});
