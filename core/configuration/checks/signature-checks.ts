/**
 * If `tool_policies.require_signed` is set, every part that affects decisions, apart from the gateway's own code, must
 * be signed [supply-chain.require-signed].
 */

import { partsInForce, trustOf, type UnsignedPart } from '#core/configuration/supply-chain/in-force.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { Problem } from '#core/contracts/problems.ts';

type SignatureProblem = Problem & {
  /** Absent if the index itself is invalid. */
  readonly part?: UnsignedPart;
};

/**
 * Finds unsigned parts or an invalid index.
 * @param now milliseconds since 1970
 */
export function checkSignatures(configuration: Configuration, now: number): SignatureProblem[] {
  const { supply_chain, tool_policies, policies } = configuration;
  if (supply_chain.index !== undefined) {
    const trust = trustOf(configuration, now);
    if (typeof trust === 'string')
      return [{ path: ['supply_chain', 'index'], found: trust, allowed: 'an index that the root key signed' }];
  }
  if (!tool_policies.require_signed) return [];
  return partsInForce(configuration, now)
    .filter(({ verified }) => !verified)
    .map(({ kind, name, sha256, reason = '' }): SignatureProblem => {
      const phase = policies.input.some((filter) => filter.name === name) ? 'input' : 'output';
      return {
        path:
          kind === 'policy_pack'
            ? ['tool_policies', 'pack']
            : ['policies', phase, policies[phase].findIndex((filter) => filter.name === name)],
        found: `${kind === 'policy_pack' ? 'the pack' : 'the module of'} ${name} without a valid signature (${reason})`,
        allowed: 'a part signed by a publisher under supply_chain.root_key, since tool_policies.require_signed is true',
        part: { kind, name, sha256, reason },
      };
    });
}
