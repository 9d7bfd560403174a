/** Text in OpenAI chat completions: requests, replies, stream chunks. */
import type { JsonObject } from '#core/kernel/json.ts';
import { countOf, objectOf, objectsOf, textOf } from '#core/kernel/narrow.ts';
import type { TextSlot } from '../dialect.ts';
import { leaves } from '../leaves.ts';
import { addContent, addJsonText, addText, definitions, grouped, turnsOf } from '../slots.ts';

export const isSystem = (message: JsonObject): boolean => message.role === 'system' || message.role === 'developer';

/** Members that are read elsewhere, or only by the provider's own code. */
const notDefinitions = new Set(['messages', 'prediction', 'model']);

/** Returns the text of tools, schemas and unknown members, in addition to the messages. */
export const definitionTexts = (body: JsonObject): TextSlot[] => definitions(body, notDefinitions);

export function messageTexts(body: JsonObject): TextSlot[] {
  const slots: TextSlot[] = [];
  const messages = objectsOf(body.messages);
  const turns = turnsOf(messages);
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]!;
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
    addCalls(own, path, message);
    slots.push(...grouped(own, path, message, turns[index]));
  }
  const prediction = objectOf(body.prediction);
  if (prediction) {
    const own: TextSlot[] = [];
    addContent(own, 'prediction.content', 'text', prediction, 'content');
    slots.push(...grouped(own, 'prediction', prediction));
  }
  return slots;
}

/**
 * Returns the text of a complete reply (`message`) or of a chunk (`delta`). Channels: `0:content`, `0:refusal`,
 * `0:tool:1` …
 */
export function choiceTexts(message: JsonObject, said: 'message' | 'delta'): TextSlot[] {
  const slots: TextSlot[] = [];
  for (const [position, choice] of objectsOf(message.choices).entries()) {
    const part = objectOf(choice[said]);
    if (part === undefined) continue;
    const choiceChannel = `${countOf(choice.index) ?? position}`;
    // Log probabilities repeat the text, so they are dropped when the text changes.
    const forgetTokens = () => {
      if (choice.logprobs) choice.logprobs = null;
    };
    if (typeof part.content === 'string')
      addText(slots, `${choiceChannel}:content`, 'text', part, 'content')?.afterChange(forgetTokens);
    else addParts(slots, choiceChannel, part);
    addText(slots, `${choiceChannel}:refusal`, 'refusal', part, 'refusal')?.afterChange(forgetTokens);
    addReasoning(slots, choiceChannel, part);
    if (said === 'delta') addOwn(slots, choiceChannel, part);
    addCalls(slots, choiceChannel, part);
    addTokens(slots, choiceChannel, choice);
    const audio = objectOf(part.audio);
    // Audio repeats the transcript, so it is dropped when the transcript changes.
    const forgetSpeech = () => {
      if (audio?.data) audio.data = '';
    };
    if (audio) addText(slots, `${choiceChannel}:audio`, 'text', audio, 'transcript')?.afterChange(forgetSpeech);
  }
  // Tool names, annotations, citations and vendor-specific members each arrive complete.
  return [...slots, ...leaves(message, 'reply', slots)];
}

/** Returns the prefix shared by the names of all channels of a choice. */
export const channelsOf = (choice: number): string[] => [`${choice}:`];

/** Members that are read elsewhere, or are not streamed text. */
const notRunning = new Set(['content', 'refusal', 'role', 'id', 'type', 'name', 'reasoning_content', 'reasoning']);

/** Adds a delta's unknown strings, which continue from event to event like known ones. */
function addOwn(slots: TextSlot[], choiceChannel: string, delta: JsonObject): void {
  for (const name of Object.keys(delta))
    if (!notRunning.has(name) && /^[\w.-]+$/.test(name))
      addText(slots, `${choiceChannel}:own:${name}`, 'other', delta, name);
}

/**
 * Tokens that repeat the text, as strings and as bytes. Alternatives are scanned one by one. In a stream, they continue
 * from event to event.
 */
class TokensSlot implements TextSlot {
  readonly kind = 'other';
  readonly echo = true;
  readonly channel: string;
  readonly text: string;
  readonly #choice: JsonObject;

  constructor(
    channel: string,
    choice: JsonObject,
    tokens: readonly JsonObject[],
    spelled: (token: JsonObject) => string,
  ) {
    this.channel = channel;
    this.text = tokens.map(spelled).join('');
    this.#choice = choice;
  }

  set(text: string): void {
    if (text !== this.text) this.#choice.logprobs = null;
  }
}

const tokenText = ({ token }: JsonObject): string => textOf(token) ?? '';
/** Returns the bytes of a token. A character split across tokens is complete only when their bytes are joined. */
const tokenBytes = ({ bytes }: JsonObject): number[] =>
  Array.isArray(bytes) ? bytes.filter((byte): byte is number => typeof byte === 'number') : [];
const decoder = new TextDecoder();
const byteText = (token: JsonObject): string => decoder.decode(Uint8Array.from(tokenBytes(token)));

function addTokens(slots: TextSlot[], choiceChannel: string, choice: JsonObject): void {
  const logprobs = objectOf(choice.logprobs);
  for (const name of logprobs ? Object.keys(logprobs) : []) {
    const tokens = objectsOf(logprobs![name]);
    const spellings = [tokenText, byteText] as const;
    for (const [index, spelled] of spellings.entries()) {
      const slot = new TokensSlot(`${choiceChannel}:tokens:${name}:${index}`, choice, tokens, spelled);
      if (slot.text !== '') slots.push(slot);
      for (const [at, alternatives] of tokens.map(({ top_logprobs }) => objectsOf(top_logprobs)).entries()) {
        const others = new TokensSlot(
          `${choiceChannel}:tokens:${name}:${index}:${at}`,
          choice,
          alternatives,
          (token) => `${spelled(token)}\n`,
        );
        if (others.text.trim() !== '') slots.push(Object.assign(others, { whole: true, echo: false }));
      }
    }
  }
}

/** Adds content parts, which some providers stream; the text of one part continues in the next. */
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
    if (named) addJsonText(slots, `${channel}:tool:${index}`, named, 'arguments');
    const custom = objectOf(call.custom);
    if (custom) addText(slots, `${channel}:custom:${index}`, 'tool_arguments', custom, 'input');
  }
  const old = objectOf(holder.function_call);
  if (old) addJsonText(slots, `${channel}:function`, old, 'arguments');
}

/** Returns a chunk that carries text on a channel, shaped like `like`. */
export function chunkWith(channel: string, text: string, like: JsonObject): JsonObject {
  const [choice = '0', ...path] = channel.split(':');
  const { usage: _, ...head } = like;
  return { ...head, choices: [{ index: Number(choice), delta: deltaOf(path, text), finish_reason: null }] };
}

function deltaOf([name = 'content', index = '0']: string[], text: string): JsonObject {
  switch (name) {
    case 'own':
      return { [index]: text };
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
