/** Finds a call's server or service before the decision, which depends on it. */
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { ActionEnvelope, Placement, ToolCall } from '#core/contracts/envelope.ts';
import { serviceOf } from '#core/execution/executors/http/destination.ts';
import type { Executor } from '#core/execution/executors/ports.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { agreedCapability, capabilityOfCall } from '#core/policy/classification/agreed-capability.ts';
import { foldCase } from '#core/text/matching/fold-unicode.ts';
import { assessCall } from './assess-call.ts';
import type { GovernedRequest } from './envelope.ts';
import type { GovernPorts, ReadCallPorts } from './ports.ts';

/**
 * Returns the placement of a call; undefined if it has none.
 * @param bare the call without a placement.
 * @param wanted the upstream named by the caller.
 * @param fresh re-reads the servers' tools, since cached ones may predate an approval.
 * @throws GatewayError `service_unavailable` if the inventory cannot be read, `no_upstream` if no upstream serves the
 * tool.
 */
export async function placementOf(
  { executors }: Pick<GovernPorts, 'executors'>,
  snapshot: Snapshot,
  bare: ActionEnvelope,
  wanted: string | undefined,
  fresh = false,
): Promise<Placement | undefined> {
  const call = wanted === undefined ? bare : { ...bare, upstream: wanted };
  const placement =
    configuredPlacement(snapshot.configuration, bare) ?? (await firstPlacement(executors(snapshot), call, fresh));
  if (wanted !== undefined && placement?.upstream !== wanted) throw notServed(bare.tool, wanted);
  return placement;
}

/** Returns a call's HTTP service, which the configuration alone determines. */
export function configuredPlacement({ upstreams }: Configuration, call: ToolCall): Placement | undefined {
  if (foldCase(call.protocol).trim() !== 'http') return undefined;
  const service = serviceOf(call, upstreams.http);
  return service && { upstream: service.name };
}

/** Returns the placement given by the first executor that accepts the call. */
async function firstPlacement(
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

/**
 * Returns the call with its placement, and with the more severe of the two capabilities assigned by its caller and the
 * gateway.
 * @throws GatewayError `no_upstream`, `service_unavailable`.
 */
export async function placedCall(
  ports: ReadCallPorts,
  { snapshot, request }: { readonly snapshot: Snapshot; readonly request: GovernedRequest },
  bare: ActionEnvelope,
): Promise<ActionEnvelope> {
  const placement = await placeCall(ports, snapshot, bare, request);
  // If a request has a placement, its capability comes from the source that knows the tool.
  const claimed = request.placement === undefined || request.decide_only === true;
  const { upstreams, catalog } = snapshot.configuration;
  const named = claimed ? agreedCapability(request, upstreams.mcp, placement?.capability) : request.capability;
  const call = { ...bare, ...placement };
  return { ...call, capability: await capabilityOfCall(named, call, catalog.networks) };
}

/**
 * Returns the placement of a call. A dry run gets a decision even if no executor could run the call. A call that the
 * policy blocks everywhere is reported as blocked, not as unplaced [mcp.placement].
 */
async function placeCall(
  ports: ReadCallPorts,
  snapshot: Snapshot,
  bare: ActionEnvelope,
  request: GovernedRequest,
): Promise<Partial<Placement> | null | undefined> {
  const { placement, upstream, dry_run } = request;
  if (placement !== undefined) return placement;
  try {
    return await placementOf(ports, snapshot, bare, upstream);
  } catch (fault) {
    if (!dry_run && !(await isBlocked(ports, snapshot, bare))) throw fault;
    return upstream === undefined ? {} : { upstream };
  }
}

async function isBlocked(ports: ReadCallPorts, snapshot: Snapshot, bare: ActionEnvelope): Promise<boolean> {
  const effects = await ports.effects(bare, snapshot.configuration.catalog.programs);
  const { decision } = await assessCall(ports, snapshot, bare, effects);
  return decision === 'block';
}

type ToolPlace = Pick<ActionEnvelope, 'tool' | 'upstream' | 'upstream_tool' | 'definition'>;

/**
 * Returns whether the location or definition of the call's tool has changed since its approval was requested. Used for
 * held calls, repeated calls and calls made by the gateway [approval.execute-asks-again].
 */
export function toolDifference(approved: ToolPlace, now: Placement | undefined): 'place' | 'definition' | undefined {
  const samePlace = now?.upstream === approved.upstream && now?.upstream_tool === approved.upstream_tool;
  if (!samePlace || (now?.tool ?? approved.tool) !== approved.tool) return 'place';
  return now?.definition === approved.definition ? undefined : 'definition';
}

/**
 * Returns the current placement of the call; re-reads the servers' tools.
 * @param wanted the server that must serve it.
 * @throws GatewayError as `placementOf`.
 */
export function placedNow(
  ports: Pick<GovernPorts, 'executors'>,
  snapshot: Snapshot,
  { upstream: _, upstream_tool: __, definition: ___, ...bare }: ActionEnvelope,
  wanted?: string,
): Promise<Placement | undefined> {
  return placementOf(ports, snapshot, bare, wanted, true);
}
