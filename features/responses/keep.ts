/**
 * Stores the owner of a response that its provider stores, before the response is sent. Responses that the caller may
 * not read later are deleted at the provider.
 */

import type { FinishedCall, KnownCall } from '#core/chat/call-stages.ts';
import { callUsage } from '#core/chat/call-usage.ts';
import type { ChatPorts } from '#core/chat/ports.ts';
import { filesOf } from '#core/chat/stored/at-provider.ts';
import type { ResponseRetention } from '#core/chat/stored/retention.ts';
import type { StoredResponse } from '#core/contracts/stored-batch.ts';
import { responseIdOf } from './ids.ts';

/**
 * Records a stored response. Never rejects: if the row cannot be written, the response is reported as not stored.
 * @returns the id of the response, if it is stored.
 */
export async function keepResponse(
  ports: ChatPorts,
  { known, ending }: FinishedCall,
  keep: ResponseRetention,
): Promise<string | undefined> {
  const keptId = known.progress?.keptId;
  keep.stored = false;
  if (keptId === undefined || !keep.store) return undefined;
  if (ending.outcome === 'completed' && !keep.withheld) {
    try {
      const row = rowOf(ports, known, keep, keptId);
      await ports.storedObjects.put(row);
      keep.stored = true;
      return row.id;
    } catch (thrown) {
      log(ports, known, 'a response whose owner was not stored is deleted at its provider', thrown);
    }
  }
  await forget(ports, known, keptId);
  return undefined;
}

function rowOf({ clock }: ChatPorts, known: KnownCall, keep: ResponseRetention, provider_id: string): StoredResponse {
  const { call, provider = '' } = known;
  const { input_tokens, output_tokens } = callUsage(known);
  return {
    id: responseIdOf(call.envelopeId),
    kind: 'response',
    provider,
    provider_id,
    input_tokens,
    output_tokens,
    tenant: call.principal.tenant,
    key_id: call.principal.key_id,
    session_id: call.sessionId,
    created_at: Math.floor(clock.now() / 1000),
    model: call.model,
    resolved_model: call.resolvedModel,
    policy_version: call.snapshot.version,
    ...(keep.previous && { previous: keep.previous.id }),
  };
}

/** Deletes the response at the provider, even if the caller has disconnected. */
async function forget(ports: ChatPorts, known: KnownCall, id: string): Promise<void> {
  const entry = known.call.plan.candidates.find(({ entry: { name } }) => name === known.provider)?.entry;
  if (!entry) return;
  try {
    const { resource } = await filesOf(ports, entry);
    const { signal } = new AbortController();
    await resource({ method: 'DELETE', path: `/responses/${id}`, headers: ports.telemetry.outgoing(), signal });
  } catch (thrown) {
    log(ports, known, 'a response without an owner was not deleted at its provider', thrown);
  }
}

function log({ telemetry }: ChatPorts, { call, provider }: KnownCall, message: string, thrown: unknown): void {
  const error = thrown instanceof Error ? thrown.message : String(thrown);
  telemetry.log('error', message, { envelope_id: call.envelopeId, provider, error });
}
