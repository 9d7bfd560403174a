/** Finds readable text inside wire objects and replaces it. */
import type { JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import type { TextSlot } from './dialect.ts';
import { leaves } from './leaves.ts';
import { argumentsOf } from './wire.ts';

type SlotKind = TextSlot['kind'];

/** Text of one member, read from and written to its object. */
class MemberSlot implements TextSlot {
  readonly channel: string;
  readonly kind: SlotKind;
  group?: string;
  readonly #holder: JsonObject;
  readonly #key: string;
  readonly json: boolean;
  #changed: (() => void) | undefined;

  constructor(channel: string, kind: SlotKind, holder: JsonObject, key: string, json = false) {
    this.json = json;
    this.channel = channel;
    this.kind = kind;
    this.#holder = holder;
    this.#key = key;
  }

  get text(): string {
    return this.#holder[this.#key] as string;
  }

  get place() {
    return { holder: this.#holder, key: this.#key };
  }

  set(text: string): void {
    if (text === this.text) return;
    this.#holder[this.#key] = text;
    this.#changed?.();
  }

  /** @param changed called when this text is replaced. */
  afterChange(changed: () => void): void {
    this.#changed = changed;
  }
}

/** Object read as JSON text (tool input). If the changed text is not a JSON object, it is stored under `_raw`. */
class JsonSlot implements TextSlot {
  readonly json = true;
  /** True if no later event continues the text, even in a stream. */
  whole = false;
  readonly channel: string;
  readonly kind: SlotKind;
  group?: string;
  #text: string;
  readonly #holder: JsonObject;
  readonly #key: string;

  constructor(channel: string, kind: SlotKind, holder: JsonObject, key: string) {
    this.channel = channel;
    this.kind = kind;
    this.#holder = holder;
    this.#key = key;
    this.#text = JSON.stringify(holder[key]);
  }

  get text(): string {
    return this.#text;
  }

  get place() {
    return { holder: this.#holder, key: this.#key };
  }

  set(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    this.#holder[this.#key] = argumentsOf(text);
  }
}

/**
 * Adds a slot for `holder[key]` if it is a non-empty string.
 * @returns the added slot.
 */
export function addText(
  slots: TextSlot[],
  channel: string,
  kind: SlotKind,
  holder: JsonObject,
  key: string,
): MemberSlot | undefined {
  const value = holder[key];
  if (typeof value !== 'string' || value === '') return undefined;
  const slot = new MemberSlot(channel, kind, holder, key);
  slots.push(slot);
  return slot;
}

/** Adds `holder[key]` if it is JSON text: the arguments of a call. */
export function addJsonText(slots: TextSlot[], channel: string, holder: JsonObject, key: string): void {
  const value = holder[key];
  if (typeof value === 'string' && value !== '')
    slots.push(new MemberSlot(channel, 'tool_arguments', holder, key, true));
}

/**
 * Adds a call's `input` as JSON text if it is a non-empty object.
 * @returns the added slot.
 */
export function addInput(slots: TextSlot[], channel: string, holder: JsonObject): JsonSlot | undefined {
  const { input } = holder;
  if (!isObject(input) || Object.keys(input).length === 0) return undefined;
  const slot = new JsonSlot(channel, 'tool_arguments', holder, 'input');
  slots.push(slot);
  return slot;
}

/** Members of content parts that are read as text, in both dialects and in tool results. */
const readable = ['title', 'context', 'text', 'stdout', 'stderr'] as const;

/** Adds all readable text in `holder[key]`: a string, parts, or parts within parts. */
export function addContent(slots: TextSlot[], channel: string, kind: SlotKind, holder: JsonObject, key: string): void {
  const content = holder[key];
  if (typeof content === 'string') addText(slots, channel, kind, holder, key);
  else if (Array.isArray(content)) {
    for (const [index, part] of content.entries())
      if (isObject(part)) addPart(slots, `${channel}[${index}]`, kind, part);
  } else if (isObject(content)) addPart(slots, channel, kind, content);
}

/** Adds all readable text of one content part. */
export function addPart(slots: TextSlot[], channel: string, kind: SlotKind, part: JsonObject): void {
  const own = typeof part.type === 'string' && part.type.endsWith('tool_result') ? 'tool_result' : kind;
  for (const name of readable) addText(slots, `${channel}.${name}`, own, part, name);
  addText(slots, `${channel}.refusal`, 'refusal', part, 'refusal');
  addContent(slots, `${channel}.thinking`, 'reasoning', part, 'thinking');
  addInput(slots, `${channel}.input`, part);
  addContent(slots, `${channel}.content`, own, part, 'content');
  const source = part.source;
  if (!isObject(source)) return;
  if (source.type === 'text') addText(slots, `${channel}.source.data`, own, source, 'data');
  addContent(slots, `${channel}.source.content`, own, source, 'content');
}

/** Returns text that a model may read outside the messages: tools, schemas, and members unknown to the dialect. */
export function definitions(body: JsonObject, others: ReadonlySet<string>): TextSlot[] {
  const texts: TextSlot[] = [];
  const inside: TextSlot[] = [];
  for (const name of Object.keys(body)) {
    const value = body[name];
    if (others.has(name)) continue;
    if (typeof value === 'string') addText(texts, name, 'other', body, name);
    else if (typeof value === 'object') inside.push(...leaves(value, name, [], { names: true }));
  }
  return [...texts, ...inside];
}

/**
 * Puts all slots and all other text in `value`, including the names of unknown members, into one group.
 * @param channel channel for the other text.
 */
export function grouped(slots: TextSlot[], channel: string, value: JsonObject, group = channel): TextSlot[] {
  for (const slot of slots) slot.group = group;
  return [...slots, ...leaves(value, channel, slots, { names: true })];
}

/** Roles whose adjacent messages continue each other. Tool results are separate, even if adjacent. */
const continuing: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system', 'developer']);

/** Returns the group of each message. Providers read adjacent messages with the same role as one turn. */
export function turnsOf(messages: readonly JsonObject[]): string[] {
  let turn = 0;
  return messages.map(({ role }, at) => {
    if (at === 0 || role !== messages[at - 1]!.role || !continuing.has(role)) turn = at;
    return `messages[${turn}]`;
  });
}
