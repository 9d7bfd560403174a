/** Describes a session for people: the content of both report formats, in order. */

import type { EvidenceEntry, SessionManifest, UnsignedManifest, Verification } from '#core/contracts/evidence.ts';
import type { LogProof } from '#core/contracts/transparency.ts';
import { asText } from '#core/kernel/as-text.ts';
import { shorten, visibleText } from '#core/text/secrets/visible-text.ts';
import { firstEntries } from './bundle.ts';
import { describeWithheld } from './describe-withheld.ts';
import { chatDetail, chatFacts, chatOutcome, chatTitle } from './report-chat.ts';
import type { ActionStory, Fact } from './report-parts.ts';
import { proofSummary } from './report-proof.ts';
import { type ApprovalUse, approvalUses, approvedOutcome, outcomeText } from './report-uses.ts';

interface TimelineRow {
  readonly index: number;
  readonly timestamp: string;
  readonly kind: string;
  readonly what: string;
  readonly detail: string;
  readonly hash: string;
  /** Place of its action within the report. */
  readonly place: string;
  /** Whether a policy blocked the chat call. */
  readonly blocked: boolean;
}

export interface SessionStory {
  readonly verdict: { readonly valid: boolean; readonly sentence: string; readonly notChecked: readonly string[] };
  readonly summary: readonly Fact[];
  readonly timeline: readonly TimelineRow[];
  readonly actions: readonly ActionStory[];
  /** The session in the transparency log. */
  readonly log?: ActionStory;
  /** Note for a session that is longer than a report. */
  readonly omission?: string;
}

/** Entries per report. For the rest, the report refers to the export. */
const reportedEntries = 2_000;
const documentCharacters = 4_000;
const textCharacters = 1_000;

export async function sessionStory(
  manifest: SessionManifest | UnsignedManifest,
  entries: AsyncIterable<EvidenceEntry> | Iterable<EvidenceEntry>,
  verification: Verification,
  logged?: LogProof,
): Promise<SessionStory> {
  const listed: EvidenceEntry[] = [];
  const limit = Math.min(manifest.total_entries, reportedEntries);
  for await (const entry of firstEntries(entries, limit)) listed.push(entry);
  const left = manifest.total_entries - listed.length;
  const uses = approvalUses(listed);
  const groups = [...Map.groupBy(listed, (entry) => entry.envelope_id)];
  const places = new Map(groups.map(([id], at) => [id, `action-${at + 1}`]));
  const log = proofSummary(verification, logged);
  return {
    verdict: verdictOf(verification),
    summary: [...summaryOf(manifest, listed[0]), ...logFacts(verification)],
    timeline: listed.map((entry) => rowOf(entry, places.get(entry.envelope_id)!)),
    actions: groups.map(([id, steps]) => placed(actionOf(id, steps, uses.get(id), left), id, places)),
    ...(log && { log }),
    ...(left > 0 && { omission: `${left} further entries are not shown here; the exported bundle holds them all.` }),
  };
}

/** Adds to an action its place and links to the actions it names. */
function placed(action: ActionStory, id: string, places: ReadonlyMap<string, string>): ActionStory {
  const facts = action.facts.map((fact) => {
    const to = fact.label === 'Used by' || fact.label === 'Approval used' ? places.get(fact.value) : undefined;
    return to === undefined ? fact : { ...fact, to };
  });
  return { ...action, facts, place: places.get(id)! };
}

function verdictOf(verification: Verification): SessionStory['verdict'] {
  const { valid, total_entries, broken_link, checkpoint, not_checked } = verification;
  const fixed = checkpoint
    ? ` A checkpoint signed at ${checkpoint.created_at} fixes entries 0 to ${checkpoint.index}.`
    : '';
  const sentence = valid
    ? `The chain is intact: ${total_entries} ${total_entries === 1 ? 'entry' : 'entries'}, each linked to the one before.${fixed}`
    : `The chain is broken at entry ${broken_link?.index ?? 0}: ${text(broken_link?.reason) ?? 'no reason was given'}.`;
  return { valid, sentence, notChecked: not_checked.map(visibleText) };
}

function summaryOf(manifest: SessionManifest | UnsignedManifest, first: EvidenceEntry | undefined): Fact[] {
  const counts = Object.entries(manifest.counts).map(([kind, count]) => `${count} ${kind}`);
  const credentials = manifest.credentials.map(({ type, scope, id }) => `${type} for ${scope} (${id})`);
  return facts([
    ['Session', manifest.session_id, true],
    ['Tenant', manifest.tenant, true],
    ['Entries', `${manifest.total_entries}: ${counts.join(', ')}`],
    ['First entry at', first?.timestamp],
    ['Last entry at', manifest.created_at],
    ['Policy versions', manifest.policy_versions.join(', ') || 'none recorded'],
    ['Credentials issued', shorten(credentials.join('; '), textCharacters) || 'none'],
    ['Session manifest hash', manifest.session_manifest_hash, true],
    ['Signed with key', 'signature' in manifest ? manifest.signature.key_id : 'not signed', true],
  ]);
}

