/**
 * Lists, reads, cancels and deletes the caller's files and batches. Those that belong to other keys are reported as not
 * found.
 */

import { otherModelsIn } from '#core/chat/call-usage.ts';
import type { ChatPorts } from '#core/chat/ports.ts';
import { isProviderId, requestFromProvider, sentWith } from '#core/chat/stored/at-provider.ts';
import type { StoredQuery } from '#core/chat/stored/operation.ts';
import { assertPlace, checkOutput, readingCall } from '#core/chat/stored/reading.ts';
import { assertMayRead, runAndRecord, type StoredCaller } from '#core/chat/stored/record.ts';
import type { StoredBatch } from '#core/contracts/stored-batch.ts';
import { asGatewayError, GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { countOf, textOf } from '#core/kernel/narrow.ts';
import { type NamedThing, notFound } from '#core/kernel/not-found.ts';
import { contentPolicyOf } from '#core/models/content-policy/policy-of.ts';
import { leaves } from '#core/models/dialects/leaves.ts';
import { batchObject, fileObject, unknownBatch } from './answers.ts';
import { isOwnId, parseResultFileId, things } from './names.ts';
import { checkResults } from './results.ts';

export async function listFiles(ports: ChatPorts, caller: StoredCaller, { page }: StoredQuery): Promise<JsonObject> {
  assertPlace(page.after, isOwnId);
  const { items, more } = await ports.storedObjects.list(caller.principal, 'file', page);
  return listPage(items.map(fileObject), more);
}

/**
 * Lists batches in their current state. If a batch cannot be fetched, its item gives the reason, and the others are
 * still listed [batches.owner].
 */
export async function listBatches(ports: ChatPorts, caller: StoredCaller, { page }: StoredQuery): Promise<JsonObject> {
  assertPlace(page.after, isOwnId);
  const { items, more } = await ports.storedObjects.list(caller.principal, 'batch', page);
  const asked = items.map((stored) =>
    atProvider(ports, caller, stored, 'GET').catch((thrown: unknown) => unknownBatch(stored, asGatewayError(thrown))),
  );
  return listPage(await Promise.all(asked), more);
}

export async function retrieveFile(ports: ChatPorts, caller: StoredCaller, { id }: StoredQuery): Promise<JsonObject> {
  const result = parseResultFileId(id);
  if (!result) return fileObject(await ownOf(ports, caller, id, 'file'));
  const { stored, provider_id } = await resultFile(ports, caller, id);
  const reply = await requestFromProvider(ports, caller, stored, { thing: things.file, name: id }, ({ resource }) =>
    resource({ method: 'GET', path: `/files/${provider_id}`, ...sentWith(ports, caller) }),
  );
  return {
    id,
    object: 'file',
    bytes: countOf(reply.bytes) ?? 0,
    created_at: countOf(reply.created_at) ?? stored.created_at,
    filename: `${id}.jsonl`,
    purpose: 'batch_output',
    status: 'processed',
  };
}

/**
 * Returns a batch's results as JSON Lines. Uploaded lines are not returned, because they contain text that the tenant
 * adds around system prompts.
 */
export async function fileContent(
  ports: ChatPorts,
  caller: StoredCaller,
  { id, maxBytes: most }: StoredQuery,
): Promise<string> {
  if (!parseResultFileId(id)) {
    await ownOf(ports, caller, id, 'file');
    throw invalidRequest(
      `The file ${id} is an upload; the gateway returns only the results of a batch (output_file_id, error_file_id). Read the file where you created it.`,
    );
  }
  await assertMayRead(ports, caller);
  const { stored, provider_id } = await resultFile(ports, caller, id);
  const call = readingCall(ports, caller, id, stored);
  return runAndRecord(ports, caller, { operation: 'files.content', id, stored }, async () => {
    const text = await requestFromProvider(ports, caller, stored, { thing: things.file, name: id }, ({ download }) =>
      download({ path: `/files/${provider_id}/content`, most, ...sentWith(ports, caller) }),
    );
    if (text === undefined)
      throw new GatewayError(
        'payload_too_large',
        `The file ${id} has more than ${most} bytes, the maximum that can be read here; make smaller batches.`,
      );
    const policy = await contentPolicyOf(caller.snapshot.configuration, caller.principal.tenant, ports);
    const results = await checkResults(ports, call, policy, {
      text,
      endpoint: stored.endpoint,
      provider: stored.provider,
    });
    const asked = { snapshot: caller.snapshot, model: stored.model, resolvedModel: stored.resolved_model };
    const other = otherModelsIn(asked, results.models)[0]?.slice(0, 256).toWellFormed();
    if (other !== undefined) {
      ports.telemetry.count('svc_chat_other_model_total', {});
      const { tenant, model, provider } = stored;
      const named = { file: id, tenant, model, provider, replied_model: other };
      ports.telemetry.log('warn', 'the results of a batch name a model other than the requested one', named);
    }
    return { answer: results.text, findings: results.findings, replied_model: other };
  });
}

export async function deleteFile(ports: ChatPorts, caller: StoredCaller, { id }: StoredQuery): Promise<JsonObject> {
  const { stored, provider_id } = parseResultFileId(id)
    ? await resultFile(ports, caller, id)
    : await ownOf(ports, caller, id, 'file').then((own) => ({ stored: own, provider_id: own.provider_id }));
  return runAndRecord(ports, caller, { operation: 'files.delete', id, stored, changes: true }, async () => {
    await requestFromProvider(ports, caller, stored, { thing: things.file, name: id }, ({ resource }) =>
      resource({ method: 'DELETE', path: `/files/${provider_id}`, ...sentWith(ports, caller) }),
    );
    if (stored.kind === 'file')
      await ports.storedObjects.put({ ...stored, deleted_at: Math.floor(ports.clock.now() / 1000) });
    return { answer: { id, object: 'file', deleted: true } };
  });
}

export async function retrieveBatch(ports: ChatPorts, caller: StoredCaller, { id }: StoredQuery): Promise<JsonObject> {
  return atProvider(ports, caller, await ownOf(ports, caller, id, 'batch'), 'GET');
}

export async function cancelBatch(ports: ChatPorts, caller: StoredCaller, { id }: StoredQuery): Promise<JsonObject> {
  const stored = await ownOf(ports, caller, id, 'batch');
  return runAndRecord(ports, caller, { operation: 'batches.cancel', id, stored, changes: true }, async () => ({
    answer: await atProvider(ports, caller, stored, 'POST'),
  }));
}

/** Reads or cancels the batch at its provider and returns the provider's description. */
async function atProvider(
  ports: ChatPorts,
  caller: StoredCaller,
  stored: StoredBatch,
  method: 'GET' | 'POST',
): Promise<JsonObject> {
  const path = `/batches/${stored.provider_id}${method === 'POST' ? '/cancel' : ''}`;
  const reply = await requestFromProvider(
    ports,
    caller,
    stored,
    { thing: things.batch, name: stored.id },
    ({ resource }) => resource({ method, path, ...sentWith(ports, caller) }),
  );
  const answer = batchObject(stored, reply);
  await checkOutput(ports, caller, stored, () => leaves(answer, 'reply', []));
  return answer;
}

/** Returns the batch to which a result file belongs, and the provider's id for the file. */
async function resultFile(ports: ChatPorts, caller: StoredCaller, id: string) {
  const { batch, kind } = parseResultFileId(id)!;
  const stored = await ownOf(ports, caller, batch, 'batch', { thing: things.file, name: id });
  const reply = await requestFromProvider(ports, caller, stored, { thing: things.file, name: id }, ({ resource }) =>
    resource({ method: 'GET', path: `/batches/${stored.provider_id}`, ...sentWith(ports, caller) }),
  );
  const provider_id = textOf(reply[`${kind}_file_id`]) ?? '';
  if (!isProviderId(provider_id)) throw notFound(things.file, id);
  return { stored, provider_id };
}

/**
 * Returns one of the caller's objects. @throws GatewayError `not_found` if it is unknown, deleted or belongs to another
 * key.
 */
async function ownOf(
  { storedObjects }: ChatPorts,
  { principal }: StoredCaller,
  id: string,
  kind: StoredBatch['kind'],
  { thing, name }: NamedThing = { thing: things[kind], name: id.slice(0, 64) },
): Promise<StoredBatch> {
  const stored = isOwnId(id) ? await storedObjects.get(principal, id) : undefined;
  if (stored?.kind !== kind) throw notFound(thing, name);
  return stored;
}

const listPage = (data: readonly JsonObject[], has_more: boolean): JsonObject => ({
  object: 'list',
  data: [...data],
  first_id: data[0]?.id ?? null,
  last_id: data.at(-1)?.id ?? null,
  has_more,
});
