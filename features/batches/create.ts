/**
 * Finishes the calls that create a batch: uploads the checked lines as a file, or starts a batch from such a file
 * [batches.governed].
 */

import type { AnswerReceiver } from '#core/chat/answering.ts';
import type { ChatCall } from '#core/chat/call.ts';
import {
  type ApprovedCall,
  type BegunCall,
  endedWith,
  type FinishedCall,
  type ModelCall,
} from '#core/chat/call-stages.ts';
import { formOf } from '#core/chat/endpoint-form.ts';
import type { ChatPorts } from '#core/chat/ports.ts';
import { withKnownCall } from '#core/chat/stage-failure.ts';
import { checkReply } from '#core/chat/stages/output-policy.ts';
import { beginModel } from '#core/chat/stages/provider-call.ts';
import { providerFailure } from '#core/chat/stages/provider-fault.ts';
import { type FileProvider, filesOf, idIn } from '#core/chat/stored/at-provider.ts';
import type { ProviderEntry } from '#core/contracts/config.ts';
import type { StoredBatch } from '#core/contracts/stored-batch.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { ContentPolicy } from '#core/models/content-policy/ports.ts';
import { leaves } from '#core/models/dialects/leaves.ts';
import { type ProviderAttempt, ProviderFault, type ResourceCall } from '#core/models/providers/ports.ts';
import type { RoutePlan } from '#core/models/routing/plan.ts';
import { batchObject, fileObject } from './answers.ts';
import { type BatchFile, writeBatchFile } from './lines.ts';
import { newBatchId, newFileId } from './names.ts';

/** The two chat calls that create a batch: the upload of its lines, and the start. */
export type BatchRequest =
  | {
      readonly kind: 'upload';
      readonly file: BatchFile;
      readonly filename: string;
      readonly bytes: number;
    }
  | { readonly kind: 'start'; readonly file: StoredBatch };

/**
 * Uploads a file or starts a batch.
 * @throws GatewayError `model_not_found` if none of the model's providers supports batches; provider errors as for
 * chat.
 */
export async function callBatch(
  ports: ChatPorts,
  approved: ApprovedCall,
  policy: ContentPolicy,
  batch: BatchRequest,
  answering: AnswerReceiver,
): Promise<FinishedCall> {
  const entry = batchProviderOf(approved.call.plan, batch.kind === 'start' ? batch.file.provider : undefined);
  if (!entry) throw modelNotServed(approved.call.model, batch);
  const begun = beginModel(ports, approved);
  const [known, reply] = await withKnownCall(begun, () =>
    batch.kind === 'upload' ? upload(ports, begun, entry, batch) : start(ports, begun, policy, entry, batch.file),
  );
  answering.json(200, reply);
  return { known, ending: endedWith('completed') };
}

type MadeCall = ModelCall & { readonly resource: string };

const madeAt = (begun: BegunCall, { name, region }: ProviderEntry, { id }: StoredBatch): MadeCall => ({
  ...begun,
  provider: name,
  region,
  demo: false,
  rollout: undefined,
  attempts: [],
  leftOut: [],
  resource: id,
});

/** Uploads a file free of charge. Its calls are charged when a batch is created from it. */
async function upload(
  ports: ChatPorts,
  begun: BegunCall,
  entry: ProviderEntry,
  { file, filename, bytes }: Extract<BatchRequest, { kind: 'upload' }>,
): Promise<[MadeCall, JsonObject]> {
  const { call, progress } = begun;
  progress.count({ input_tokens: 0, output_tokens: 0 });
  const text = writeBatchFile(file, begun.lines, call.resolvedModel);
  // The caller's file name is not sent, because no filter has checked it.
  const named = { sha256: 'lines', filename: 'batch.jsonl' };
  const files = new Map([['lines', new File([text], named.filename, { type: 'application/jsonl' })]]);
  const form = await formOf({ purpose: 'batch', file: named }, files);
  const made = await atProvider(ports, begun, entry, ({ resource }) =>
    resource({ method: 'POST', path: '/files', form, ...uninterrupted(ports) }),
  );
  const stored: StoredBatch = {
    ...storedOf(ports, call, entry, { id: newFileId(ports.ids), kind: 'file', provider_id: made.provider_id }),
    endpoint: file.endpoint,
    lines: file.lines.length,
    input_tokens: file.inputTokens,
    output_tokens: file.outputTokens,
    filename,
    bytes,
  };
  try {
    await ports.storedObjects.put(stored);
  } catch (fault) {
    await undo(ports, call, entry, { method: 'DELETE', path: `/files/${made.provider_id}` });
    throw fault;
  }
  return [madeAt(begun, entry, stored), fileObject(stored)];
}

