/** `POST /v1/requests/{id}/cancel`: ends a running call made with the caller's own key, in any process. */

import { longestExecutionSeconds } from '#core/contracts/host-limits.ts';
import type { CallName } from '#core/execution/cancellation/ports.ts';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import { notFound } from '#core/kernel/not-found.ts';
import { isoTime } from '#core/kernel/ports.ts';
import type { Call, Operation } from './operation.ts';

/** Time after which a running call has noticed the cancellation, because processes poll once per second. */
const waitMs = 4_000;
const lookEveryMs = 200;
/** Maximum duration of a call. */
const longestMs = longestExecutionSeconds * 1000;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/**
 * Cancels a running call.
 * @throws GatewayError `invalid_request` for a malformed envelope id; `conflict` for a call that has ended or is
 * pending approval; `not_found` for any other call, including one made with another key [cancel.any-process].
 */
export const cancelRequest: Operation = async ({ ports, principal, params }) => {
  const id = (params.id ?? '').toLowerCase();
  if (!uuid.test(id))
    throw invalidRequest(
      `${JSON.stringify(id.slice(0, 64))} is not a request id; send the x-envelope-id of the response.`,
    );
  const { cancellations, clock, pause } = ports;
  if (!cancellations) throw notFound({ noun: 'request' }, id);
  const name: CallName = { tenant: principal.tenant, key_id: principal.key_id, call: id };
  await cancellations.ask(name, isoTime(clock.now()));
  for (let waited = 0; waited <= waitMs; waited += lookEveryMs) {
    const asked = await cancellations.asked(name, { consistent: true });
    if (asked?.taken) return { status: 202, body: { id, status: 'cancelling' } };
    await pause(lookEveryMs);
  }
  if (await isRecorded(ports, name))
    throw new GatewayError(
      'conflict',
      `Request ${id} is not running: it has ended, or waits for approval. Nothing was cancelled; a waiting request ends when its approval is denied.`,
    );
  throw notFound({ noun: 'running request' }, `${id} of this key`);
};

/**
 * Checks whether the log has a readable entry for the call. Envelope ids begin with a timestamp, which limits the
 * search.
 */
async function isRecorded({ evidence }: Call['ports'], { tenant, key_id, call }: CallName): Promise<boolean> {
  const bornMs = Number.parseInt(call.replaceAll('-', '').slice(0, 12), 16);
  const within = {
    tenant,
    actor: key_id,
    from: bornMs - 60_000,
    to: bornMs + longestMs,
    limit: 100,
    unreadable: () => {},
  };
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const found = await evidence.audit({ ...within, ...(cursor !== undefined && { cursor }) });
    if (found.items.some(({ envelope_id }) => envelope_id === call)) return true;
    cursor = found.cursor;
    if (cursor === undefined) return false;
  }
  return false;
}

const maxPages = 20;
