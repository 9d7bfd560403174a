/** What a call is: where it goes, what it can do, where its values come from, and what the rules say of it. */
import { callDigest } from '#core/approvals/call-digest.ts';
import type { Principal } from '#core/configuration/identity/principal.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { ActionEnvelope, Placement } from '#core/contracts/envelope.ts';
import type { Effects } from '#core/effects/ports.ts';
import { agreedCapability, capabilityOfCall } from '#core/policy/classification/agreed-capability.ts';
import type { PolicyDecision } from '#core/policy/rules/decide.ts';
import type { Redaction } from '#core/text/secrets/redact.ts';
import { isLarge, sentOf } from './call-work.ts';
import type { GovernedRequest } from './envelope.ts';
import { evaluateCall, evaluateRecorded } from './evaluate-call.ts';
import { placementOf } from './placement.ts';
import type { ReadCallPorts } from './ports.ts';
import { withSources } from './value-sources.ts';

/** One request, whose it is, and the configuration that it meets. */
export interface Asked {
  readonly snapshot: Snapshot;
  readonly principal: Principal;
  readonly request: GovernedRequest;
}

export interface ReadCall {
  readonly envelope: ActionEnvelope;
  readonly effects: Effects;
  /** As policy, sandbox and the guard on arguments have it. */
  readonly evaluated: PolicyDecision;
  /** What its entry shows of the call, where a worker has redacted a large one. */
  readonly redaction: Redaction | undefined;
  readonly digest: string;
  /** Other work has a turn, where the call is so large that each step takes long. */
  readonly turn: () => Promise<void>;
}

/**
 * The call with where it goes, and with the graver of the capabilities that its caller and the gateway give it.
 * @throws GatewayError `no_upstream`, `service_unavailable`.
 */
export async function placedCall(
  ports: ReadCallPorts,
  { snapshot, request }: Asked,
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

/** @throws GatewayError `payload_too_large`, `service_unavailable`. */
export async function readCall(
  ports: ReadCallPorts,
  { snapshot, principal, request }: Asked,
  call: ActionEnvelope,
): Promise<ReadCall> {
  const { prompt, conversation, rootLists = [], dry_run } = request;
  const effects = await ports.effects(call);
  const ownWords = principal.kind === 'human' ? { justification: call.justification } : {};
  const envelope = await withSources(ports, snapshot, call, effects, { prompt, conversation, ...ownWords });
  const large = isLarge(sentOf(envelope));
  const turn = async () => (large ? ports.pause(0) : undefined);
  await turn();
  const recorded = dry_run ? undefined : envelope;
  const roots = request.roots ? [request.roots, ...rootLists] : rootLists;
  const { evaluated, redaction } = await evaluateRecorded(ports, snapshot, envelope, effects, { recorded, roots });
  await turn();
  return { envelope, effects, evaluated, redaction, digest: callDigest(envelope), turn };
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
  const { decision } = await evaluateCall(ports, snapshot, bare, await ports.effects(bare));
  return decision === 'block';
}
