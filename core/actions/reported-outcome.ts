/**
 * Records the outcome of a call that its caller carried out: one `result` entry in addition to the `allow` entry
 * [action.decide-only].
 */
import { federatedActor, type Principal } from '#core/configuration/identity/principal.ts';
import type { OutcomeRequest } from '#core/contracts/reported-outcome.ts';
import type { Ledger } from '#core/evidence/ports.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { isoTime } from '#core/kernel/ports.ts';
import type { GovernPorts, StartedActions } from './ports.ts';
import { idOfCall } from './started.ts';

interface Needs extends Pick<GovernPorts, 'clock'> {
  readonly startedActions: StartedActions;
  readonly ledger: Ledger;
}

/**
 * Records the outcome reported by the caller. The entry names the caller as its source, since the gateway did not see
 * the call.
 * @throws GatewayError `not_found` if no call by this key was allowed under the id, `conflict` if its outcome is
 * already recorded.
 */
export async function reportedOutcome(
  ports: Needs,
  principal: Principal,
  { call_id, outcome, ...details }: OutcomeRequest,
) {
  const { tenant, key_id } = principal;
  const found = await ports.startedActions.get(tenant, idOfCall(key_id, call_id));
  if (!found)
    throw new GatewayError(
      'not_found',
      `No call with the call_id ${call_id} was allowed for this key. Send the call_id that was sent together with decide_only.`,
    );
  if (found.outcome !== undefined) throw alreadyRecorded(call_id);
  const { id, envelope_id, session_id, tool } = found;
  const { result_sha256, result_bytes } = details;
  const written = await ports.ledger.commit({
    draft: {
      tenant,
      session_id,
      envelope_id,
      timestamp: isoTime(ports.clock.now()),
      kind: 'result',
      actor: { key_id, ...federatedActor(principal) },
      body: { tool, outcome, reported_by: 'caller', call_id, ...details },
    },
    changes: [
      {
        type: 'action.end',
        tenant,
        id,
        envelope_id,
        end: { outcome, ...(result_sha256 && { result_sha256 }), ...(result_bytes !== undefined && { result_bytes }) },
      },
    ],
  });
  if (!written.ok) throw alreadyRecorded(call_id);
  return { envelope_id, session_id, outcome, evidence_hash: written.entry.hash };
}

const alreadyRecorded = (callId: string): GatewayError =>
  new GatewayError(
    'conflict',
    `The outcome of the call ${callId} is already recorded and is not replaced. Send a different id for each call.`,
  );
