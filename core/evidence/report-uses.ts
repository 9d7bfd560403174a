/** Which call of a session used which approval: it has an envelope of its own, so the story joins the two. */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { chatOutcome } from './report-chat.ts';

/** How an approval was used, as far as the entries at hand tell. */
export interface ApprovalUse {
  readonly envelope_id: string;
  /** `executed`, `completed`; undefined while no outcome is recorded. */
  readonly outcome?: string;
}

const using: ReadonlySet<string> = new Set(['allow', 'result', 'chat']);

/** By the approval's envelope. A later entry of the same call tells more, and stands. */
export function approvalUses(entries: readonly EvidenceEntry[]): ReadonlyMap<string, ApprovalUse> {
  const uses = new Map<string, ApprovalUse>();
  for (const { kind, body, envelope_id } of entries) {
    const { approval_ref, outcome } = body;
    if (typeof approval_ref !== 'string' || !using.has(kind)) continue;
    // Nothing was called, and the approval is as it was.
    if (body.approval_returned === true) {
      uses.delete(approval_ref);
      continue;
    }
    const ended = kind === 'chat' ? chatOutcome(body) : outcome;
    uses.set(approval_ref, { envelope_id, ...(typeof ended === 'string' && { outcome: ended }) });
  }
  return uses;
}

/** An outcome in words: nothing here carries out a tool without an executor. */
export const outcomeText = (outcome: unknown): unknown =>
  outcome === 'not_executed' ? 'not executed by the gateway' : outcome;

/** What became of an approval that stands at the end of its own entries. */
export function approvedOutcome(use: ApprovalUse | undefined, entriesLeft: number): string {
  if (use) return `approved and used: ${outcomeText(use.outcome) ?? 'no outcome recorded'}`;
  return entriesLeft > 0 ? 'approved; no use among the entries shown' : 'approved, not yet used';
}
