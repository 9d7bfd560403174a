/**
 * Whether a call goes today to the tool that its approval was asked for. One answer for a call that was held, one that is sent again, and
 * one that the gateway makes once it is approved [approval.hold-asks-again] [approval.resend-asks-again].
 */
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { ActionEnvelope, Placement } from '#core/contracts/envelope.ts';
import { placementOf } from './placement.ts';
import type { ExecutorsPort } from './ports.ts';

type Asked = Pick<ActionEnvelope, 'tool' | 'upstream' | 'upstream_tool' | 'definition'>;

/** What is another: where the call goes, or what the definition of its tool says there. Undefined for the same tool. */
export function toolDifference(asked: Asked, now: Placement | undefined): 'place' | 'definition' | undefined {
  const samePlace = now?.upstream === asked.upstream && now?.upstream_tool === asked.upstream_tool;
  if (!samePlace || (now?.tool ?? asked.tool) !== asked.tool) return 'place';
  return now?.definition === asked.definition ? undefined : 'definition';
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
