/**
 * The end of a call whose response its provider keeps: its owner is written down before the answer is given. What is not the
 * caller's to read again is deleted at the provider.
 */
import type { StoredResponse } from '#core/contracts/stored-batch.ts';
import { filesOf } from '../batches/at-provider.ts';
import { responseIdOf } from '../batches/names.ts';
import { type ChatCallState, usageOf } from '../call-state.ts';
import type { ChatPorts } from '../ports.ts';
import type { ResponseRetention } from './retention.ts';

/** Never rejects: without its row a response is answered as one that is not kept. */
export async function keepResponse(ports: ChatPorts, state: ChatCallState, keep: ResponseRetention): Promise<void> {
  const { provider_id } = state;
  keep.stored = false;
  if (provider_id === undefined || !keep.store) return;
  if (state.outcome === 'completed' && !keep.withheld) {
    try {
      const row = rowOf(ports, state, keep, provider_id);
      await ports.batchStore.put(row);
      state.resource = row.id;
      keep.stored = true;
      return;
    } catch (thrown) {
      log(ports, state, 'a response whose owner was not stored is deleted at its provider', thrown);
    }
  }
  await forget(ports, state, provider_id);
}

function rowOf(
  { clock }: ChatPorts,
  state: ChatCallState,
  keep: ResponseRetention,
  provider_id: string,
): StoredResponse {
  const { call, provider = '' } = state;
  const { input_tokens, output_tokens } = usageOf(state);
  return {
    ...{ id: responseIdOf(call.envelopeId), kind: 'response', provider, provider_id, input_tokens, output_tokens },
    tenant: call.principal.tenant,
    key_id: call.principal.key_id,
    session_id: call.sessionId,
    created_at: Math.floor(clock.now() / 1000),
    model: call.model,
    resolved_model: call.resolvedModel,
    policy_version: call.snapshot.version,
    ...(keep.previous && { previous: keep.previous.id }),
    calls_tools: keep.callsTools,
  };
}

/** The caller may be gone: that ends nothing here. */
async function forget(ports: ChatPorts, state: ChatCallState, id: string): Promise<void> {
  const entry = state.call.plan.candidates.find(({ entry: { name } }) => name === state.provider)?.entry;
  if (!entry) return;
  try {
    const { resource } = await filesOf(ports, entry);
    const { signal } = new AbortController();
    await resource({ method: 'DELETE', path: `/responses/${id}`, headers: ports.telemetry.outgoing(), signal });
  } catch (thrown) {
    log(ports, state, 'a response without an owner was not deleted at its provider', thrown);
  }
}

function log({ telemetry }: ChatPorts, { call, provider }: ChatCallState, message: string, thrown: unknown): void {
  const error = thrown instanceof Error ? thrown.message : String(thrown);
  telemetry.log('error', message, { envelope_id: call.envelopeId, provider, error });
}
