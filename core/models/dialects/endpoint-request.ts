/** Reads requests to endpoints other than chat as chat requests, so that their text is checked like messages. */

import type { EndpointName } from '#core/contracts/chat.ts';
import { invalidRequest } from '#core/kernel/errors.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { countOf, isObject, objectsOf } from '#core/kernel/narrow.ts';
import { refuseOtherEndpoint } from './check-request.ts';
import { endpoints } from './endpoints.ts';

/** Maximum number of texts in OpenAI's API. */
const maxTexts = 2048;
/** Default number of output tokens for a completion without a specified maximum, as in OpenAI's API. */
const completionTokens = 16;
const maxTokens = 1_000_000;

/**
 * Returns the chat request that represents a request to an endpoint. Other members stay unchanged, and filters read
 * their strings.
 * @throws GatewayError `invalid_request`.
 */
export function readEndpointRequest(name: EndpointName, request: JsonObject): JsonObject {
  const { field, model: usual, silent } = endpoints[name];
  const { [field]: given, messages: _none, ...more } = request;
  refuseOtherEndpoint(request, field);
  if (request.messages !== undefined && request.messages !== null)
    throw invalidMember('messages', 'is a member of chat requests', `${field} on /v1/${name.replace('.', '/')}`);
  const model = request.model ?? usual;
  checkMembers(name, more);
  const prompts = inputTexts(name, field, given);
  return {
    ...more,
    ...(model !== undefined && { model }),
    messages: prompts.map((content) => ({ role: 'user', content })),
    // A chat call reserves at least one output token.
    ...(silent && { max_completion_tokens: 1 }),
    ...(name === 'completions' && { max_completion_tokens: outputOf(more, prompts.length) }),
  };
}

/** Builds the provider's request from the filtered chat request. */
export function endpointBody(
  name: EndpointName,
  { messages, max_completion_tokens: _, ...more }: JsonObject,
): JsonObject {
  const texts = objectsOf(messages).map(({ content }) => content ?? '');
  const [only] = texts;
  const value = texts.length === 1 && name !== 'embeddings' ? only : texts;
  return { ...more, ...(value !== undefined && value !== '' && { [endpoints[name].field]: value }) };
}

const embeddingMembers: ReadonlySet<string> = new Set(['model', 'dimensions', 'encoding_format', 'user']);

function checkMembers(name: EndpointName, more: JsonObject): void {
  if (more.stream !== undefined && more.stream !== null && more.stream !== false)
    throw invalidMember(
      'stream',
      'asks for a stream',
      `false: the gateway passes on only whole responses of this endpoint`,
    );
  if (name === 'embeddings') {
    const stranger = Object.keys(more).find((member) => !embeddingMembers.has(member));
    const allowed = [...embeddingMembers].filter((member) => member !== 'model').join(', ');
    if (stranger !== undefined) throw invalidMember(stranger, 'is not a member of this request', allowed);
    const { encoding_format, dimensions } = more;
    if (!vectorFormats.has(encoding_format ?? 'float'))
      throw invalidMember('encoding_format', 'has an unsupported value', 'float, base64, or leave it out');
    if (!Number.isInteger(dimensions ?? 1) || Number(dimensions ?? 1) < 1)
      throw invalidMember('dimensions', 'has an unsupported value', 'a whole number from 1, or leave it out');
  }
  if (name === 'audio.speech' && (more.stream_format ?? 'audio') !== 'audio')
    throw invalidMember('stream_format', 'asks for events', 'audio, or leave it out');
  const isTranscript = endpoints[name].form && name.startsWith('audio.');
  if (isTranscript && !audioFormats.has(more.response_format ?? 'json'))
    throw invalidMember(
      'response_format',
      'has an unsupported value',
      'json, verbose_json or diarized_json: filters read the response',
    );
}

const vectorFormats: ReadonlySet<Json> = new Set(['float', 'base64']);
const audioFormats: ReadonlySet<Json> = new Set(['json', 'verbose_json', 'diarized_json']);

/**
 * Returns the input text: one or more strings. For moderations there may also be parts with images; for forms there may
 * be no text.
 */
function inputTexts(name: EndpointName, field: string, value: Json | undefined): (string | JsonObject[])[] {
  if (value === undefined && endpoints[name].form) return [''];
  if (name === 'moderations' && Array.isArray(value) && value.length > 0 && value.every(isObject))
    return [value as JsonObject[]];
  const many = Array.isArray(value) && !endpoints[name].speech;
  const texts = typeof value === 'string' ? [value] : many ? value : [];
  if (texts.length === 0 || texts.length > maxTexts)
    throw invalidMember(field, 'has no text, or too many texts', `1 to ${maxTexts} texts`);
  return texts.map((text, at) => {
    if (typeof text === 'string' && text !== '') return text;
    const found = typeof text === 'string' ? 'is empty' : 'is not a string';
    throw invalidMember(typeof value === 'string' ? field : `${field}[${at}]`, found, notTokens);
  });
}

const notTokens =
  'a string; filters cannot read tokens, so have the client send strings (LangChain in Python: check_embedding_ctx_length=False)';

/** Returns the billed maximum of output tokens, divided by `n` because chat calls multiply by it. */
function outputOf({ max_tokens, n, best_of }: JsonObject, prompts: number): number {
  const count = (member: string, value: Json | undefined, most: number, otherwise: number): number => {
    if (value === undefined || value === null) return otherwise;
    const whole = countOf(value);
    if (whole !== undefined && whole >= 1 && whole <= most) return whole;
    throw invalidMember(member, 'is not a valid count', `a whole number from 1 to ${most}`);
  };
  const choices = count('n', n, 128, 1);
  const drafts = Math.max(choices, count('best_of', best_of, 128, choices));
  return count('max_tokens', max_tokens, maxTokens, completionTokens) * prompts * Math.ceil(drafts / choices);
}

const invalidMember = (path: string, found: string, allowed: string) =>
  invalidRequest(`${path} ${found}; allowed: ${allowed}.`, { param: path });
