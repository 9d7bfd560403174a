/**
 * Checks every chat request at the handler. It is written by hand because it runs on every call. It checks only the
 * members that the gateway reads; the provider validates the rest.
 */
import { invalidRequest } from '#core/kernel/errors.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { assertOwnSpelling } from './spelling.ts';

const maxModelLength = 256;
const maxChoices = 128;
/**
 * Maximum that exceeds any model's output limit. Counts and costs stay exact even when it is multiplied by the maximum
 * number of choices.
 */
const maxOutputTokens = 100_000_000;

export function checkOpenai(body: JsonObject): void {
  checkCommon(body);
  checkWhole(body, 'max_tokens', maxOutputTokens);
  checkMessages(body, 'system, developer, user, assistant, tool', (message, path) => {
    const mayBeSilent = message.role === 'assistant' || message.role === 'function';
    checkContent(message.content, `${path}.content`, { mayBeSilent });
    checkObjects(message.tool_calls, `${path}.tool_calls`);
  });
  checkWhole(body, 'max_completion_tokens', maxOutputTokens);
  checkWhole(body, 'n', maxChoices);
  // Ollama's name for the maximum output tokens; values below 1 mean unlimited.
  if (isObject(body.options)) checkWhole(body.options, 'num_predict', maxOutputTokens, 'options.');
  if (!isAbsent(body.stream_options) && !isObject(body.stream_options))
    refuseMember('stream_options', body.stream_options, 'an object');
  checkObjects(body.functions, 'functions');
}

export function checkAnthropic(body: JsonObject): void {
  checkCommon(body);
  // 0 fills the provider's prompt cache without an answer.
  if (body.max_tokens !== 0) checkWhole(body, 'max_tokens', maxOutputTokens);
  if (!isAbsent(body.system)) checkContent(body.system, 'system', { mayBeSilent: true });
  checkMessages(body, 'user, assistant', (message, path) =>
    checkContent(message.content, `${path}.content`, { mayBeSilent: message.role === 'assistant' }),
  );
}

const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

function checkCommon(body: JsonObject): void {
  assertOwnSpelling(body);
  const { model } = body;
  if (typeof model !== 'string' || model === '' || model.length > maxModelLength)
    refuseMember('model', model, `a name of 1 to ${maxModelLength} characters`);
  // Prices, budgets and lists would treat this as a different name, but a provider might treat it as the same.
  if (model.trim() !== model || hidden.test(model))
    refuseMember('model', model, 'a name without invisible characters, and without spaces at its ends');
  if (!isAbsent(body.stream) && typeof body.stream !== 'boolean') refuseMember('stream', body.stream, 'true or false');
  checkNumber(body, 'temperature');
  checkNumber(body, 'top_p');
  checkObjects(body.tools, 'tools');
}

function checkMessages(
  body: JsonObject,
  roles: string,
  checkMessage: (message: JsonObject, path: string) => void,
): void {
  const { messages } = body;
  refuseOtherEndpoint(body, 'messages');
  if (!Array.isArray(messages) || messages.length === 0)
    refuseMember('messages', messages, 'an array of at least one message');
  for (const [index, message] of messages.entries()) {
    const path = `messages[${index}]`;
    if (!isObject(message)) refuseMember(path, message, 'an object with role and content');
    if (typeof message.role !== 'string' || message.role === '')
      refuseMember(`${path}.role`, message.role, `a role such as ${roles}`);
    checkMessage(message, path);
  }
}

/** Members that belong to other endpoints' requests and show that a body was sent to the wrong endpoint. */
const endpointOf: readonly (readonly [member: string, owner: string, remedy: string])[] = [
  ['messages', '/v1/chat/completions or /v1/messages', 'Send this body there'],
  ['input', '/v1/responses (or /v1/embeddings)', 'Send this body there'],
  ['prompt', '/v1/completions', 'Send this body there'],
  ['contents', "Gemini's API", 'Set the client to the form of OpenAI or Anthropic'],
];

/**
 * Refuses a body meant for another endpoint.
 * @param own the member that this endpoint requires.
 * @throws GatewayError `invalid_request` if the body lacks that member and has another endpoint's member instead.
 */
export function refuseOtherEndpoint(body: JsonObject, own: string): void {
  if (!isEmpty(body[own])) return;
  const [member, owner, remedy] = endpointOf.find(([name]) => name !== own && !isAbsent(body[name])) ?? [];
  if (member === undefined) return;
  const found = isAbsent(body[own]) ? 'missing' : 'empty';
  throw invalidRequest(`${member} belongs to ${owner}, and ${own} is ${found}. ${remedy}, or send ${own} here.`, {
    param: member,
  });
}

const isEmpty = (value: Json | undefined): boolean =>
  isAbsent(value) || value === '' || (Array.isArray(value) && value.length === 0);

/**
 * Checks that content is a string, or a list of parts with types. An assistant's turn may have no content if it made
 * tool calls.
 */
function checkContent(content: Json | undefined, path: string, { mayBeSilent }: { mayBeSilent: boolean }): void {
  if (typeof content === 'string' || (mayBeSilent && isAbsent(content))) return;
  if (!Array.isArray(content) || (content.length === 0 && !mayBeSilent))
    refuseMember(path, content, 'a string, or an array of at least one part');
  for (const [index, part] of content.entries()) checkPart(part, `${path}[${index}]`);
}

function checkPart(part: Json, path: string): void {
  if (!isObject(part)) refuseMember(path, part, 'an object with a type');
  if (typeof part.type !== 'string' || part.type === '')
    refuseMember(`${path}.type`, part.type, 'a string such as text');
  if (part.type === 'text' && typeof part.text !== 'string') refuseMember(`${path}.text`, part.text, 'a text');
  if (part.type === 'tool_result' && !isAbsent(part.content) && typeof part.content !== 'string') {
    if (!Array.isArray(part.content)) refuseMember(`${path}.content`, part.content, 'a string or an array of parts');
    for (const [index, inner] of part.content.entries()) checkPart(inner, `${path}.content[${index}]`);
  }
}

function checkWhole(body: JsonObject, key: string, most: number, path = ''): void {
  const value = body[key];
  if (isAbsent(value)) return;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1 || value > most)
    refuseMember(path + key, value, `a whole number from 1 to ${most}`);
}

function checkNumber(body: JsonObject, key: string): void {
  const value = body[key];
  if (!isAbsent(value) && !(typeof value === 'number' && Number.isFinite(value))) refuseMember(key, value, 'a number');
}

function checkObjects(value: Json | undefined, path: string): void {
  if (isAbsent(value)) return;
  if (!Array.isArray(value)) refuseMember(path, value, 'an array of objects');
  const stranger = value.findIndex((item) => !isObject(item));
  if (stranger !== -1) refuseMember(`${path}[${stranger}]`, value[stranger], 'an object');
}

/** Checks whether a member is absent. Optional members may be null, as the official clients' types allow. */
const isAbsent = (value: Json | undefined): value is null | undefined => value === undefined || value === null;

function refuseMember(path: string, found: Json | undefined, allowed: string): never {
  throw invalidRequest(`${path} is ${describeValue(found)}; allowed is ${allowed}.`, { param: path });
}

/** Describes a value without its content, because errors must not repeat prompts. */
function describeValue(value: Json | undefined): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (typeof value === 'string') return value === '' ? 'an empty string' : `a string of ${value.length} characters`;
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  return typeof value === 'object' ? 'an object' : String(value);
}
