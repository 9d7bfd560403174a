/**
 * Builds the Slack message of a digest (Block Kit): the pending requests, with links to vote on them. The message has
 * no buttons, because a vote applies to one request.
 */

import { approvalsUrl, approvalUrl } from '#core/approvals/approval-url.ts';
import { type Digest, type DigestedRequest, waitingText } from '#core/approvals/notifications/digest.ts';
import { visibleText } from '#core/text/secrets/visible-text.ts';
import type { SlackMessage } from './message.ts';
import { code, fitText, listThatFits } from './text.ts';

interface DigestLinks {
  /** Base URL for links to requests. */
  readonly linkBase: string;
  /** URL of the web console, if this host serves one. */
  readonly consoleUrl?: string | undefined;
}

export function slackDigest(digest: Digest, links: DigestLinks): SlackMessage {
  const head = waitingText(digest);
  if (digest.waiting === 0) return { text: head, blocks: [section(`*${head}*`)] };
  const { by_rule, of_other_rules, requests, waiting } = digest;
  const rules = by_rule.map(({ rule, policy, waiting: count }) => {
    const of = policy === undefined ? '' : ` of ${code(policy, 100)}`;
    return `• ${count} by ${code(rule, 200)}${of}`;
  });
  if (of_other_rules > 0) rules.push(`• ${of_other_rules} by other rules`);
  const first = requests.map((request) => requestLine(request, links));
  const title = waiting > requests.length ? `The ${requests.length} that expire first:` : 'They expire in this order:';
  const text = `${head}${timeText(digest)}`;
  return {
    text: fitText(visibleText(text), 400),
    blocks: [
      section(`*${text}*\n${decideText(links)}`),
      section(listThatFits('Held by these rules:', rules)),
      section(listThatFits(title, first)),
    ],
  };
}

const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } });

const timeText = ({ next_expires_in_seconds: seconds }: Digest): string =>
  seconds === undefined
    ? ''
    : `, and the first one expires in ${seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`}`;

function decideText({ linkBase, consoleUrl }: DigestLinks): string {
  const page =
    consoleUrl === undefined ? `<${approvalsUrl(linkBase)}|how to decide>` : `<${consoleUrl}#/approvals|web console>`;
  return `Decide each on its own: ${page}, or ${code('agentctl pending', 80)}`;
}

const requestLine = (
  { envelope_id, tool, target, risk, expires_at }: DigestedRequest,
  { linkBase }: DigestLinks,
): string =>
  `• ${code(tool, 120)} on ${code(target, 120)}, risk ${risk}, until ${expires_at}: <${approvalUrl(linkBase, envelope_id)}|details>`;
