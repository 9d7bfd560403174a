/** Translates the items of a responses request into messages of a chat completions request. */
import { invalidRequest } from '#core/kernel/errors.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { isObject, objectsOf, textOf } from '#core/kernel/narrow.ts';
import { vendorId, withVendorMembers } from '../call-id.ts';
import { noteRest } from '../translate/members.ts';
import { member } from '../wire.ts';
import { flatName } from './namespaces.ts';

/** Returns the messages. @throws GatewayError `invalid_request` that names the item and states what is allowed. */
export function messagesOf(instructions: Json | undefined, input: Json | undefined): JsonObject[] {
  const messages: JsonObject[] = [];
  if (typeof instructions === 'string' && instructions !== '') messages.push({ role: 'system', content: instructions });
  else if (instructions !== undefined && instructions !== null && instructions !== '')
    throw unreadableInput('instructions', 'a text');
  if (typeof input === 'string') return [...messages, { role: 'user', content: input }];
  if (!Array.isArray(input) || input.length === 0)
    throw unreadableInput('input', 'a string, or an array of at least one item');
  for (const [at, item] of input.entries()) {
    if (!isObject(item)) throw unreadableInput(`input[${at}]`, 'an object');
    addItem(messages, item, `input[${at}]`);
  }
  return messages;
}

/** Returns the path of the item or member that became the message at a position. */
export function originOfMessage(instructions: Json | undefined, input: Json | undefined, place: number): string {
  const origins = typeof instructions === 'string' && instructions !== '' ? ['instructions'] : [];
  if (!Array.isArray(input)) return origins[place] ?? 'input';
  const messages: JsonObject[] = [];
  for (const [at, item] of input.entries()) {
    const before = messages.length;
    if (isObject(item)) addItem(messages, item, '');
    if (messages.length > before) origins.push(`input[${at}]`);
  }
  return origins[place] ?? 'input';
}

function addItem(messages: JsonObject[], item: JsonObject, path: string): void {
  switch (item.type ?? 'message') {
    case 'message':
      messages.push(messageOf(item, path));
      return;
    case 'function_call':
      addCall(messages, {
        id: requiredCallId(item, path),
        type: 'function',
        function: { name: flatName(item.namespace, item.name), arguments: textIn(item.arguments, `${path}.arguments`) },
      });
      return;
    case 'custom_tool_call':
      addCall(messages, {
        id: requiredCallId(item, path),
        type: 'custom',
        custom: { name: flatName(item.namespace, item.name), input: textIn(item.input, `${path}.input`) },
      });
      return;
    case 'function_call_output':
    case 'custom_tool_call_output':
      messages.push({
        role: 'tool',
        tool_call_id: vendorId(requiredCallId(item, path)),
        content: chatContent(item.output, `${path}.output`),
      });
      return;
    // Only the provider that created the reasoning can read it, and a chat completion cannot contain it.
    case 'reasoning':
      return;
    // Its tools are read with those of the request.
    case 'additional_tools':
      return;
    case 'item_reference':
      throw invalidRequest(
        `${path}.type is item_reference, and the gateway keeps no items; allowed: the item itself. The AI SDK sends it with providerOptions: { openai: { store: false } }.`,
        { param: `${path}.type` },
      );
    default:
      throw unreadableInput(
        `${path}.type`,
        'message, function_call, function_call_output, custom_tool_call, custom_tool_call_output, reasoning, additional_tools',
      );
  }
}

/** Adds a call. Adjacent calls form one turn of the model, together with the text before them. */
function addCall(messages: JsonObject[], given: JsonObject): void {
  const call = withVendorMembers(given);
  const last = messages.at(-1);
  if (last?.role !== 'assistant') messages.push({ role: 'assistant', content: null, tool_calls: [call] });
  else if (Array.isArray(last.tool_calls)) last.tool_calls.push(call);
  else last.tool_calls = [call];
}

function messageOf({ role, content }: JsonObject, path: string): JsonObject {
  if (typeof role !== 'string' || !roles.has(role)) throw unreadableInput(`${path}.role`, [...roles].join(', '));
  return { role, content: chatContent(content, `${path}.content`) };
}

const roles: ReadonlySet<string> = new Set(['user', 'assistant', 'system', 'developer']);

function chatContent(content: Json | undefined, path: string): Json {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) throw unreadableInput(path, 'a string, or an array of parts');
  return content.map((part, at) => {
    if (!isObject(part)) throw unreadableInput(`${path}[${at}]`, 'an object with a type');
    return partOf(part, `${path}[${at}]`);
  });
}

function partOf(part: JsonObject, path: string): JsonObject {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return { type: 'text', text: textIn(part.text, `${path}.text`) };
    case 'refusal':
      return { type: 'refusal', refusal: textIn(part.refusal, `${path}.refusal`) };
    case 'input_image':
      return {
        type: 'image_url',
        image_url: { url: textIn(part.image_url, `${path}.image_url`), ...member('detail', textOf(part.detail)) },
      };
    case 'input_file':
      return {
        type: 'file',
        file: { file_data: textIn(part.file_data, `${path}.file_data`), ...member('filename', textOf(part.filename)) },
      };
    case 'input_audio':
      return { type: 'input_audio', input_audio: part.input_audio ?? null };
    default:
      throw unreadableInput(`${path}.type`, 'input_text, output_text, refusal, input_image, input_file, input_audio');
  }
}

/** Members of items and their parts that are read, or that the gateway itself adds. */
const itemMembers: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    message: ['role', 'content'],
    function_call: ['call_id', 'name', 'namespace', 'arguments'],
    custom_tool_call: ['call_id', 'name', 'namespace', 'input'],
    function_call_output: ['call_id', 'output'],
    custom_tool_call_output: ['call_id', 'output'],
    additional_tools: ['role', 'tools'],
    input_text: ['text'],
    output_text: ['text'],
    text: ['text'],
    refusal: ['refusal'],
    input_image: ['image_url', 'detail'],
    input_file: ['file_data', 'filename'],
    input_audio: ['input_audio'],
  }),
);

/** Returns the names of item members that a chat completion cannot express. */
export function itemsLeftOut(input: Json | undefined): string[] {
  const names = new Set<string>();
  const note = (part: JsonObject, type: string, path: string) =>
    noteRest(part, ['type', 'id', 'status', ...(itemMembers.get(type) ?? Object.keys(part))], path, (name) =>
      names.add(name),
    );
  for (const item of objectsOf(input)) {
    const type = textOf(item.type) ?? 'message';
    if (type === 'reasoning') names.add('input.reasoning');
    note(item, type, 'input');
    for (const member of ['content', 'output'])
      for (const part of objectsOf(item[member])) note(part, textOf(part.type) ?? '', `input.${member}`);
  }
  return [...names];
}

const requiredCallId = (item: JsonObject, path: string): string => textIn(item.call_id, `${path}.call_id`);

function textIn(value: Json | undefined, path: string): string {
  if (typeof value === 'string') return value;
  throw unreadableInput(path, 'a text');
}

const unreadableInput = (path: string, allowed: string) =>
  invalidRequest(`${path} cannot be read; allowed: ${allowed}.`, { param: path });
