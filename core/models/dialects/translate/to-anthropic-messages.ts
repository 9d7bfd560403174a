/** Translates the conversation of a chat completions request into Anthropic's system prompt and alternating turns. */
import type { GatewayError } from '#core/kernel/errors.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { isObject, objectOf, objectsOf, textOf } from '#core/kernel/narrow.ts';
import { portableId } from '../call-id.ts';
import { isSystem } from '../openai/texts.ts';
import { blankLine } from '../system-prompt.ts';
import { inputOf, member } from '../wire.ts';
import { assertRole, cannotCarry, type Note, noteCall, notePart, noteRest, rolesOfOpenai } from './members.ts';

/**
 * Translates the messages. System and developer messages in any position form the system prompt; tool messages become
 * `tool_result` blocks of a user turn; adjacent turns of the same role are joined, since not every server of this
 * dialect joins them.
 */
export function toAnthropicMessages(
  messages: readonly JsonObject[],
  note: Note,
): { system?: Json; messages: JsonObject[] } {
  const system: JsonObject[] = [];
  const turns: Turn<JsonObject>[] = [];
  let unspoken: GatewayError | undefined;
  for (const [index, message] of messages.entries()) {
    const path = `messages[${index}]`;
    checkMessage(message, path, note);
    if (isSystem(message)) {
      system.push(...contentBlocks(message.content, `${path}.content`));
      unspoken ??= notText(message.content, `${path}.content`);
    } else addTurn(turns, message, blocksOf(message, path));
  }
  // Anthropic requires at least one turn, so if there are only instructions, they become the user's turn.
  if (turns.length === 0) return { messages: [{ role: 'user', content: system }] };
  if (unspoken) throw unspoken;
  endWithoutBlanks(turns);
  return { ...(system.length > 0 && { system: asPrompt(system) }), messages: turns.map(asMessage) };
}

/** Removes trailing blanks from a last turn that the model is to continue, because Anthropic refuses them. */
function endWithoutBlanks(turns: readonly Turn<JsonObject>[]): void {
  const last = turns.at(-1);
  const block = last?.role === 'assistant' ? last.blocks.at(-1) : undefined;
  if (block?.type === 'text') block.text = (textOf(block.text) ?? '').trimEnd();
}

/** Returns the refusal for an image or document, because a system prompt can contain only text. */
function notText(content: Json | undefined, path: string): GatewayError | undefined {
  const parts = Array.isArray(content) ? content : [];
  const at = parts.findIndex((part) => ['image_url', 'file'].includes(textOf(objectOf(part)?.type) ?? ''));
  if (at === -1) return undefined;
  return cannotCarry(`${path}[${at}]`, 'parts of type text in a system message', objectOf(parts[at])?.type);
}

const messageMembers = [...['role', 'content', 'refusal', 'tool_calls', 'tool_call_id', 'function_call', 'audio']];

/** Refuses an assistant's audio, which only its provider stores: without the audio, the turn would be empty. */
function checkMessage(message: JsonObject, path: string, note: Note): void {
  assertRole(message, path, rolesOfOpenai);
  if (objectOf(message.audio)) throw cannotCarry(`${path}.audio`, 'content');
  const named = message.role === 'function' ? ['name'] : [];
  noteRest(message, [...messageMembers, ...named], 'messages', note);
  for (const part of objectsOf(message.content)) notePart(part, ['cache_control'], note);
  for (const call of objectsOf(message.tool_calls)) noteCall(call, note);
}

interface Turn<Block> {
  readonly role: 'user' | 'assistant';
  readonly blocks: Block[];
  /** Number of tool results, which Anthropic requires before all other content in a user turn. */
  results: number;
}

function addTurn<Block>(turns: Turn<Block>[], message: JsonObject, blocks: readonly Block[]): void {
  if (blocks.length === 0) return;
  const role = message.role === 'assistant' ? 'assistant' : 'user';
  const last = turns.at(-1);
  const turn: Turn<Block> = last?.role === role ? last : { role, blocks: [], results: 0 };
  if (turn !== last) turns.push(turn);
  if (!isResult(message)) {
    turn.blocks.push(...blocks);
    return;
  }
  turn.blocks.splice(turn.results, 0, ...blocks);
  turn.results += blocks.length;
}

const isResult = ({ role }: JsonObject): boolean => role === 'tool' || role === 'function';

/** Returns a turn as a message, with a single plain text part given as a string. */
function asMessage({ role, blocks }: Turn<JsonObject>): JsonObject {
  const [only, second] = blocks;
  const plain = second === undefined && only?.type === 'text' && only.cache_control === undefined;
  return { role, content: plain ? (only.text ?? '') : blocks };
}

function asPrompt(parts: JsonObject[]): Json {
  const plain = parts.every((part) => part.cache_control === undefined);
  return plain ? parts.map((part) => textOf(part.text) ?? '').join(blankLine) : parts;
}

