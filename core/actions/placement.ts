/** Which server or service a call goes to, found before anything is decided: the answer is part of what is decided. */
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
import type { ExecutorsPort, ReadCallPorts } from './ports.ts';

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

/**
 * Returns the call with where it goes, and with the graver of the capabilities that its caller and the gateway give it.
 * @throws GatewayError `no_upstream`, `service_unavailable`.
 */
export async function placedCall(
  ports: ReadCallPorts,
  { snapshot, request }: { readonly snapshot: Snapshot; readonly request: GovernedRequest },
  bare: ActionEnvelope,
): Promise<ActionEnvelope> {
  const placement = await placed(ports, snapshot, bare, request);
  // A request that comes with its placement took the capability from where its tool is known.
  const claimed = request.placement === undefined || request.decide_only === true;
  const { mcp } = snapshot.configuration.upstreams;
  const named = claimed ? agreedCapability(request, mcp, placement?.capability) : request.capability;
  const call = { ...bare, ...placement };
  return { ...call, capability: await capabilityOfCall(named, call) };
}

/**
 * A dry run answers what would be decided, even where no executor could run the call. What the policy blocks wherever it runs is
 * blocked, not unknown [action.unplaced-blocked].
 */
async function placed(
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
  const { decision } = await assessCall(ports, snapshot, bare, await ports.effects(bare));
  return decision === 'block';
}

type ToolPlace = Pick<ActionEnvelope, 'tool' | 'upstream' | 'upstream_tool' | 'definition'>;

/**
 * Returns in what the tool of a call differs from the one that its approval was asked for: its place, or its definition. One answer for a
 * held call, one that is sent again and one that the gateway makes [approval.hold-asks-again] [approval.resend-asks-again].
 */
export function toolDifference(approved: ToolPlace, now: Placement | undefined): 'place' | 'definition' | undefined {
  const samePlace = now?.upstream === approved.upstream && now?.upstream_tool === approved.upstream_tool;
  if (!samePlace || (now?.tool ?? approved.tool) !== approved.tool) return 'place';
  return now?.definition === approved.definition ? undefined : 'definition';
}

/**
 * Where the call goes now; lists of servers are read again.
 * @param wanted the server that it has to be at.
 * @throws GatewayError as `placementOf`.
 */
export function placedNow(
  ports: ExecutorsPort,
  snapshot: Snapshot,
  { upstream: _, upstream_tool: __, definition: ___, ...bare }: ActionEnvelope,
  wanted?: string,
): Promise<Placement | undefined> {
  return placementOf(ports, snapshot, bare, wanted, true);
}
