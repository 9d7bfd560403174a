/** Where text stands in OpenAI chat completions: requests, replies, stream chunks. */
import type { JsonObject } from '#core/kernel/json.ts';
import type { TextSlot } from './dialect.ts';
import { leaves } from './leaves.ts';
import { addContent, addText, definitions, grouped, plainJson } from './slots.ts';
import { countOf, objectOf, objectsOf } from './wire.ts';

export const isSystem = (message: JsonObject): boolean => message.role === 'system' || message.role === 'developer';

/** Read elsewhere, or by the provider's own code only. */
const notDefinitions = new Set(['messages', 'prediction', 'model']);

/** What the model reads of tools, schemas and members nobody here knows, beside the messages. */
export const definitionTexts = (body: JsonObject): TextSlot[] => definitions(body, notDefinitions);

export function messageTexts(body: JsonObject): TextSlot[] {
  const slots: TextSlot[] = [];
  for (const [index, message] of objectsOf(body.messages).entries()) {
    const path = `messages[${index}]`;
    const kind = isSystem(message)
      ? 'system'
      : message.role === 'tool' || message.role === 'function'
        ? 'tool_result'
        : 'text';
    const own: TextSlot[] = [];
    addContent(own, `${path}.content`, kind, message, 'content');
    addText(own, `${path}.refusal`, 'refusal', message, 'refusal');
    addReasoning(own, path, message);
    for (const call of objectsOf(message.tool_calls)) plainJson(objectOf(call.function) ?? {}, 'arguments');
    plainJson(objectOf(message.function_call) ?? {}, 'arguments');
    addCalls(own, path, message);
    slots.push(...grouped(own, path, message));
  }
  const prediction = objectOf(body.prediction);
  if (prediction) {
    const own: TextSlot[] = [];
    addContent(own, 'prediction.content', 'text', prediction, 'content');
    slots.push(...grouped(own, 'prediction', prediction));
  }
  return slots;
}

/** Texts of a complete reply (`message`) or of a chunk (`delta`). Channels: `0:content`, `0:refusal`, `0:tool:1` … */
export function choiceTexts(message: JsonObject, said: 'message' | 'delta'): TextSlot[] {
  const slots: TextSlot[] = [];
  for (const [position, choice] of objectsOf(message.choices).entries()) {
    const part = objectOf(choice[said]);
    if (part === undefined) continue;
    const choiceChannel = `${countOf(choice.index) ?? position}`;
    // Log probabilities spell the text out once more: they go when it changes.
    const forgetTokens = () => {
      if (choice.logprobs) choice.logprobs = null;
    };
    if (typeof part.content === 'string')
      addText(slots, `${choiceChannel}:content`, 'text', part, 'content', forgetTokens);
    else addParts(slots, choiceChannel, part);
    addText(slots, `${choiceChannel}:refusal`, 'refusal', part, 'refusal', forgetTokens);
    addReasoning(slots, choiceChannel, part);
    addCalls(slots, choiceChannel, part);
    const audio = objectOf(part.audio);
    if (audio) addText(slots, `${choiceChannel}:audio`, 'text', audio, 'transcript');
  }
  // Names of tools, annotations, citations, members of one vendor's own: each comes whole.
  return [...slots, ...leaves(message, 'reply', slots)];
}

/** Parallel calls of one choice that are told apart by name; there is no reply with more. */
const mostCalls = 128;

const choiceChannels = [
  ...['content', 'refusal', 'reasoning_content', 'reasoning', 'reasoning_details', 'function', 'audio'],
  ...Array.from({ length: mostCalls }, (_, index) => [`tool:${index}`, `custom:${index}`]).flat(),
];

/** Every channel a choice may have: an event alone does not tell which ones it had. */
export const channelsOf = (choice: number): string[] => choiceChannels.map((name) => `${choice}:${name}`);

/** Some providers stream content as parts: their texts continue each other. */
function addParts(slots: TextSlot[], choiceChannel: string, holder: JsonObject): void {
  for (const part of objectsOf(holder.content)) {
    addText(slots, `${choiceChannel}:content`, 'text', part, 'text');
    for (const thought of objectsOf(part.thinking))
      addText(slots, `${choiceChannel}:reasoning`, 'reasoning', thought, 'text');
  }
}

const reasoningMembers = ['reasoning_content', 'reasoning'] as const;

function addReasoning(slots: TextSlot[], channel: string, holder: JsonObject): void {
  for (const name of reasoningMembers) addText(slots, `${channel}:${name}`, 'reasoning', holder, name);
  for (const detail of objectsOf(holder.reasoning_details))
    for (const name of ['text', 'summary'] as const)
      addText(slots, `${channel}:reasoning_details`, 'reasoning', detail, name);
}

function addCalls(slots: TextSlot[], channel: string, holder: JsonObject): void {
  for (const [position, call] of objectsOf(holder.tool_calls).entries()) {
    const index = countOf(call.index) ?? position;
    const named = objectOf(call.function);
    if (named) addText(slots, `${channel}:tool:${index}`, 'tool_arguments', named, 'arguments');
    const custom = objectOf(call.custom);
    if (custom) addText(slots, `${channel}:custom:${index}`, 'tool_arguments', custom, 'input');
  }
  const old = objectOf(holder.function_call);
  if (old) addText(slots, `${channel}:function`, 'tool_arguments', old, 'arguments');
}

/** A chunk that carries text on a channel, shaped like `like`. */
export function chunkWith(channel: string, text: string, like: JsonObject): JsonObject {
  const [choice = '0', ...path] = channel.split(':');
  const { usage: _, ...head } = like;
  return { ...head, choices: [{ index: Number(choice), delta: deltaOf(path, text), finish_reason: null }] };
}

function deltaOf([name = 'content', index = '0']: string[], text: string): JsonObject {
  switch (name) {
    case 'tool':
      return { tool_calls: [{ index: Number(index), function: { arguments: text } }] };
    case 'custom':
      return { tool_calls: [{ index: Number(index), custom: { input: text } }] };
    case 'function':
      return { function_call: { arguments: text } };
    case 'audio':
      return { audio: { transcript: text } };
    case 'reasoning_details':
      return { reasoning_details: [{ type: 'reasoning.text', text }] };
    default:
      return { [name]: text };
  }
}