/** Starts a batch and charges its maximum cost, because it runs for up to a day and its results may never be read. */
async function start(
  ports: ChatPorts,
  begun: BegunCall,
  policy: ContentPolicy,
  entry: ProviderEntry,
  file: StoredBatch,
): Promise<[MadeCall, JsonObject]> {
  const { call, progress } = begun;
  progress.assumeOutput(call.maxTokens);
  const { metadata } = call.body;
  const body: JsonObject = {
    input_file_id: file.provider_id,
    endpoint: file.endpoint,
    completion_window: '24h',
    ...(metadata !== undefined && { metadata }),
  };
  const made = await atProvider(ports, begun, entry, ({ resource }) =>
    resource({ method: 'POST', path: '/batches', body, once: true, ...uninterrupted(ports) }),
  );
  const { endpoint, lines, input_tokens, output_tokens } = file;
  const stored: StoredBatch = {
    ...storedOf(ports, call, entry, { id: newBatchId(ports.ids), kind: 'batch', provider_id: made.provider_id }),
    endpoint,
    lines,
    input_tokens,
    output_tokens,
    file: file.id,
  };
  try {
    await ports.storedObjects.put(stored);
  } catch (fault) {
    await undo(ports, call, entry, { method: 'POST', path: `/batches/${made.provider_id}/cancel` });
    throw fault;
  }
  // The batch is running from here on, so the call is charged however it ends.
  const model = madeAt(begun, entry, stored);
  const reply = await withKnownCall(model, async () => batchObject(stored, made.reply));
  return [await checkReply(ports, model, policy, reply, leaves(reply, 'reply', [])), reply];
}

/** Deletes or cancels an object that its caller can no longer reach, even if the caller has disconnected. */
async function undo(
  ports: ChatPorts,
  call: ChatCall,
  entry: ProviderEntry,
  request: Pick<ResourceCall, 'method' | 'path'>,
): Promise<void> {
  try {
    const { resource } = await filesOf(ports, entry);
    await resource({ ...request, ...uninterrupted(ports) });
  } catch (fault) {
    const error = fault instanceof Error ? fault.message : String(fault);
    const about = { envelope_id: call.envelopeId, provider: entry.name, path: request.path, error };
    ports.telemetry.log('error', 'a file or batch that was not stored here was left at its provider', about);
  }
}

async function atProvider(
  ports: ChatPorts,
  begun: BegunCall,
  entry: ProviderEntry,
  work: (files: FileProvider) => Promise<JsonObject>,
): Promise<{ readonly reply: JsonObject; readonly provider_id: string }> {
  try {
    return await ports.telemetry.span('provider.call', { model: begun.call.resolvedModel }, async (span) => {
      const reply = await work(await filesOf(ports, entry));
      span.set({ provider: entry.name, latency_ms: Math.round(span.elapsedUs() / 1000) });
      return { reply, provider_id: idIn(entry, reply) };
    });
  } catch (thrown) {
    throw providerFailure(ports, { ...begun, attempts: attemptsIn(thrown, entry) }, thrown);
  }
}

/** Returns the model's provider that supports files and batches in this format. */
const batchProviderOf = ({ candidates }: RoutePlan, name?: string): ProviderEntry | undefined =>
  candidates.find(({ entry }) => entry.type === 'openai' && (name === undefined || entry.name === name))?.entry;

/** Returns the failed attempt. Its error determines whether the call is charged. */
const attemptsIn = (thrown: unknown, { name: provider }: ProviderEntry): readonly ProviderAttempt[] =>
  thrown instanceof ProviderFault
    ? [{ provider, error: thrown.kind === 'status' ? String(thrown.status) : thrown.kind }]
    : [];

/**
 * Returns the headers and signal of a request that runs to its end even if the caller disconnects: the provider may have
 * created an object, which the caller could otherwise neither see nor cancel.
 */
const uninterrupted = ({ telemetry }: ChatPorts) => ({
  headers: telemetry.outgoing(),
  signal: new AbortController().signal,
});

const storedOf = (
  { clock }: ChatPorts,
  call: ChatCall,
  entry: ProviderEntry,
  made: Pick<StoredBatch, 'id' | 'kind' | 'provider_id'>,
) => ({
  ...made,
  provider: entry.name,
  tenant: call.principal.tenant,
  key_id: call.principal.key_id,
  created_at: Math.floor(clock.now() / 1000),
  model: call.model,
  resolved_model: call.resolvedModel,
  policy_version: call.snapshot.version,
});

function modelNotServed(name: string, batch: BatchRequest): GatewayError {
  const model = JSON.stringify(name);
  return batch.kind === 'upload'
    ? new GatewayError(
        'model_not_found',
        `No provider of the model ${model} supports batches; use a model of a provider of type openai, or send the calls one by one.`,
      )
    : new GatewayError(
        'conflict',
        `The provider ${batch.file.provider}, which has the file ${batch.file.id}, does not serve the model ${model} any more; upload the file again.`,
      );
}
