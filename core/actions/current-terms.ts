/**
 * Evaluates a pending request under the current policy to find the terms of its approval [approval.strictest-terms].
 */
import type { CurrentTerms } from '#core/approvals/terms.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import { ofTenant } from '#core/configuration/store/tenant-policy.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';
import { remembered } from '#core/kernel/remembered.ts';
import { assessCall } from './assess-call.ts';
import type { EvaluationPorts, SourcePorts } from './ports.ts';
import { requiredTerms } from './required-terms.ts';
import { withSources } from './value-sources.ts';

export type TermsPorts = EvaluationPorts & SourcePorts;

/** Maximum number of cached terms. They are cached because lists of pending requests are polled. */
const maxKept = 10_000;
const termsUnder = remembered((_: Snapshot) => new RecentMap<string, CurrentTerms>({ max: maxKept }));

/**
 * Returns the current terms of a pending request.
 * @throws GatewayError `payload_too_large`, `service_unavailable` if a worker could not evaluate a large call.
 */
export async function currentTerms(ports: TermsPorts, snapshot: Snapshot, row: ApprovalRow): Promise<CurrentTerms> {
  const kept = termsUnder(snapshot);
  const before = kept.get(row.envelope_id);
  if (before) return before;
  const scoped = ofTenant(snapshot, row.tenant);
  const call = shownCall(row);
  const effects = await ports.effects(call, scoped.configuration.catalog.programs);
  const { tenant, actor, key_id } = row;
  const traced = await withSources(ports, scoped, { ...call, tenant, actor, key_id }, effects);
  const decision = await assessCall(ports, scoped, traced, effects);
  const terms = requiredTerms({ decision, snapshot: scoped }, row);
  kept.set(row.envelope_id, terms);
  return terms;
}

/** Returns the call as the row shows it. Conditions on withheld values are unclear. */
function shownCall(row: ApprovalRow): ToolCall {
  const { protocol, tool, target, capability, upstream, parameters, sent_with, withheld } = row;
  return {
    protocol,
    tool,
    capability,
    upstream,
    parameters,
    sent_with,
    // A target that is withheld entirely is an object.
    target: typeof target === 'string' ? target : JSON.stringify(target),
    ...(withheld.length > 0 && { withheld: true as const }),
  };
}
