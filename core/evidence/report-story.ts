/** Describes a session for people: the content of both report formats, in order. */

import type { EvidenceEntry, SessionManifest, UnsignedManifest, Verification } from '#core/contracts/evidence.ts';
import type { LogProof } from '#core/contracts/transparency.ts';
import { countText } from '#core/kernel/count-text.ts';
import { shorten, visibleText } from '#core/text/secrets/visible-text.ts';
import { firstEntries } from './bundle.ts';
import { describeWithheld } from './describe-withheld.ts';
import { decisionKinds, facts, factsOf, hasTimedOut, lineText, textCharacters, titleOf } from './entry-story.ts';
import { type StoredEntry, UnreadableEntry } from './entry-text.ts';
import { chatOutcome, chatTitle } from './report-chat.ts';
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
  /** Location of the row's action within the report. Absent for a row that is not an entry. */
  readonly place?: string;
  /** Whether a policy blocked the chat call, or the row cannot be read. */
  readonly blocked: boolean;
}

export interface SessionStory {
  readonly verdict: { readonly valid: boolean; readonly sentence: string; readonly notChecked: readonly string[] };
  readonly summary: readonly Fact[];
  readonly timeline: readonly TimelineRow[];
  readonly actions: readonly ActionStory[];
  /** The session's record in the transparency log. */
  readonly log?: ActionStory;
  /** Note for a session that is too long for a single report. */
  readonly omission?: string;
}

/** Maximum number of entries per report. For the remaining entries, the report refers to the export. */
const reportedEntries = 2_000;
const documentCharacters = 4_000;

export async function sessionStory(
  manifest: SessionManifest | UnsignedManifest,
  entries: AsyncIterable<StoredEntry> | Iterable<StoredEntry>,
  verification: Verification,
  logged?: LogProof,
): Promise<SessionStory> {
  const rows: StoredEntry[] = [];
  const limit = Math.min(manifest.total_entries, reportedEntries);
  for await (const row of firstEntries(entries, limit)) rows.push(row);
  const listed = rows.filter((row): row is EvidenceEntry => !(row instanceof UnreadableEntry));
  const left = manifest.total_entries - rows.length;
  const uses = approvalUses(listed);
  const groups = [...Map.groupBy(listed, (entry) => entry.envelope_id)];
  const places = new Map(groups.map(([id], at) => [id, `action-${at + 1}`]));
  const log = proofSummary(verification, logged);
  return {
    verdict: verdictOf(verification),
    summary: [...summaryOf(manifest, listed[0]), ...logFacts(verification)],
    timeline: rows.map((row) =>
      row instanceof UnreadableEntry ? unreadableRow(row) : rowOf(row, places.get(row.envelope_id)!),
    ),
    actions: groups.map(([id, steps]) => linkAction(actionOf(id, steps, uses.get(id), left), id, places)),
    ...(log && { log }),
    ...(left > 0 && { omission: `${left} more entries are not shown here; the exported bundle contains all of them.` }),
  };
}

/** Adds to an action its location in the report and links to the actions it names. */
function linkAction(action: ActionStory, id: string, places: ReadonlyMap<string, string>): ActionStory {
  const facts = action.facts.map((fact) => {
    const to = fact.label === 'Used by' || fact.label === 'Approval used' ? places.get(fact.value) : undefined;
    return to === undefined ? fact : { ...fact, to };
  });
  return { ...action, facts, place: places.get(id)! };
}

function verdictOf(verification: Verification): SessionStory['verdict'] {
  const { valid, total_entries, broken_link, checkpoint, not_checked } = verification;
  const fixed = checkpoint
    ? ` A checkpoint signed at ${checkpoint.created_at} covers entries 0 to ${checkpoint.index}.`
    : '';
  const sentence = valid
    ? `The chain is intact: ${countText(total_entries, 'entry')}, each linked to the one before.${fixed}`
    : `The chain is broken at entry ${broken_link?.index ?? 0}: ${lineText(broken_link?.reason) ?? 'no reason was given'}.`;
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

/** Returns the time at which the log accepted the session, and the witnesses that saw it. */
function logFacts({ log }: Verification): Fact[] {
  if (!log) return [];
  const seen = log.witnesses.map(({ witness, at }) => `${witness} at ${at}`);
  return facts([
    ['Transparency log', `entries 0 to ${log.index} are leaf ${log.position} of ${log.size}, logged at ${log.at}`],
    ['Log', log.origin, true],
    ['Witnesses', shorten(seen.join('; '), textCharacters) || 'none known'],
  ]);
}

const unreadableRow = ({ index, message }: UnreadableEntry): TimelineRow => ({
  index,
  timestamp: '',
  kind: 'unreadable',
  what: 'this row cannot be read',
  detail: visibleText(message),
  hash: '',
  blocked: true,
});

function rowOf(entry: EvidenceEntry, place: string): TimelineRow {
  const { index, timestamp, kind, hash, body } = entry;
  return {
    index,
    timestamp: visibleText(timestamp),
    kind,
    ...titleOf(entry),
    hash,
    place,
    blocked: kind === 'chat' && body.outcome === 'blocked',
  };
}

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
  const title = [lineText(asked.tool) ?? `${first.kind} entry`, lineText(asked.target)].filter(Boolean).join(' → ');
  return {
    title: (asked.tool === undefined && chat && lineText(chatTitle(chat.body))) || title,
    outcome: actionOutcome(steps, use, left),
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
function actionOutcome(steps: readonly EvidenceEntry[], use: ApprovalUse | undefined, left: number): string {
  const result = steps.findLast(({ kind }) => kind === 'result');
  if (result) return lineText(outcomeText(result.body.outcome)) ?? 'result recorded';
  const last = steps.findLast(({ kind }) => deciding.has(kind));
  if (last?.kind === 'chat') return lineText(chatOutcome(last.body)) ?? 'recorded';
  if (last?.kind === 'allow')
    return last.body.execution === 'not_executed' ? 'allowed, not executed' : 'allowed, no outcome recorded';
  if (last?.kind === 'review') return 'waiting for approval';
  if (last?.kind === 'approve') return lineText(approvedOutcome(use, left)) ?? 'approved';
  if (last?.kind === 'deny' && hasTimedOut(last.body)) return 'timed out';
  const words: Record<string, string> = { block: 'blocked', deny: 'denied' };
  return words[last?.kind ?? ''] ?? 'recorded';
}
