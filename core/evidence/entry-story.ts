/** Describes individual evidence entries in readable form, for a session's report and the console's timeline. */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { asText } from '#core/kernel/as-text.ts';
import { shorten, visibleText } from '#core/text/secrets/visible-text.ts';
import { chatDetail, chatFacts, chatTitle } from './report-chat.ts';
import type { Fact } from './report-parts.ts';
import { outcomeText } from './report-uses.ts';

export const textCharacters = 1_000;

/** The story of one entry: the call, its result in one line, and its facts. */
interface EntryStory {
  readonly what: string;
  readonly detail: string;
  readonly facts: readonly Fact[];
}

/** Returns one entry in readable form. */
export const entryStory = (entry: EvidenceEntry): EntryStory => ({ ...titleOf(entry), facts: facts(factsOf(entry)) });

/** Returns the call described by an entry, and its result, each in one line. */
export function titleOf(entry: EvidenceEntry): Pick<EntryStory, 'what' | 'detail'> {
  const { kind, body } = entry;
  const what =
    kind === 'chat'
      ? visibleText(chatTitle(body))
      : [lineText(body.tool) ?? lineText(body.action), lineText(body.target)].filter(Boolean).join(' → ');
  return { what: shorten(what, 160), detail: shorten(detailOf(entry), 160) };
}

function detailOf({ kind, body }: EvidenceEntry): string {
  switch (kind) {
    case 'allow':
    case 'block':
    case 'review':
      return `rule ${lineText(body.matched_rule) ?? 'not recorded'}${body.break_glass === true ? ', break-glass' : ''}`;
    case 'approve':
    case 'deny':
      return hasTimedOut(body) ? 'timed out: no reviewer decided in time' : `by ${reviewerOf(body)}`;
    case 'result':
      return [lineText(outcomeText(body.outcome)), lineText(body.error)].filter(Boolean).join(': ');
    case 'credential':
      return credentialOf(body) ?? '';
    case 'chat':
      return visibleText(chatDetail(body));
    default:
      return lineText(body.outcome) ?? lineText(body.decision) ?? '';
  }
}

/** Kinds of entries that record a decision on a tool call. */
export const decisionKinds: ReadonlySet<string> = new Set(['allow', 'block', 'review']);

/** Fact with any value; only strings are shown. */
type LooseFact = readonly [label: string, value: unknown, code?: boolean];

/** Returns the facts that one entry adds to its action. */
export function factsOf(entry: EvidenceEntry): LooseFact[] {
  const { kind, body, timestamp } = entry;
  if (kind === 'chat') return chatFacts(entry);
  if (decisionKinds.has(kind)) {
    const policy = [
      lineText(body.policy),
      body.policy_version === undefined ? undefined : `version ${asText(body.policy_version)}`,
    ];
    return [
      ['Decision', `${kind} at ${timestamp}, by rule ${lineText(body.matched_rule) ?? 'not recorded'}`],
      ['Policy', policy.filter(Boolean).join(', ') || undefined],
      ['Reason', body.reason],
      ['Break-glass', body.break_glass === true ? 'this request passed under break-glass' : undefined],
      ['Approval used', body.approval_ref, true],
    ];
  }
  if (kind === 'approve' || kind === 'deny') {
    const verb = kind === 'approve' ? 'Approved' : hasTimedOut(body) ? 'Timed out' : 'Denied';
    return [
      [verb, `by ${reviewerOf(body)} at ${lineText(body.approved_at) ?? timestamp}${channelText(body)}`],
      ['Comment', body.comment],
      ['Reason', body.reason],
    ];
  }
  if (kind === 'credential')
    return [['Credential', `${lineText(body.action) ?? 'changed'}: ${credentialOf(body) ?? 'not recorded'}`]];
  if (kind !== 'result') return [];
  return [
    ['Credential', credentialOf(body)],
    ['Result', `${lineText(body.outcome) ?? 'not recorded'} at ${timestamp}`],
    ['Error', body.error],
    ['Result digest', body.result_sha256, true],
    ['Result withheld', body.result_withheld],
  ];
}

/** Reports whether a denial results from a timeout rather than a reviewer's decision. */
export const hasTimedOut = ({ reason }: EvidenceEntry['body']): boolean => reason === 'timeout';

/** Returns the authenticated person, followed by the name that the reviewer entered. */
function reviewerOf(body: EvidenceEntry['body']): string {
  const reviewer = lineText(body.reviewer);
  const person = lineText(body.person);
  if (person === undefined || person === reviewer) return reviewer ?? person ?? 'not recorded';
  return reviewer === undefined ? person : `${person} (as “${reviewer}”)`;
}

const channelText = (body: EvidenceEntry['body']): string =>
  lineText(body.channel) === undefined ? '' : ` via ${lineText(body.channel)}`;

function credentialOf(body: EvidenceEntry['body']): string | undefined {
  if (typeof body.credential !== 'object' || body.credential === null) return undefined;
  const { id, type, scope, expires_at, broker } = body.credential as Record<string, unknown>;
  const origin = [
    lineText(broker) && `from broker ${lineText(broker)}`,
    lineText(expires_at) && `expires ${lineText(expires_at)}`,
  ];
  return [
    `${lineText(type) ?? 'unknown type'} for ${lineText(scope) ?? 'unknown scope'}`,
    ...origin,
    lineText(id) && `id ${lineText(id)}`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** Returns a string as one visible line, or undefined for other values. */
export function lineText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? shorten(visibleText(value), textCharacters) : undefined;
}

/** Returns the facts whose values are strings. */
export function facts(loose: readonly LooseFact[]): Fact[] {
  return loose.flatMap(([label, value, code]) => {
    const shown = lineText(value);
    return shown === undefined ? [] : [{ label, value: shown, ...(code && { code }) }];
  });
}
