/** What decides beside the gateway's own code: the policy pack and the WASM filters in force, by digest [admin.supply-chain]. */
import { digestOf } from '#core/kernel/canonical.ts';
import type { Operation } from './operation.ts';

interface Part {
  readonly kind: 'policy_pack' | 'wasm_filter';
  readonly name: string;
  /** SHA-256 of the module's bytes, or of the pack's canonical JSON; null for a module that is read from its path. */
  readonly sha256: string | null;
  /** Whether a signature under the pinned root was checked when it was stored. */
  readonly verified: boolean;
  readonly reason?: string;
}

/** Signatures are checked by `agentctl plugin install`, before the file is imported; the configuration does not carry them. */
const unsigned = 'the configuration carries no signature; agentctl plugin list verifies installed plugins';

export const supplyChain: Operation = async ({ snapshot }) => {
  const { policies } = snapshot.configuration;
  const filters = [...policies.input, ...policies.output].flatMap((filter): Part[] =>
    filter.type === 'wasm'
      ? [{ kind: 'wasm_filter', name: filter.name, sha256: filter.sha256 ?? null, verified: false, reason: unsigned }]
      : [],
  );
  const pack: Part = {
    kind: 'policy_pack',
    name: snapshot.policyDocument.name,
    sha256: digestOf(snapshot.policyDocument),
    verified: false,
    reason: unsigned,
  };
  return { body: { policy_version: snapshot.version, parts: [pack, ...filters] } };
};
