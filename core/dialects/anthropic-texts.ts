/** Where text stands in Anthropic messages: requests, replies, stream events. */
import type { JsonObject } from '#core/kernel/json.ts';
import type { TextSlot } from './dialect.ts';
import { addContent, addDescriptions, addJson, addPart, addText } from './slots.ts';
import { countOf, objectOf, objectsOf } from './wire.ts';

/** What the model reads of tools and schemas, beside system and messages. */
export function definitionTexts(body: JsonObject): TextSlot[] {
  const slots: TextSlot[] = [];
  for (const key of ['tools', 'output_config'] as const) addDescriptions(slots, key, body[key]);
  return slots;
}

export function messageTexts(body: JsonObject): TextSlot[] {
  const slots: TextSlot[] = [];
  addContent(slots, 'system', 'system', body, 'system');
  for (const [index, message] of objectsOf(body.messages).entries())
    addContent(slots, `messages[${index}].content`, message.role === 'system' ? 'system' : 'text', message, 'content');
  return slots;
}

/** Texts of a complete reply. Channels as in its stream: `block:0:text`, `block:1:thinking`, `block:2:input`. */
export function replyTexts(reply: JsonObject): TextSlot[] {
  const slots: TextSlot[] = [];
  for (const [index, block] of objectsOf(reply.content).entries()) {
    if (streamed(block)) addBlock(slots, `block:${index}`, block);
    else addPart(slots, `block:${index}`, 'text', block);
  }
  return slots;
}

/** Texts of one event: a block may begin with text, and goes on in deltas. */
export function eventTexts(event: JsonObject): TextSlot[] {
  const slots: TextSlot[] = [];
  const channel = `block:${countOf(event.index) ?? 0}`;
  const block = objectOf(event.content_block);
  if (event.type === 'content_block_start' && block) addBlock(slots, channel, block);
  const delta = objectOf(event.delta);
  if (event.type === 'content_block_delta' && delta) {
    addText(slots, `${channel}:text`, 'text', delta, 'text');
    addText(slots, `${channel}:thinking`, 'reasoning', delta, 'thinking');
    addText(slots, `${channel}:input`, 'tool_arguments', delta, 'partial_json');
  }
  return slots;
}

function addBlock(slots: TextSlot[], channel: string, block: JsonObject): void {
  if (block.type === 'text') addText(slots, `${channel}:text`, 'text', block, 'text');
  else if (block.type === 'thinking') addText(slots, `${channel}:thinking`, 'reasoning', block, 'thinking');
  else if (isCall(block)) addJson(slots, `${channel}:input`, 'tool_arguments', block, 'input');
}

/** Kinds whose text goes on in deltas; others (results of the provider's own tools) come whole in their first event. */
const streamed = (block: JsonObject): boolean => block.type === 'text' || block.type === 'thinking' || isCall(block);

/** Every channel a block may have. */
export const channelsOf = (block: number): string[] =>
  ['text', 'thinking', 'input'].map((name) => `block:${block}:${name}`);

/** `tool_use`, and the calls the provider's own side answers (`server_tool_use`, `mcp_tool_use`). */
export const isCall = (block: JsonObject): boolean => typeof block.type === 'string' && block.type.endsWith('tool_use');

/** An event that carries text on a channel. */
export function deltaWith(channel: string, text: string): JsonObject {
  const [, index = '0', member = 'text'] = channel.split(':');
  return { type: 'content_block_delta', index: Number(index), delta: deltaOf(member, text) };
}

function deltaOf(member: string, text: string): JsonObject {
  if (member === 'input') return { type: 'input_json_delta', partial_json: text };
  return member === 'thinking' ? { type: 'thinking_delta', thinking: text } : { type: 'text_delta', text };
}
