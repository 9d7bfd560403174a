/** A call that its caller carries out, asked for again under its `call_id` [action.reported-outcome]. */
import type { StartedAction } from '#core/contracts/started-action.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { GovernedAction } from './governed.ts';

/**
 * Whether a call that was allowed before under the same `call_id` is the same call, as where two hooks ask for one: it keeps its row.
 * @throws GatewayError `conflict` for another call, and for one whose outcome was reported.
 */
export function isAskedAgain({ callId, call_digest }: GovernedAction, found: StartedAction | undefined): boolean {
  if (callId === undefined || found === undefined) return false;
  if (found.call_digest === call_digest && found.outcome === undefined) return true;
  throw new GatewayError(
    'conflict',
    `The call_id ${callId} was used for ${found.outcome === undefined ? 'another call' : 'a call whose outcome is recorded'} (${found.tool}, ${found.started_at}); nothing was decided. Send an id of its own for each call.`,
    { data: { envelope_id: found.envelope_id } },
  );
}