/** Returns when the log took the session, and which witnesses saw it. */
function logFacts({ log }: Verification): Fact[] {
  if (!log) return [];
  const seen = log.witnesses.map(({ witness, at }) => `${witness} at ${at}`);
  return facts([
    ['Transparency log', `entries 0 to ${log.index} are leaf ${log.position} of ${log.size}, logged at ${log.at}`],
    ['Log', log.origin, true],
    ['Seen by witnesses', shorten(seen.join('; '), textCharacters) || 'none whose key is known here'],
  ]);
}

function rowOf(entry: EvidenceEntry, place: string): TimelineRow {
  const { index, timestamp, kind, hash, body } = entry;
  const what =
    kind === 'chat'
      ? visibleText(chatTitle(body))
      : [text(body.tool) ?? text(body.action), text(body.target)].filter(Boolean).join(' → ');
  return {
    index,
    timestamp: visibleText(timestamp),
    kind,
    what: shorten(what, 160),
    detail: shorten(detailOf(entry), 160),
    hash,
    place,
    blocked: kind === 'chat' && body.outcome === 'blocked',
  };
}

function detailOf({ kind, body }: EvidenceEntry): string {
  switch (kind) {
    case 'allow':
    case 'block':
    case 'review':
      return `rule ${text(body.matched_rule) ?? 'not recorded'}${body.break_glass === true ? ', break-glass' : ''}`;
    case 'approve':
    case 'deny':
      return hasTimedOut(body) ? 'timed out: no reviewer decided in time' : `by ${reviewerOf(body)}`;
    case 'result':
      return [text(outcomeText(body.outcome)), text(body.error)].filter(Boolean).join(': ');
    case 'credential':
      return credentialOf(body) ?? '';
    case 'chat':
      return visibleText(chatDetail(body));
    default:
      return text(body.outcome) ?? text(body.decision) ?? '';
  }
}

const decisionKinds: ReadonlySet<string> = new Set(['allow', 'block', 'review']);

function actionOf(
  envelopeId: string,
  steps: readonly EvidenceEntry[],
  use: ApprovalUse | undefined,
  left: number,
): ActionStory {
  const first = steps[0]!;
  const asked = steps.find(({ body }) => body.tool !== undefined)?.body ?? {};
  const listed = new Set<string>();
  const documents = steps
    .flatMap((step) => documentsOf(step))
    .filter(({ heading, json }) => {
      const fresh = !listed.has(heading + json);
      listed.add(heading + json);
      return fresh;
    });
  const chat = steps.find(({ kind }) => kind === 'chat');
  const title = [text(asked.tool) ?? `${first.kind} entry`, text(asked.target)].filter(Boolean).join(' → ');
  return {
    title: (asked.tool === undefined && chat && text(chatTitle(chat.body))) || title,
    outcome: outcomeOf(steps, use, left),
    facts: facts([
      ['Envelope', envelopeId, true],
      ['Asked by', askedBy(first)],
      ['Protocol', asked.protocol, true],
      ['Tool', asked.tool, true],
      ['Upstream', asked.upstream, true],
      ['Target', asked.target, true],
      ['Capability', asked.capability, true],
      ['Call digest', asked.call_digest, true],
      ['Withheld', Array.isArray(asked.withheld) ? describeWithheld(asked.withheld.map(String), asked) : undefined],
      ...steps.flatMap(factsOf),
      ['Used by', use?.envelope_id, true],
    ]),
    documents,
  };
}

function askedBy({ actor }: EvidenceEntry): string {
  const label = actor.agent === undefined ? '' : `, calling itself ${actor.agent}`;
  return actor.person === undefined
    ? `key ${actor.key_id}${label}`
    : `${actor.person} with key ${actor.key_id}${label}`;
}

type LooseFact = readonly [label: string, value: unknown, code?: boolean];

