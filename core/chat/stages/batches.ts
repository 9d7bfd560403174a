/** The end of the calls that make a batch: the checked lines go to a provider as a file, and a batch is made of such a file [batches.governed]. */
import type { ContentPolicy } from '#core/content-policy/ports.ts';
import type { ProviderEntry } from '#core/contracts/config.ts';
import type { StoredBatch } from '#core/contracts/stored-batch.ts';
import { leaves } from '#core/dialects/leaves.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { ProviderFault, type ResourceCall } from '#core/providers/ports.ts';
import type { Answering } from '../answering.ts';
import { batchObject, fileObject } from '../batches/answers.ts';
import { batchProviderOf, filesOf, idIn, type WithFiles } from '../batches/at-provider.ts';
import { writeBatchFile } from '../batches/lines.ts';
import { newBatchId, newFileId } from '../batches/names.ts';
import type { BatchRequest } from '../batches/request.ts';
import { type ChatCallState, ended } from '../call-state.ts';
import { formOf } from '../endpoint-form.ts';
import type { ChatPorts } from '../ports.ts';
import { checkReply } from './output-policy.ts';
import { recordProviderStart } from './provider-call.ts';
import { failed } from './provider-fault.ts';

/**
 * @param bodies of the lines after the filters; none for the start of a batch.
 * @throws GatewayError `model_not_found` where no provider of the model has batches; faults of providers as for chat.
 */
export async function callBatch(
  ports: ChatPorts,
  state: ChatCallState,
  policy: ContentPolicy,
  batch: BatchRequest,
  bodies: readonly JsonObject[],
  answering: Answering,
): Promise<void> {
  const { call } = state;
  const entry = batchProviderOf(call.plan, batch.kind === 'start' ? batch.file.provider : undefined);
  if (!entry) throw modelNotServed(state, batch);
  state.begun = state.startNoted ? Promise.resolve() : recordProviderStart(ports, state);
  const reply =
    batch.kind === 'upload'
      ? await upload(ports, state, entry, batch, bodies)
      : await start(ports, state, policy, entry, batch.file);
  state.provider = entry.name;
  state.region = entry.region;
  state.outcome = 'completed';
  answering.json(200, reply);
}

/** Nothing is charged for a file: its calls are when a batch is made of it. */
async function upload(
  ports: ChatPorts,
  state: ChatCallState,
  entry: ProviderEntry,
  { file, filename, bytes }: Extract<BatchRequest, { kind: 'upload' }>,
  bodies: readonly JsonObject[],
): Promise<JsonObject> {
  const { call } = state;
  state.counted = { input_tokens: 0, output_tokens: 0 };
  const text = writeBatchFile(file, bodies, call.resolvedModel);
  // The caller's name of the file stays here: no filter has read it.
  const named = { sha256: 'lines', filename: 'batch.jsonl' };
  const files = new Map([['lines', new File([text], named.filename, { type: 'application/jsonl' })]]);
  const form = await formOf({ purpose: 'batch', file: named }, files);
  const made = await atProvider(ports, state, entry, ({ resource }) =>
    resource({ method: 'POST', path: '/files', form, ...sentWith(ports, state) }),
  );
  const stored: StoredBatch = {
    ...storedOf(ports, state, entry, newFileId(ports.ids), 'file', made.provider_id),
    endpoint: file.endpoint,
    lines: file.lines.length,
    input_tokens: file.inputTokens,
    output_tokens: file.outputTokens,
    filename,
    bytes,
  };
  try {
    await ports.batchStore.put(stored);
  } catch (fault) {
    await undo(ports, state, entry, { method: 'DELETE', path: `/files/${made.provider_id}` });
    throw fault;
  }
  state.resource = stored.id;
  return fileObject(stored);
}

