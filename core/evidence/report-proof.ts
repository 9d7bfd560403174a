/**
 * The report section containing the proof that the session is in the transparency log, for manual checks
 * [evidence.report].
 */
import type { Verification } from '#core/contracts/evidence.ts';
import type { LogProof } from '#core/contracts/transparency.ts';
import { leafBytes } from '#core/evidence/transparency/leaf.ts';
import { leafHash } from '#core/evidence/transparency/tree.ts';
import type { ActionStory } from './report-parts.ts';

/** Returns the section, or undefined if no proof was checked. */
export function proofSummary({ log }: Verification, proof: LogProof | undefined): ActionStory | undefined {
  if (!log || !proof) return undefined;
  return {
    title: log.origin,
    outcome: `entries 0 to ${log.index} are leaf ${log.position} of ${log.size}`,
    facts: [
      { label: 'Leaf hash', value: leafHash(leafBytes(proof.leaf)).toString('hex'), code: true },
      ...log.witnesses.map(({ witness, at, size }) => ({
        label: 'Witness',
        value: `${witness} cosigned ${size} leaves at ${at}`,
      })),
      ...(log.witnesses.length === 0 ? [{ label: 'Witness', value: 'no witness has cosigned it yet' }] : []),
    ],
    documents: [
      { heading: 'Leaf', json: JSON.stringify(proof.leaf, null, 2) },
      { heading: 'Inclusion proof, from the leaf to the root', json: JSON.stringify(proof.path, null, 2) },
      { heading: 'Checkpoint', json: proof.checkpoint.trimEnd() },
      ...proof.cosigned.map(({ checkpoint, path }) => ({
        heading: 'Cosigned checkpoint and its inclusion proof',
        json: `${checkpoint.trimEnd()}\n\n${JSON.stringify(path, null, 2)}`,
      })),
    ],
  };
}