function blocksOf(message: JsonObject, path: string): JsonObject[] {
  if (isResult(message))
    return [
      {
        type: 'tool_result',
        tool_use_id: portableId(textOf(message.tool_call_id) ?? textOf(message.name) ?? ''),
        content:
          typeof message.content === 'string' ? message.content : contentBlocks(message.content, `${path}.content`),
      },
    ];
  const parts = contentBlocks(message.content, `${path}.content`);
  if (message.role !== 'assistant') return parts;
  const refusal = textOf(message.refusal);
  return [...parts, ...(refusal ? [{ type: 'text', text: refusal }] : []), ...callsOf(message)];
}

/** Returns the path of the message part that became a block of a turn. */
export function originOfBlock(body: JsonObject, turn: number, block: number): string | undefined {
  const turns: Turn<string>[] = [];
  for (const [index, message] of objectsOf(body.messages).entries()) {
    if (isSystem(message)) continue;
    const path = `messages[${index}]`;
    const origins = blocksOf(message, path).map((_, at) => path + memberOf(message, at));
    addTurn(turns, message, origins);
  }
  return turns[turn]?.blocks[block];
}

/** Returns the path of the system message that became a part of the system prompt. */
export function originOfSystem(body: JsonObject, part: number): string | undefined {
  const origins = objectsOf(body.messages).flatMap((message, index) =>
    isSystem(message)
      ? contentBlocks(message.content, '').map((_, at) => `messages[${index}]${memberOf(message, at)}`)
      : [],
  );
  return origins[part];
}

/** Returns the member of a message that became the block at a position. */
function memberOf(message: JsonObject, block: number): string {
  if (isResult(message)) return '.content';
  const { content } = message;
  if (!Array.isArray(content)) {
    const texts = contentBlocks(content, '').length;
    return block < texts ? '.content' : callAt(message, block - texts);
  }
  const places = content.flatMap((part, at) => (isObject(part) ? partOf(part, '').map(() => at) : []));
  return block < places.length ? `.content[${places[block]}]` : callAt(message, block - places.length);
}

function callAt({ refusal }: JsonObject, place: number): string {
  if (textOf(refusal)) return place === 0 ? '.refusal' : `.tool_calls[${place - 1}]`;
  return `.tool_calls[${place}]`;
}

function callsOf(message: JsonObject): JsonObject[] {
  const calls = objectsOf(message.tool_calls).map((call) => {
    const named = objectOf(call.function) ?? objectOf(call.custom) ?? {};
    return {
      type: 'tool_use',
      id: portableId(textOf(call.id) ?? ''),
      name: named.name ?? '',
      input: inputOf(named),
    };
  });
  const old = objectOf(message.function_call);
  if (old === undefined) return calls;
  const name = textOf(old.name) ?? '';
  return [...calls, { type: 'tool_use', id: portableId(name), name, input: inputOf(old) }];
}

/** Returns content as blocks, omitting text without visible characters, which Anthropic refuses. */
function contentBlocks(content: Json | undefined, path: string): JsonObject[] {
  if (typeof content === 'string') return content.trim() === '' ? [] : [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  return content.flatMap((part, index) => (isObject(part) ? partOf(part, `${path}[${index}]`) : []));
}

function partOf(part: JsonObject, path: string): JsonObject[] {
  const cached = member('cache_control', part.cache_control);
  switch (part.type) {
    case 'text':
    case 'refusal': {
      const text = textOf(part.text) ?? textOf(part.refusal) ?? '';
      return text.trim() === '' ? [] : [{ type: 'text', text, ...cached }];
    }
    case 'image_url':
      return [{ type: 'image', source: imageSource(part.image_url, path), ...cached }];
    case 'file':
      return [{ ...documentOf(objectOf(part.file) ?? {}, path), ...cached }];
    default:
      throw cannotCarry(path, 'parts of type text, image_url and file', part.type ?? null);
  }
}

function imageSource(image: Json | undefined, path: string): JsonObject {
  const url = textOf(image) ?? textOf(objectOf(image)?.url) ?? '';
  const data = dataUrl(url);
  if (data) return { type: 'base64', media_type: data.mediaType, data: data.base64 };
  if (/^https?:\/\//i.test(url)) return { type: 'url', url };
  throw cannotCarry(`${path}.image_url.url`, 'http(s) URLs and base64 data URLs');
}

function documentOf(file: JsonObject, path: string): JsonObject {
  const data = dataUrl(textOf(file.file_data) ?? '');
  if (data === undefined) throw cannotCarry(`${path}.file`, 'file_data as a base64 data URL');
  return {
    type: 'document',
    source: { type: 'base64', media_type: data.mediaType, data: data.base64 },
    ...member('title', textOf(file.filename)),
  };
}

/**
 * Splits a base64 data URL into media type and content, by position rather than by pattern, because images are long.
 */
function dataUrl(url: string): { mediaType: string; base64: string } | undefined {
  const comma = url.indexOf(',');
  if (comma === -1 || url.slice(0, 5).toLowerCase() !== 'data:') return undefined;
  const [mediaType = '', ...parameters] = url.slice(5, comma).split(';');
  if (!parameters.some((parameter) => parameter.trim().toLowerCase() === 'base64')) return undefined;
  return { mediaType: mediaType || 'application/octet-stream', base64: url.slice(comma + 1) };
}
