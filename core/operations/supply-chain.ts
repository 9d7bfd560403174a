/**
 * The supply chain: the active policy pack and WASM filters, and administrative acts on plugins
 * [supply-chain.in-force].
 */

import { partsInForce } from '#core/configuration/supply-chain/in-force.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { actionOf, type PluginAct, recordedActs } from '#core/contracts/plugin-act.ts';
import { adminSession } from '#core/evidence/admin-session.ts';
import { type RowPlace, rowPlace } from '#core/evidence/entry-text.ts';
import { dayMs } from '#core/kernel/durations.ts';
import type { Call, Operation } from './operation.ts';

/**
 * Returns the supply chain. Signatures are verified on each request, because a delegation may have ended since the
 * configuration was stored.
 */
export const supplyChain: Operation = async (call) => {
  const { configuration, version } = call.snapshot;
  return {
    body: {
      policy_version: version,
      require_signed: configuration.tool_policies.require_signed,
      parts: partsInForce(configuration, call.ports.clock.now()),
      ...(await recentActs(call)),
    },
  };
};

const daysShown = 7;
const actsShown = 50;
const actions = new Map(recordedActs.map((act) => [actionOf({ act }), act]));

/**
 * Returns recent acts, newest first. They are read from the chains of administrative acts, which stay short regardless
 * of traffic.
 */
async function recentActs({ ports, principal: { tenant } }: Call) {
  const now = ports.clock.now();
  const acts = [];
  const unreadable: object[] = [];
  const note = (row: RowPlace) => void unreadable.push({ tenant, ...rowPlace(row) });
  for (let day = 0; day < daysShown && acts.length < actsShown; day++) {
    const found = [];
    for await (const entry of ports.evidence.entries(tenant, adminSession(tenant, now - day * dayMs), 0, note))
      found.push(...(entryAnswer(entry) ?? []));
    acts.push(...found.reverse());
  }
  return { acts: acts.slice(0, actsShown), ...(unreadable.length > 0 && { unreadable }) };
}

function entryAnswer({ timestamp, actor, body, hash }: EvidenceEntry) {
  const { action, ...about } = body as { action?: unknown } & Partial<PluginAct>;
  const act = actions.get(String(action));
  return act && [{ at: timestamp, by: actor.person ?? actor.key_id, act, ...about, evidence_hash: hash }];
}
