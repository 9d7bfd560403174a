/** Totals over a session's entries for signing and verifying: counts, policy versions, credentials. */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { SessionHead } from './ports.ts';

export interface CredentialProvenance {
  id: string;
  type: string;
  scope: string;
}

/** Returns the policy version under which the decision in an entry was made, if recorded. */
export function policyVersionOf(entry: EvidenceEntry): number | undefined {
  const version = entry.body.policy_version;
  return Number.isSafeInteger(version) ? (version as number) : undefined;
}

/** Returns the credential named by an entry. Reads only the provenance, so that a secret cannot get into a manifest. */
function credentialOf(entry: EvidenceEntry): CredentialProvenance | undefined {
  if (entry.kind !== 'result' && entry.kind !== 'credential') return undefined;
  const credential = entry.body.credential as Partial<CredentialProvenance> | null | undefined;
  if (typeof credential !== 'object' || credential === null) return undefined;
  const { id, type, scope } = credential;
  if (typeof id !== 'string' || typeof type !== 'string' || typeof scope !== 'string') return undefined;
  return { id, type, scope };
}

/**
 * Totals like those computed by `advanceHead`, but kept in sets, so that verifying a long session takes linear time.
 */
export class Tally {
  readonly #counts = new Map<string, number>();
  readonly #policyVersions = new Set<number>();
  readonly #credentials = new Map<string, CredentialProvenance>();
  #first: EvidenceEntry | undefined;
  #last: EvidenceEntry | undefined;
  #total = 0;

  get total(): number {
    return this.#total;
  }

  get last(): EvidenceEntry | undefined {
    return this.#last;
  }

  add(entry: EvidenceEntry): void {
    this.#first ??= entry;
    this.#last = entry;
    this.#total++;
    this.#counts.set(entry.kind, (this.#counts.get(entry.kind) ?? 0) + 1);
    const version = policyVersionOf(entry);
    if (version !== undefined) this.#policyVersions.add(version);
    const credential = credentialOf(entry);
    if (credential && !this.#credentials.has(credential.id)) this.#credentials.set(credential.id, credential);
  }

  /** Returns each credential once, in order of first appearance. */
  credentials(): CredentialProvenance[] {
    return [...this.#credentials.values()];
  }

  /** Returns the head that these entries lead to, or undefined if there are none. */
  head(): SessionHead | undefined {
    if (!this.#first || !this.#last) return undefined;
    return {
      tenant: this.#first.tenant,
      session_id: this.#first.session_id,
      total_entries: this.#total,
      first_hash: this.#first.hash,
      last_hash: this.#last.hash,
      counts: Object.fromEntries(this.#counts),
      policy_versions: [...this.#policyVersions].sort((a, b) => a - b),
      opened_at: this.#first.timestamp,
      updated_at: this.#last.timestamp,
    };
  }
}
