/**
 * Treats the upload of a batch file and the start of a batch as chat calls, with the same limits, filters, reviews and
 * evidence [batches.governed].
 */
import type { Estimate } from '#core/chat/call.ts';
import type { ChatView, OpenedCall, OpenView } from '#core/chat/chat-view.ts';
import type { FormFiles } from '#core/chat/endpoint-form.ts';
import type { StoringRequest } from '#core/chat/stored/hooks.ts';
import { batchEndpoints, filePurposes } from '#core/contracts/stored-batch.ts';
import { requireUtf8 } from '#core/kernel/charset.ts';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { isObject, textOf } from '#core/kernel/narrow.ts';
import { notFound } from '#core/kernel/not-found.ts';
import { encodeSse } from '#core/models/dialects/sse.ts';
import { checkLines } from './check-lines.ts';
import { type BatchRequest, callBatch } from './create.ts';
import { readBatchFile } from './lines.ts';
import { isOwnId, things } from './names.ts';

const wire = { encode: (event: JsonObject) => encodeSse(undefined, JSON.stringify(event)), terminator: '' };

const uploadMembers: ReadonlySet<string> = new Set(['file', 'purpose']);
const startMembers: ReadonlySet<string> = new Set(['input_file_id', 'endpoint', 'completion_window', 'metadata']);

async function openUpload(form: JsonObject, { ports, files }: OpenedCall): Promise<OpenView> {
  refuseStrangers(form, uploadMembers);
  if (!filePurposes.some((purpose) => purpose === form.purpose))
    throw invalidParameter(
      'purpose',
      form.purpose,
      `${filePurposes.join(', ')}; put other content into the request that needs it`,
    );
  const file = fileOf(form.file, files);
  if (!file)
    throw invalidParameter('file', form.file === undefined ? undefined : 'not a file', 'one file of JSON Lines');
  const text = await textIn(file);
  const read = await readBatchFile(text, () => ports.pause(0));
  return {
    wire,
    answer: (reply) => reply,
    body: {
      model: read.model,
      messages: [{ role: 'user', content: text }],
      purpose: 'batch',
      endpoint: read.endpoint,
      filename: file.name,
    },
    storing: storingRequest({
      kind: 'upload',
      file: read,
      filename: file.name.slice(0, 256).toWellFormed(),
      bytes: file.size,
    }),
  };
}

async function openStart(request: JsonObject, { ports, principal, snapshot }: OpenedCall): Promise<OpenView> {
  refuseStrangers(request, startMembers);
  const { input_file_id, endpoint, completion_window, metadata } = request;
  if (typeof endpoint !== 'string' || !Object.hasOwn(batchEndpoints, endpoint))
    throw invalidParameter('endpoint', endpoint, Object.keys(batchEndpoints).join(', '));
  if (completion_window !== '24h') throw invalidParameter('completion_window', completion_window, '"24h"');
  if (metadata !== undefined && metadata !== null && !isObject(metadata))
    throw invalidParameter('metadata', metadata, 'an object');
  const id = textOf(input_file_id);
  if (id === undefined)
    throw invalidParameter('input_file_id', input_file_id, 'the id of a file that this key has uploaded');
  const file = isOwnId(id) ? await ports.storedObjects.get(principal, id) : undefined;
  if (file?.kind !== 'file') throw notFound(things.file, id.slice(0, 64));
  if (file.endpoint !== endpoint)
    throw invalidParameter('endpoint', endpoint, `${file.endpoint}, where the calls of this file go`);
  if (file.policy_version !== snapshot.version)
    throw new GatewayError(
      'conflict',
      `The calls of ${id} were checked under policy version ${file.policy_version}, but ${snapshot.version} is now in force; upload the file again.`,
    );
  return {
    wire,
    answer: (reply) => reply,
    body: {
      model: file.model,
      messages: [{ role: 'user', content: `A batch of ${file.lines} calls to ${endpoint}.` }],
      file_id: id,
      completion_window,
      ...(isObject(metadata) && { metadata }),
    },
    storing: storingRequest({ kind: 'start', file }),
  };
}

/** `POST /v1/files`. */
export const uploadView: ChatView = { operation: 'files', form: true, open: openUpload };

/** `POST /v1/batches`. */
export const startView: ChatView = { operation: 'batches', open: openStart };

/**
 * Estimates the cost of a call: zero for an upload, and the maximum over all lines for starting a batch
 * [batches.budget].
 */
function estimateOf(batch: BatchRequest): Estimate {
  if (batch.kind === 'upload') return { inputTokens: 0, maxTokens: 0 };
  const { input_tokens, output_tokens } = batch.file;
  return { inputTokens: input_tokens, maxTokens: output_tokens };
}

const storingRequest = (batch: BatchRequest): StoringRequest => ({
  estimate: estimateOf(batch),
  ...(batch.kind === 'upload' && {
    screen: (ports, admitted, policy) => checkLines(ports, admitted, policy, batch.file),
  }),
  send: (ports, approved, policy, answering) => callBatch(ports, approved, policy, batch, answering),
});

function refuseStrangers(body: JsonObject, known: ReadonlySet<string>): void {
  const stranger = Object.keys(body).find((member) => !known.has(member));
  if (stranger !== undefined)
    throw invalidRequest(
      `${stranger.slice(0, 64)} is not a member of this request; allowed: ${[...known].join(', ')}.`,
      { param: stranger.slice(0, 64) },
    );
}

const fileOf = (member: Json | undefined, files: FormFiles | undefined): File | undefined =>
  isObject(member) ? files?.get(textOf(member.sha256) ?? '') : undefined;

async function textIn(file: File): Promise<string> {
  requireUtf8(file.type);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
  } catch (cause) {
    throw new GatewayError('invalid_request', 'The file is not valid UTF-8. Send JSON Lines in UTF-8.', { cause });
  }
}

const invalidParameter = (param: string, found: Json | undefined, allowed: string): GatewayError =>
  invalidRequest(
    `${param} is ${found === undefined ? 'missing' : JSON.stringify(found).slice(0, 80)}; allowed: ${allowed}.`,
    { param },
  );
