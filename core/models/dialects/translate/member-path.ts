/**
 * Maps errors to members of the caller's request, because providers and translations name members of the provider's
 * request [error.plain-words].
 */
import type { DialectName } from '#core/contracts/chat.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { objectOf, objectsOf } from '#core/kernel/narrow.ts';
import { originOfBlock, originOfSystem } from './to-anthropic-messages.ts';
import { chosenTools } from './to-anthropic-request.ts';
import { originOfMessage } from './to-openai-messages.ts';

interface MemberTranslation {
  readonly caller: DialectName;
  /** Dialect of the provider that names the member; undefined if the gateway names it in the caller's dialect. */
  readonly provider: DialectName | undefined;
  /** Untranslated request, in the caller's dialect. */
  readonly body: JsonObject;
  /** Number of messages that the gateway added before the caller's messages. */
  readonly added: number;
}

type Words = readonly (readonly [pattern: RegExp, path: string])[];

/** Members of a messages request and the chat completions request members they come from. */
const toChat: Words = [
  [/^(?:output_config\.format|output_format)\.schema\b.*/, 'response_format.json_schema.schema'],
  [/^output_(?:config|format)\b.*/, 'response_format'],
  [/^tools[.[](\d+)\]?\.(?:custom\.)?input_schema\b.*/, 'tools[$1].function.parameters'],
  [/^tools[.[](\d+)\]?\.(?:custom\.)?(name|description)\b.*/, 'tools[$1].function.$2'],
  [/^tools[.[](\d+)\b.*/, 'tools[$1]'],
  [/^stop_sequences\b.*/, 'stop'],
  [/^metadata\.user_id$/, 'user'],
];

/** Members of a chat completions request and the messages request members they come from. */
const toMessages: Words = [
  [/^response_format\.json_schema\.schema\b.*/, 'output_config.format.schema'],
  [/^response_format\b.*/, 'output_config.format'],
  [/^tools\[(\d+)\]\.function\.parameters\b.*/, 'tools[$1].input_schema'],
  [/^tools\[(\d+)\]\.function\.(name|description)\b.*/, 'tools[$1].$2'],
  [/^tools\[(\d+)\].*/, 'tools[$1]'],
  [/^stop\b.*/, 'stop_sequences'],
  [/^user$/, 'metadata.user_id'],
  [/^max_completion_tokens$/, 'max_tokens'],
  [/^parallel_tool_calls$/, 'tool_choice.disable_parallel_tool_use'],
];

/** Returns the member of the caller's request, or undefined if it is in a message that the gateway added. */
export function callersMember(path: string, { caller, provider, body, added }: MemberTranslation): string | undefined {
  if (caller === 'anthropic') return provider === 'openai' ? inMessages(path, body) : path;
  const own = provider === 'anthropic' ? inChat(path, body) : path;
  const [, index] = /^messages\[(\d+)\]/.exec(own) ?? [];
  if (index === undefined) return own;
  const place = Number(index) - added;
  return place < 0 ? undefined : own.replace(/\d+/, String(place));
}

function inChat(path: string, body: JsonObject): string {
  const [, turn, block] = /^messages[.[](\d+)\]?(?:\.content[.[](\d+))?/.exec(path) ?? [];
  if (turn !== undefined) return originOfBlock(body, Number(turn), Number(block ?? 0)) ?? 'messages';
  const [isSystem, part] = /^system\b(?:[.[](\d+))?/.exec(path) ?? [];
  if (isSystem !== undefined) return originOfSystem(body, Number(part ?? 0)) ?? 'messages';
  return replaceWords(path, toChat).replace(
    /^tools\[(\d+)\]/,
    (_, place: string) => `tools[${toolAt(body, Number(place))}]`,
  );
}

/**
 * Returns the position of a tool in the request, which may differ because tools excluded by the tool choice are not
 * sent.
 */
function toolAt({ tools, tool_choice }: JsonObject, place: number): number {
  const offered = chosenTools(tool_choice);
  const places = objectsOf(tools).flatMap((tool, at) =>
    offered === undefined || offered.includes(objectOf(tool.function)?.name) ? [at] : [],
  );
  return places[place] ?? place;
}

function inMessages(path: string, body: JsonObject): string {
  const [, index] = /^messages[.[](\d+)/.exec(path) ?? [];
  return index === undefined ? replaceWords(path, toMessages) : (originOfMessage(body, Number(index)) ?? 'messages');
}

/** Returns the path with its words replaced, or unchanged. */
export function replaceWords(path: string, words: Words): string {
  const [pattern, own] = words.find(([each]) => each.test(path)) ?? [];
  return pattern ? path.replace(pattern, own!) : path;
}

/**
 * Returns the error with a different member, which also replaces the previous member at the start of the error message.
 */
export function withMember(error: GatewayError, param: string | undefined): GatewayError {
  const { code, message, data: { param: before, ...data } = {}, retryAfterSeconds, providerRequestId, origin } = error;
  const begins = typeof before === 'string' && param !== undefined && message.startsWith(before);
  return new GatewayError(code, begins ? param + message.slice(before.length) : message, {
    cause: error.cause,
    retryAfterSeconds,
    providerRequestId,
    origin,
    data: { ...(param !== undefined && { param }), ...data },
  });
}
