/** What decides beside the gateway's own code: the policy pack and the WASM filters in force, by digest [admin.supply-chain]. */
import { partsInForce } from '#core/supply-chain/in-force.ts';
import type { Operation } from './operation.ts';

/** Signatures are verified at each request: a delegation may have ended since the configuration was stored. */
export const supplyChain: Operation = async ({ ports, snapshot: { configuration, version } }) => ({
  body: {
    policy_version: version,
    require_signed: configuration.tool_policies.require_signed,
    parts: partsInForce(configuration, ports.clock.now()),
  },
});
