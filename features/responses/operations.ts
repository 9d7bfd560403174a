/**
 * Reads the caller's responses, lists their input and deletes them. Responses that belong to other keys are not found.
 */

import type { ChatPorts } from '#core/chat/ports.ts';
import { rewriteTexts } from '#core/chat/stages/output-policy.ts';
import { isProviderId, requestFromProvider, sentWith } from '#core/chat/stored/at-provider.ts';
import type { StoredQuery } from '#core/chat/stored/operation.ts';
import { assertPlace, checkOutput, readingCall } from '#core/chat/stored/reading.ts';
import { assertMayRead, runAndRecord, type StoredCaller } from '#core/chat/stored/record.ts';
import type { StoredResponse } from '#core/contracts/stored-batch.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { objectOf, objectsOf, textOf } from '#core/kernel/narrow.ts';
import { dialects } from '#core/models/dialects/dialects.ts';
import { leaves } from '#core/models/dialects/leaves.ts';
import { responseOf } from '#core/models/dialects/responses/events.ts';
import { completionOf } from '#core/models/dialects/responses/from-native.ts';
import { member } from '#core/models/dialects/wire.ts';
import { isResponseId, responseNotFound, responseThing } from './ids.ts';

/** Returns the response from its provider, after applying the current output policy. */
export async function retrieveResponse(
  ports: ChatPorts,
  caller: StoredCaller,
  { id }: StoredQuery,
): Promise<JsonObject> {
  const stored = await ownOf(ports, caller, id);
  await assertMayRead(ports, caller);
  const call = readingCall(ports, caller, id, stored);
  return runAndRecord(ports, caller, { operation: 'responses.retrieve', id, stored }, async () => {
    const reply = await requestFromProvider(ports, caller, stored, { thing: responseThing, name: id }, ({ resource }) =>
      resource({ method: 'GET', path: `/responses/${stored.provider_id}`, ...sentWith(ports, caller) }),
    );
    const completion = completionOf(reply);
    assertDecided(caller, stored, completion);
    const texts = dialects.openai.replyTexts(completion);
    const findings = await checkOutput(ports, caller, stored, () => texts);
    rewriteTexts(call, texts);
    const context = { id: id.slice('resp_'.length), createdAt: stored.created_at, stored: () => true };
    return { answer: responseOf(completion, askedFor(stored, reply), context), findings };
  });
}

/**
 * Checks the policy version, since a different version was not applied to the response's tool calls [responses.stored].
 */
function assertDecided(
  { snapshot }: StoredCaller,
  { id, policy_version }: StoredResponse,
  { choices }: JsonObject,
): void {
  const calls = objectsOf(choices).some(({ message }) => objectsOf(objectOf(message)?.tool_calls).length > 0);
  if (!calls || policy_version === snapshot.version) return;
  throw new GatewayError(
    'conflict',
    `Decisions on the tool calls of ${id} were made under policy version ${policy_version}, but ${snapshot.version} is now in force; send the request again.`,
  );
}

/** Returns the request's settings from the stored reply, without the instructions, which contain the tenant's text. */
const askedFor = ({ model, previous }: StoredResponse, reply: JsonObject): JsonObject => {
  const names = [
    ...['max_output_tokens', 'metadata', 'parallel_tool_calls', 'reasoning', 'temperature', 'text'],
    ...['tool_choice', 'tools', 'top_p', 'user'],
  ];
  return {
    model,
    ...Object.fromEntries(names.flatMap((name) => (reply[name] === undefined ? [] : [[name, reply[name]!]]))),
    ...member('previous_response_id', previous),
  };
};

/** Returns the caller's input items as the filters left them at the time of the request. */
export async function responseItems(
  ports: ChatPorts,
  caller: StoredCaller,
  { id, page: { limit, after, ascending = false } }: StoredQuery,
): Promise<JsonObject> {
  assertPlace(after, isProviderId);
  const stored = await ownOf(ports, caller, id);
  await assertMayRead(ports, caller);
  const call = readingCall(ports, caller, id, stored);
  const query = new URLSearchParams({
    limit: String(limit),
    order: ascending ? 'asc' : 'desc',
    ...(after && { after }),
  });
  return runAndRecord(ports, caller, { operation: 'responses.items', id, stored }, async () => {
    const path = `/responses/${stored.provider_id}/input_items?${query}`;
    const reply = await requestFromProvider(ports, caller, stored, { thing: responseThing, name: id }, ({ resource }) =>
      resource({ method: 'GET', path, ...sentWith(ports, caller) }),
    );
    const data = objectsOf(reply.data);
    const answer: JsonObject = {
      object: 'list',
      data,
      first_id: textOf(data[0]?.id) ?? null,
      last_id: textOf(data.at(-1)?.id) ?? null,
      has_more: reply.has_more === true,
    };
    const texts = leaves(answer, 'reply', []);
    const findings = await checkOutput(ports, caller, stored, () => texts);
    rewriteTexts(call, texts);
    return { answer, findings };
  });
}

export async function deleteResponse(ports: ChatPorts, caller: StoredCaller, { id }: StoredQuery): Promise<JsonObject> {
  const stored = await ownOf(ports, caller, id);
  return runAndRecord(ports, caller, { operation: 'responses.delete', id, stored, changes: true }, async () => {
    await requestFromProvider(ports, caller, stored, { thing: responseThing, name: id }, ({ resource }) =>
      resource({ method: 'DELETE', path: `/responses/${stored.provider_id}`, ...sentWith(ports, caller) }),
    );
    await ports.storedObjects.put({ ...stored, deleted_at: Math.floor(ports.clock.now() / 1000) });
    return { answer: { id, object: 'response', deleted: true } };
  });
}

/**
 * Returns one of the caller's responses.
 * @throws GatewayError `not_found` if it is unknown, deleted, not stored or belongs to another key.
 */
async function ownOf({ storedObjects }: ChatPorts, { principal }: StoredCaller, id: string): Promise<StoredResponse> {
  const stored = isResponseId(id) ? await storedObjects.get(principal, id) : undefined;
  if (stored?.kind === 'response') return stored;
  throw responseNotFound(id);
}
