/**
 * Treats the upload of a batch file and the start of a batch as chat calls, with the limits, filters, reviews and
 * evidence of chat [batches.governed].
 */
import type { FormFiles } from '#core/chat/endpoint-form.ts';
import { batchEndpoints, filePurposes } from '#core/contracts/stored-batch.ts';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { isObject, textOf } from '#core/kernel/narrow.ts';
import { notFound } from '#core/kernel/not-found.ts';
import { encodeSse } from '#core/models/dialects/sse.ts';
import type { OpenedCall, OpenView } from './chat-view.ts';

const wire = { encode: (event: JsonObject) => encodeSse(undefined, JSON.stringify(event)), terminator: '' };

const uploadMembers: ReadonlySet<string> = new Set(['file', 'purpose']);
const startMembers: ReadonlySet<string> = new Set(['input_file_id', 'endpoint', 'completion_window', 'metadata']);

/** Opens `POST /v1/files`. */
export async function openUpload(form: JsonObject, { ports, files }: OpenedCall): Promise<OpenView> {
  refuseStrangers(form, uploadMembers);
  if (!filePurposes.some((purpose) => purpose === form.purpose))
    throw refused(
      'purpose',
      form.purpose,
      `${filePurposes.join(', ')}; put other content into the request that needs it`,
    );
  const file = fileOf(form.file, files);
  if (!file) throw refused('file', form.file === undefined ? undefined : 'not a file', 'one file of JSON Lines');
  const text = await textIn(file);
  const { readBatchFile } = await import('#core/chat/batches/lines.ts');
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
    batch: { kind: 'upload', file: read, filename: file.name.slice(0, 256).toWellFormed(), bytes: file.size },
  };
}

/** Opens `POST /v1/batches`. */
export async function openStart(request: JsonObject, { ports, principal, snapshot }: OpenedCall): Promise<OpenView> {
  refuseStrangers(request, startMembers);
  const { input_file_id, endpoint, completion_window, metadata } = request;
  if (typeof endpoint !== 'string' || !Object.hasOwn(batchEndpoints, endpoint))
    throw refused('endpoint', endpoint, Object.keys(batchEndpoints).join(', '));
  if (completion_window !== '24h') throw refused('completion_window', completion_window, '"24h"');
  if (metadata !== undefined && metadata !== null && !isObject(metadata))
    throw refused('metadata', metadata, 'an object');
  const id = textOf(input_file_id);
  if (id === undefined) throw refused('input_file_id', input_file_id, 'the id of a file that this key has uploaded');
  const { isOwnId } = await import('#core/chat/batches/names.ts');
  const file = isOwnId(id) ? await ports.batchStore.get(principal, id) : undefined;
  if (file?.kind !== 'file') throw notFound('file', id.slice(0, 64));
  if (file.endpoint !== endpoint)
    throw refused('endpoint', endpoint, `${file.endpoint}, where the calls of this file go`);
  if (file.policy_version !== snapshot.version)
    throw new GatewayError(
      'conflict',
      `The calls of ${id} were checked under policy version ${file.policy_version}, and ${snapshot.version} is in force; upload the file again.`,
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
    batch: { kind: 'start', file },
  };
}

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
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
  } catch (cause) {
    throw new GatewayError('invalid_request', 'The file is not valid UTF-8. Send JSON Lines in UTF-8.', { cause });
  }
}

const refused = (param: string, found: Json | undefined, allowed: string): GatewayError =>
  invalidRequest(
    `${param} is ${found === undefined ? 'missing' : JSON.stringify(found).slice(0, 80)}; allowed: ${allowed}.`,
    { param },
  );
