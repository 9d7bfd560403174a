/** Which server or service a call goes to, found before anything is decided: the answer is part of what is decided. */
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { ActionEnvelope, Placement, ToolCall } from '#core/contracts/envelope.ts';
import { serviceOf } from '#core/execution/executors/http/destination.ts';
import type { Executor } from '#core/execution/executors/ports.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { foldCase } from '#core/text/matching/fold-unicode.ts';
import type { ExecutorsPort } from './ports.ts';

/**
 * @param bare the call without a placement.
 * @param wanted the upstream its caller names.
 * @param fresh servers are asked for their tools again: an approval waited, and what was read before it may be old.
 * @throws GatewayError `service_unavailable` when the inventory cannot be read, `no_upstream` when no upstream serves the tool.
 */
export async function placementOf(
  { executors }: ExecutorsPort,
  snapshot: Snapshot,
  bare: ActionEnvelope,
  wanted: string | undefined,
  fresh = false,
): Promise<Placement | undefined> {
  const call = wanted === undefined ? bare : { ...bare, upstream: wanted };
  const placement =
    configuredPlacement(snapshot.configuration, bare) ?? (await inventoried(executors(snapshot), call, fresh));
  if (wanted !== undefined && placement?.upstream !== wanted) throw notServed(bare.tool, wanted);
  return placement;
}

/** The HTTP service of a call, which the configuration alone tells. */
export function configuredPlacement({ upstreams }: Configuration, call: ToolCall): Placement | undefined {
  if (foldCase(call.protocol).trim() !== 'http') return undefined;
  const service = serviceOf(call, upstreams.http);
  return service && { upstream: service.name };
}

/** The first executor in this order that takes the call executes it. */
async function inventoried(
  executors: readonly Executor[],
  call: ActionEnvelope,
  fresh: boolean,
): Promise<Placement | undefined> {
  for (const executor of executors) {
    const placement = await executor.place?.(call, fresh);
    if (placement) return placement;
    if (!executor.place && executor.handles(call)) return undefined;
  }
  return undefined;
}

const notServed = (tool: string, upstream: string): GatewayError =>
  new GatewayError('no_upstream', `${upstream} does not serve the tool ${tool}. Name another upstream, or none.`, {
    data: { tool, upstream },
  });
