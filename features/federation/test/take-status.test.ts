/** Evidence heads: an honest chain is never accused, and a different chain is never mistaken for it. */
import fc from 'fast-check';
import { sha256 } from '#core/kernel/canonical.ts';
import type { EvidenceHead, KnownHead } from '../contract.ts';
import { compareHead } from '../take-status.ts';

const at = '2026-01-01T00:00:00.000Z';
/** Returns the hashes of a chain, each depending on all earlier ones. */
const chainOf = (bodies: readonly string[]): string[] => {
  const hashes: string[] = [];
  for (const body of bodies) hashes.push(sha256(`${hashes.at(-1) ?? ''}|${body}`));
  return hashes;
};
const headOf = (hashes: readonly string[], index?: number): EvidenceHead => ({
  tenant: 'default',
  session_id: 's',
  total_entries: hashes.length,
  last_hash: hashes.at(-1) ?? '',
  ...(index !== undefined && hashes[index] !== undefined && { at: { index, hash: hashes[index] } }),
});

/** Reports a chain as a plane does. If a position is then requested, reports the chain once more with that position. */
function reported(known: KnownHead | undefined, hashes: readonly string[]) {
  const first = compareHead(known, headOf(hashes), at);
  return first.wanted ? compareHead(known, headOf(hashes, first.wanted.index), at) : first;
}

const bodies = fc.array(fc.string({ maxLength: 3 }), { minLength: 1, maxLength: 12 });

test('[federation.status] a chain that only grows is never reported as divergent, whatever lengths are reported', () => {
  fc.assert(
    fc.property(bodies, fc.array(fc.nat(12), { maxLength: 8 }), (all, cuts) => {
      const hashes = chainOf(all);
      let known: KnownHead | undefined;
      for (const length of cuts.map((cut) => Math.min(cut, hashes.length)).sort((a, b) => a - b)) {
        const compared = reported(known, hashes.slice(0, length));
        expect(compared.divergence).toBeUndefined();
        known = compared.known ?? known;
      }
    }),
  );
});

test('[federation.status] a chain that lost or changed a reported entry is detected, whatever is appended later', () => {
  fc.assert(
    fc.property(bodies, fc.nat(), fc.string({ maxLength: 3 }), bodies, (all, place, other, grown) => {
      const index = place % all.length;
      fc.pre(all[index] !== other);
      const { known } = reported(undefined, chainOf(all));
      const rewritten = chainOf([...all.with(index, other), ...grown]);
      expect(reported(known, rewritten).divergence).toMatchObject({ kind: 'fork', index: all.length - 1 });
      expect(reported(known, chainOf(all.slice(0, index))).divergence).toMatchObject({ kind: 'cut', index });
    }),
  );
});
