/**
 * Checks every use of an approval against its vote. An `approved:<id>` entry needs an earlier `approve` entry with that
 * id and the same call, and a `denied:<id>` entry needs a `deny` entry [evidence.approval-proven].
 */

import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { asText } from '#core/kernel/as-text.ts';

type Verdict = 'approve' | 'deny';

/** A vote as recorded in its entry. */
interface Vote {
  readonly verdict: Verdict;
  readonly call_digest: unknown;
  used: boolean;
}

export class ApprovalTrail {
  readonly #votes = new Map<string, Vote>();
  /** People who voted on an approval that needs several votes, keyed by approval id. */
  readonly #kept = new Map<string, Set<unknown>>();

  /** Returns the last vote on an approval. */
  voteOf(id: string): Readonly<Vote> | undefined {
    return this.#votes.get(id);
  }

  /** Returns the defect in an entry that uses an approval. Earlier votes and uses must already have been added. */
  defect(entry: EvidenceEntry): string | undefined {
    if (entry.kind === 'approve') return this.#unreported(entry);
    const use = useOf(entry);
    if (!use) return undefined;
    const { id, verdict } = use;
    const vote = this.#votes.get(id);
    const what = `${verdict === 'approve' ? 'approval' : 'denial'} ${id}`;
    if (vote?.verdict !== verdict)
      return `the entry relies on ${what}, but no earlier ${verdict} entry for it is present`;
    if (entry.kind === 'chat') return vote.used ? undefined : `the entry relies on ${what}, which was not used for it`;
    if (vote.call_digest !== entry.body.call_digest) return `the entry relies on ${what}, which is for another call`;
    if (verdict === 'approve' && vote.used) return `the entry uses ${what} a second time`;
    return undefined;
  }

  /** Checks that each vote listed in an approval, except the last, has its own entry [evidence.approval-proven]. */
  #unreported({ body }: EvidenceEntry): string | undefined {
    const listed: readonly { readonly person?: unknown }[] = Array.isArray(body.votes) ? body.votes : [];
    const kept = this.#kept.get(String(body.approval_id));
    const missing = listed.slice(0, -1).some(({ person }) => !kept?.has(person));
    return missing
      ? `approval ${String(body.approval_id)} lists a vote, but no earlier entry for it is present`
      : undefined;
  }

  add(entry: EvidenceEntry): void {
    const { kind, body } = entry;
    if (kind === 'vote') {
      const id = String(body.approval_id);
      this.#kept.set(id, (this.#kept.get(id) ?? new Set()).add(body.person));
      return;
    }
    if (kind === 'approve' || kind === 'deny') {
      const id = body.approval_id;
      if (typeof id === 'string') this.#votes.set(id, { verdict: kind, call_digest: body.call_digest, used: false });
      return;
    }
    const used = kind === 'allow' ? useOf(entry) : undefined;
    const returned = kind === 'result' && body.approval_returned === true ? asText(body.approval_ref) : undefined;
    const vote = this.#votes.get(used?.id ?? returned ?? '');
    if (vote) vote.used = used !== undefined;
  }
}

const bearing: Readonly<Partial<Record<EvidenceEntry['kind'], readonly [prefix: string, verdict: Verdict]>>> = {
  allow: ['approved:', 'approve'],
  chat: ['approved:', 'approve'],
  block: ['denied:', 'deny'],
};

/**
 * Returns the approval or denial on which an entry relies. A rule for a protocol named `approved` or `denied` does not
 * count.
 */
function useOf({ kind, body }: EvidenceEntry): { readonly id: string; readonly verdict: Verdict } | undefined {
  const [prefix, verdict] = bearing[kind] ?? [];
  const { matched_rule: rule, protocol } = body;
  if (!prefix || !verdict || typeof rule !== 'string' || !rule.startsWith(prefix)) return undefined;
  if (typeof protocol === 'string' && `${protocol}:` === prefix) return undefined;
  return { id: rule.slice(prefix.length), verdict };
}