/** All that the lines may come to is charged now: the provider works on them for a day, and its results may never be read. */
async function start(
  ports: ChatPorts,
  state: ChatCallState,
  policy: ContentPolicy,
  entry: ProviderEntry,
  file: StoredBatch,
): Promise<JsonObject> {
  const { call } = state;
  state.outputCharacters = call.maxTokens * 4;
  const { metadata } = call.body;
  const body: JsonObject = {
    input_file_id: file.provider_id,
    endpoint: file.endpoint,
    completion_window: '24h',
    ...(metadata !== undefined && { metadata }),
  };
  const made = await atProvider(ports, state, entry, ({ resource }) =>
    resource({ method: 'POST', path: '/batches', body, once: true, ...sentWith(ports, state) }),
  );
  const { endpoint, lines, input_tokens, output_tokens } = file;
  const stored: StoredBatch = {
    ...storedOf(ports, state, entry, newBatchId(ports.ids), 'batch', made.provider_id),
    ...{ endpoint, lines, input_tokens, output_tokens },
    file: file.id,
  };
  try {
    await ports.batchStore.put(stored);
  } catch (fault) {
    await undo(ports, state, entry, { method: 'POST', path: `/batches/${made.provider_id}/cancel` });
    throw fault;
  }
  state.resource = stored.id;
  const reply = batchObject(stored, made.reply);
  await checkReply(ports, state, policy, reply, leaves(reply, 'reply', []));
  return reply;
}

/** What its caller cannot reach does not stay at the provider, nor run on. The caller may be gone: that ends nothing here. */
async function undo(
  ports: ChatPorts,
  { call }: ChatCallState,
  entry: ProviderEntry,
  request: Pick<ResourceCall, 'method' | 'path'>,
): Promise<void> {
  try {
    const { resource } = await filesOf(ports, entry);
    await resource({ ...request, headers: ports.telemetry.outgoing(), signal: new AbortController().signal });
  } catch (fault) {
    const error = fault instanceof Error ? fault.message : String(fault);
    const about = { envelope_id: call.envelopeId, provider: entry.name, path: request.path, error };
    ports.telemetry.log('error', 'a file or batch that was not stored here was left at its provider', about);
  }
}

async function atProvider(
  ports: ChatPorts,
  state: ChatCallState,
  entry: ProviderEntry,
  work: (files: WithFiles) => Promise<JsonObject>,
): Promise<{ readonly reply: JsonObject; readonly provider_id: string }> {
  try {
    return await ports.telemetry.span('provider.call', { model: state.call.resolvedModel }, async (span) => {
      const reply = await work(await filesOf(ports, entry));
      span.set({ provider: entry.name, latency_ms: Math.round(span.elapsedUs() / 1000) });
      return { reply, provider_id: idIn(entry, reply) };
    });
  } catch (thrown) {
    if (thrown instanceof ProviderFault) {
      // Whether it was taken decides whether it is charged.
      const error = thrown.kind === 'status' ? String(thrown.status) : thrown.kind;
      state.attempts = [...state.attempts, { provider: entry.name, error }];
    }
    throw failed(ports, state, thrown);
  }
}

const sentWith = ({ telemetry }: ChatPorts, { signal }: ChatCallState) => ({ headers: telemetry.outgoing(), signal });

const storedOf = (
  { clock }: ChatPorts,
  { call }: ChatCallState,
  entry: ProviderEntry,
  id: string,
  kind: StoredBatch['kind'],
  provider_id: string,
) => ({
  ...{ id, kind, provider: entry.name, provider_id },
  tenant: call.principal.tenant,
  key_id: call.principal.key_id,
  created_at: Math.floor(clock.now() / 1000),
  model: call.model,
  resolved_model: call.resolvedModel,
  policy_version: call.snapshot.version,
});

function modelNotServed(state: ChatCallState, batch: BatchRequest): GatewayError {
  const model = JSON.stringify(state.call.model);
  const fault =
    batch.kind === 'upload'
      ? new GatewayError(
          'model_not_found',
          `No provider of the model ${model} has batches; allowed are models of providers of type openai. Send the calls one by one.`,
        )
      : new GatewayError(
          'conflict',
          `The provider ${batch.file.provider}, which has the file ${batch.file.id}, does not serve the model ${model} any more; upload the file again.`,
        );
  ended(state, 'refused', fault);
  return fault;
}
