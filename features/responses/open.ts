/** Determines, before the call begins, whether a response is stored and which one it continues. */

import type { StoredObjectStore } from '#core/chat/stored/ports.ts';
import { ResponseRetention } from '#core/chat/stored/retention.ts';
import type { Principal } from '#core/configuration/identity/principal.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import { ofTenant } from '#core/configuration/store/tenant-policy.ts';
import type { StoredResponse } from '#core/contracts/stored-batch.ts';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { isResponseId, responseNotFound } from './ids.ts';

interface OpenContext {
  readonly store: Pick<StoredObjectStore, 'get'>;
  readonly principal: Principal;
  readonly snapshot: Snapshot;
  readonly sessionId: string;
}

/**
 * Returns undefined for a response that no provider stores. If `store` is not set, the response is stored if the
 * provider supports it, as in OpenAI's API.
 * @throws GatewayError `invalid_request`; `not_found` if the previous response belongs to another caller; `conflict` if
 * that response was checked under other conditions.
 */
export async function retentionOf(request: JsonObject, asking: OpenContext): Promise<ResponseRetention | undefined> {
  const { store, previous_response_id: id, instructions } = request;
  if (store !== undefined && store !== null && typeof store !== 'boolean')
    throw invalidRequest(`store is ${JSON.stringify(store).slice(0, 32)}; it must be true or false.`, {
      param: 'store',
    });
  const keeps = asking.snapshot.configuration.providers.some(
    ({ enabled, keeps_responses }) => enabled && keeps_responses,
  );
  const previous = id === undefined || id === null ? undefined : await previousOf(id, keeps, asking);
  if (!keeps || (store === false && !previous)) return undefined;
  return new ResponseRetention({
    store: store !== false,
    previous,
    instructions: typeof instructions === 'string' && instructions !== '',
  });
}

async function previousOf(id: unknown, keeps: boolean, asking: OpenContext): Promise<StoredResponse> {
  const { store, principal, snapshot, sessionId } = asking;
  const param = { param: 'previous_response_id' };
  if (!keeps)
    throw invalidRequest(
      'previous_response_id names a response kept by a provider, but no provider of this gateway keeps responses (keeps_responses); send the whole input, with store: false.',
      param,
    );
  if (typeof id !== 'string')
    throw invalidRequest('previous_response_id must be a string: the id of a response created with this key.', param);
  const row = isResponseId(id) ? await store.get(principal, id) : undefined;
  if (row?.kind !== 'response') throw responseNotFound(id);
  if (row.policy_version !== snapshot.version)
    throw new GatewayError(
      'conflict',
      `${id} was checked under policy version ${row.policy_version}, but ${snapshot.version} is now in force; send the whole input.`,
    );
  // Sources read in an earlier session cannot be traced in this one.
  if (row.session_id !== sessionId && ofTenant(snapshot, principal.tenant).policy.readsSources)
    throw new GatewayError(
      'conflict',
      `${id} belongs to the session ${row.session_id}, and the policy checks where values come from; continue it in that session (X-Session-ID), or send the whole input.`,
    );
  return row;
}
