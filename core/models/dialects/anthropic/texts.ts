/** Text in Anthropic messages: requests, replies, stream events. */
import { asText } from '#core/kernel/as-text.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { countOf, objectOf, objectsOf } from '#core/kernel/narrow.ts';
import type { TextSlot } from '../dialect.ts';
import { leaves } from '../leaves.ts';
import { addContent, addInput, addJsonText, addPart, addText, definitions, grouped, turnsOf } from '../slots.ts';

/** Members that are read elsewhere, or only by the provider's own code. */
const notDefinitions = new Set(['system', 'messages', 'model']);

/** Returns the text of tools, schemas and unknown members, in addition to system and messages. */
export const definitionTexts = (body: JsonObject): TextSlot[] => definitions(body, notDefinitions);

export function messageTexts(body: JsonObject): TextSlot[] {
  const system: TextSlot[] = [];
  addContent(system, 'system', 'system', body, 'system');
  const { system: content } = body;
  const slots = grouped(system, 'system', typeof content === 'object' ? ({ content } as JsonObject) : {});
  const messages = objectsOf(body.messages);
  const turns = turnsOf(messages);
  for (const [index, message] of messages.entries()) {
    const own: TextSlot[] = [];
    const kind = message.role === 'system' ? 'system' : 'text';
    addContent(own, `messages[${index}].content`, kind, message, 'content');
    slots.push(...grouped(own, `messages[${index}]`, message, turns[index]));
  }
  return slots;
}

/**
 * Returns the text of a complete reply. Its channels match those of the stream: `block:0:text`, `block:1:thinking`,
 * `block:2:input`.
 */
export function replyTexts(reply: JsonObject): TextSlot[] {
  const slots: TextSlot[] = [];
  for (const [index, block] of objectsOf(reply.content).entries()) {
    if (isStreamed(block)) addBlock(slots, `block:${index}`, block);
    else addPart(slots, `block:${index}`, 'text', block);
  }
  return [...slots, ...leaves(reply, 'reply', slots)];
}

const knownDelta = new Set(['type', 'text', 'thinking', 'partial_json', 'signature']);

/** Returns the text of one event. A block may begin with text and continue in deltas. */
export function eventTexts(event: JsonObject): TextSlot[] {
  const slots: TextSlot[] = [];
  const channel = `block:${countOf(event.index) ?? 0}`;
  const block = objectOf(event.content_block);
  const begun = event.type === 'content_block_start' ? block : undefined;
  if (begun && isStreamed(begun)) addBlock(slots, channel, begun, true);
  const delta = objectOf(event.delta);
  if (event.type === 'content_block_delta' && delta) {
    addText(slots, `${channel}:text`, 'text', delta, 'text');
    addText(slots, `${channel}:thinking`, 'reasoning', delta, 'thinking');
    addJsonText(slots, `${channel}:input`, delta, 'partial_json');
    const type = asText(delta.type);
    // Text of an unknown delta type continues from event to event, as with known types.
    for (const name of Object.keys(delta))
      if (!knownDelta.has(name) && /^[\w.-]+$/.test(name) && /^[\w.-]+$/.test(type))
        addText(slots, `${channel}:own:${type}:${name}`, 'other', delta, name);
  }
  // Results of the provider's own tools, citations and similar content arrive complete.
  return [...slots, ...leaves(event, channel, slots)];
}

/**
 * Adds the text of a block.
 * @param begun true for the start of a block in a stream: arguments it contains are complete, otherwise they arrive as
 * text.
 */
function addBlock(slots: TextSlot[], channel: string, block: JsonObject, begun = false): void {
  if (block.type === 'text') addText(slots, `${channel}:text`, 'text', block, 'text');
  else if (block.type === 'thinking') addText(slots, `${channel}:thinking`, 'reasoning', block, 'thinking');
  else if (isCall(block)) {
    const input = addInput(slots, `${channel}:input`, block);
    if (input) input.whole = begun;
  }
}

/**
 * Checks whether a block's text continues in deltas. Blocks of other kinds, such as results of the provider's own
 * tools, arrive complete in their first event.
 */
const isStreamed = (block: JsonObject): boolean => block.type === 'text' || block.type === 'thinking' || isCall(block);

/** Returns the prefix shared by the names of all channels of a block. */
export const channelsOf = (block: number): string[] => [`block:${block}:`];

/**
 * Checks whether a block is a `tool_use` or a call that the provider runs itself (`server_tool_use`, `mcp_tool_use`).
 */
export const isCall = (block: JsonObject): boolean => typeof block.type === 'string' && block.type.endsWith('tool_use');

/** Returns an event that carries text on a channel. */
export function deltaWith(channel: string, text: string): JsonObject {
  const [, index = '0', member = 'text', type = '', name = ''] = channel.split(':');
  const delta = member === 'own' ? { type, [name]: text } : deltaOf(member, text);
  return { type: 'content_block_delta', index: Number(index), delta };
}

function deltaOf(member: string, text: string): JsonObject {
  if (member === 'input') return { type: 'input_json_delta', partial_json: text };
  return member === 'thinking' ? { type: 'thinking_delta', thinking: text } : { type: 'text_delta', text };
}
