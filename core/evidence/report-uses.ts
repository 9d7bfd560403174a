/** Finds which call used which approval. Each call has its own envelope, so the report has to join the two. */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { chatOutcome } from './report-chat.ts';

/** The use of an approval, according to the entries in the report. */
export interface ApprovalUse {
  readonly envelope_id: string;
  /** An outcome such as `executed` or `completed`; undefined while no outcome is recorded. */
  readonly outcome?: string;
}

const using: ReadonlySet<string> = new Set(['allow', 'result', 'chat']);

/** Returns approval uses, keyed by the approval's envelope. A later entry for the same call replaces an earlier one. */
export function approvalUses(entries: readonly EvidenceEntry[]): ReadonlyMap<string, ApprovalUse> {
  const uses = new Map<string, ApprovalUse>();
  for (const { kind, body, envelope_id } of entries) {
    const { approval_ref, outcome } = body;
    if (typeof approval_ref !== 'string' || !using.has(kind)) continue;
    // The tool was not called, and the approval can be used again.
    if (body.approval_returned === true) {
      uses.delete(approval_ref);
      continue;
    }
    const ended = kind === 'chat' ? chatOutcome(body) : outcome;
    uses.set(approval_ref, { envelope_id, ...(typeof ended === 'string' && { outcome: ended }) });
  }
  return uses;
}

/** Describes an outcome. Without an executor, the gateway does not run the tool itself. */
export const outcomeText = (outcome: unknown): unknown =>
  outcome === 'not_executed' ? 'not executed by the gateway' : outcome;

/** Describes an approved request's outcome, based on its use. */
export function approvedOutcome(use: ApprovalUse | undefined, entriesLeft: number): string {
  if (use) return `approved and used: ${outcomeText(use.outcome) ?? 'no outcome recorded'}`;
  return entriesLeft > 0 ? 'approved; no use among the entries shown' : 'approved, not yet used';
}