/** Returns the facts that one entry adds to its action. */
function factsOf(entry: EvidenceEntry): LooseFact[] {
  const { kind, body, timestamp } = entry;
  if (kind === 'chat') return chatFacts(entry);
  if (decisionKinds.has(kind)) {
    const policy = [
      text(body.policy),
      body.policy_version === undefined ? undefined : `version ${asText(body.policy_version)}`,
    ];
    return [
      ['Decision', `${kind} at ${timestamp}, by rule ${text(body.matched_rule) ?? 'not recorded'}`],
      ['Policy', policy.filter(Boolean).join(', ') || undefined],
      ['Reason', body.reason],
      ['Break-glass', body.break_glass === true ? 'this request passed under break-glass' : undefined],
      ['Approval used', body.approval_ref, true],
    ];
  }
  if (kind === 'approve' || kind === 'deny') {
    const verb = kind === 'approve' ? 'Approved' : hasTimedOut(body) ? 'Timed out' : 'Denied';
    return [
      [verb, `by ${reviewerOf(body)} at ${text(body.approved_at) ?? timestamp}${via(body)}`],
      ['Comment', body.comment],
      ['Reason', body.reason],
    ];
  }
  if (kind === 'credential')
    return [['Credential', `${text(body.action) ?? 'changed'}: ${credentialOf(body) ?? 'not recorded'}`]];
  if (kind !== 'result') return [];
  return [
    ['Credential', credentialOf(body)],
    ['Result', `${text(body.outcome) ?? 'not recorded'} at ${timestamp}`],
    ['Error', body.error],
    ['Result digest', body.result_sha256, true],
    ['Result withheld', body.result_withheld],
  ];
}

function documentsOf({ kind, body }: EvidenceEntry): { heading: string; json: string }[] {
  if (decisionKinds.has(kind)) return documentOf('Parameters', body.parameters ?? body.parameters_head);
  if (kind === 'result') return documentOf('Result', body.result);
  if (kind === 'approve' || kind === 'deny' || kind === 'credential' || kind === 'chat') return [];
  return documentOf(`Recorded (${kind})`, body);
}

function documentOf(heading: string, value: unknown): { heading: string; json: string }[] {
  if (value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0))
    return [];
  const lines = JSON.stringify(value, null, 2).split('\n').map(visibleText).join('\n');
  return [{ heading, json: shorten(lines, documentCharacters) }];
}

const deciding: ReadonlySet<string> = new Set([...decisionKinds, 'approve', 'deny', 'chat']);

/** Returns the outcome of an action, taken from its last decisive entry. */
function outcomeOf(steps: readonly EvidenceEntry[], use: ApprovalUse | undefined, left: number): string {
  const result = steps.findLast(({ kind }) => kind === 'result');
  if (result) return text(outcomeText(result.body.outcome)) ?? 'result recorded';
  const last = steps.findLast(({ kind }) => deciding.has(kind));
  if (last?.kind === 'chat') return text(chatOutcome(last.body)) ?? 'recorded';
  if (last?.kind === 'allow')
    return last.body.execution === 'not_executed' ? 'allowed, not executed' : 'allowed, no outcome recorded';
  if (last?.kind === 'review') return 'waiting for approval';
  if (last?.kind === 'approve') return text(approvedOutcome(use, left)) ?? 'approved';
  if (last?.kind === 'deny' && hasTimedOut(last.body)) return 'timed out';
  const words: Record<string, string> = { block: 'blocked', deny: 'denied' };
  return words[last?.kind ?? ''] ?? 'recorded';
}

/** Reports whether a denial is a timeout, without a reviewer's decision. */
const hasTimedOut = ({ reason }: EvidenceEntry['body']): boolean => reason === 'timeout';

/** Returns the authenticated person first, then the name that the reviewer entered. */
function reviewerOf(body: EvidenceEntry['body']): string {
  const reviewer = text(body.reviewer);
  const person = text(body.person);
  if (person === undefined || person === reviewer) return reviewer ?? person ?? 'not recorded';
  return reviewer === undefined ? person : `${person} (as “${reviewer}”)`;
}

const via = (body: EvidenceEntry['body']): string =>
  text(body.channel) === undefined ? '' : ` via ${text(body.channel)}`;

function credentialOf(body: EvidenceEntry['body']): string | undefined {
  if (typeof body.credential !== 'object' || body.credential === null) return undefined;
  const { id, type, scope, expires_at, broker } = body.credential as Record<string, unknown>;
  const origin = [text(broker) && `from broker ${text(broker)}`, text(expires_at) && `expires ${text(expires_at)}`];
  return [
    `${text(type) ?? 'unknown type'} for ${text(scope) ?? 'unknown scope'}`,
    ...origin,
    text(id) && `id ${text(id)}`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** Returns a string as one visible line, or undefined for other values. */
function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? shorten(visibleText(value), textCharacters) : undefined;
}

function facts(loose: readonly LooseFact[]): Fact[] {
  return loose.flatMap(([label, value, code]) => {
    const shown = text(value);
    return shown === undefined ? [] : [{ label, value: shown, ...(code && { code }) }];
  });
}
