/** Checks whether a configuration's pack and WASM filters are signed under its root key [supply-chain.in-force]. */
import type { activePartSchema } from '#core/contracts/answers/supply-chain.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { Shape } from '#core/contracts/shape.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import { keyIdOf, publicKeyOf } from './keys.ts';
import { SupplyChainRefusal } from './refusal.ts';
import { verifyEntry } from './verify-artifact.ts';
import { type TrustedIndex, verifyIndex } from './verify-index.ts';

type ActivePart = Shape<typeof activePartSchema>;

/** A part refused by `require_signed`. */
export type UnsignedPart = Pick<ActivePart, 'kind' | 'name' | 'sha256'> & { readonly reason: string };

type SignedParts = Pick<Configuration, 'policies' | 'tool_policies' | 'supply_chain'>;

/**
 * Returns a configuration's pack and filters with their verification results.
 * @param now milliseconds since 1970
 */
export function partsInForce(configuration: SignedParts, now: number): ActivePart[] {
  const { policies, tool_policies } = configuration;
  const trust = trustOf(configuration, now);
  const judged = (part: Omit<ActivePart, 'verified'>): ActivePart => ({ ...part, ...verdictOn(part, trust, now) });
  const { pack } = tool_policies;
  const packs = pack ? [{ kind: 'policy_pack', name: pack.name, sha256: digestOf(pack) } as const] : [];
  const filters = [...policies.input, ...policies.output].flatMap((filter) =>
    filter.type === 'wasm' ? [{ kind: 'wasm_filter', name: filter.name, sha256: filter.sha256 ?? null } as const] : [],
  );
  return [...packs, ...filters].map(judged);
}

/** Returns the verified index, or the reason why there is none. */
export function trustOf({ supply_chain: { root_key, index } }: Pick<SignedParts, 'supply_chain'>, now: number) {
  if (root_key === undefined || index === undefined) return 'the configuration names no signed index (supply_chain)';
  try {
    return verifyIndex(index, publicKeyOf(root_key), { now });
  } catch (fault) {
    if (fault instanceof SupplyChainRefusal) return `${fault.reason}: ${fault.message}`;
    throw fault;
  }
}

/**
 * Checks that a new signed index is not older than the previous one under the same root key.
 * @returns the reason if it is older, or undefined if it is not or if either has no index
 */
export function olderThan(before: Pick<SignedParts, 'supply_chain'>, after: Pick<SignedParts, 'supply_chain'>) {
  const { root_key, index } = after.supply_chain;
  // Dates have already been checked when the index was loaded.
  const now = Number.POSITIVE_INFINITY;
  const known = trustOf(before, now);
  if (typeof known === 'string' || root_key === undefined || index === undefined) return undefined;
  const root = publicKeyOf(root_key);
  if (keyIdOf(root) !== keyIdOf(publicKeyOf(before.supply_chain.root_key!))) return undefined;
  try {
    verifyIndex(index, root, { now, seen: known.seen });
    return undefined;
  } catch (fault) {
    if (fault instanceof SupplyChainRefusal) return `${fault.reason}: ${fault.message}`;
    throw fault;
  }
}

function verdictOn(
  { kind, sha256 }: Omit<ActivePart, 'verified'>,
  trust: TrustedIndex | string,
  now: number,
): Pick<ActivePart, 'verified' | 'reason' | 'signer' | 'signed_as'> {
  if (typeof trust === 'string') return { verified: false, reason: trust };
  if (sha256 === null) return { verified: false, reason: 'its module was never imported, so its digest is not known' };
  const entries = trust.index.plugins.filter((entry) => entry.sha256 === sha256 && entry.kind === kind);
  if (entries.length === 0) return { verified: false, reason: 'the signed index lists nothing with this digest' };
  let reason = '';
  for (const entry of entries) {
    try {
      return { verified: true, signer: verifyEntry(entry, trust, now), signed_as: `${entry.name}@${entry.version}` };
    } catch (fault) {
      if (!(fault instanceof SupplyChainRefusal)) throw fault;
      reason = `${fault.reason}: ${fault.message}`;
    }
  }
  return { verified: false, reason };
}
