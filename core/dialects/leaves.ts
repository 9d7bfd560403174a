/**
 * The texts of a wire object that no member of the dialect is known for: names, schemas, metadata, citations, members that
 * a provider added last month. A model or a person may read any of them, so filters look at all that are not known to be
 * opaque [content.every-text].
 */
import type { Json, JsonObject } from '#core/kernel/json.ts';
import type { TextSlot } from './dialect.ts';
import { isObject } from './wire.ts';

/** Members that hold identifiers, enumerated words or ciphertext; a value of another shape under them is looked at. */
const opaque: Readonly<Record<string, RegExp>> = Object.fromEntries([
  ...['id', 'tool_use_id', 'tool_call_id', 'call_id', 'item_id', 'file_id', 'container_id', 'system_fingerprint'].map(
    (name) => [name, /^[\w.:/-]{1,128}$/],
  ),
  ...['type', 'role', 'object', 'model', 'finish_reason', 'stop_reason', 'service_tier', 'media_type', 'detail'].map(
    (name) => [name, /^[\w.:/+-]{1,128}$/],
  ),
  ...['signature', 'encrypted_content', 'encrypted_index', 'encrypted_stdout', 'data', 'file_data', 'b64_json'].map(
    (name) => [name, /^[A-Za-z0-9+/_=-]*$/],
  ),
]);

/** Words of JSON Schema and of the dialects: as names of members they say nothing. */
const usualNames = new Set([
  ...[
    'type',
    'function',
    'name',
    'description',
    'parameters',
    'properties',
    'required',
    'items',
    'enum',
    'input_schema',
  ],
  ...[
    'additionalProperties',
    'strict',
    'default',
    'title',
    'format',
    'anyOf',
    'oneOf',
    'allOf',
    'schema',
    'json_schema',
  ],
]);

/** Embedded files whose bytes are not text. */
const binaryUrl =
  /^data:(?!text\/|application\/(?:json|xml|yaml|x-))[\w.+/-]*(?:;[\w=.+-]*)*;base64,[A-Za-z0-9+/=_-]*$/;

/** Embedded files whose bytes are text, in base64. */
const textUrl =
  /^(data:(?:text\/[\w.+-]+|application\/(?:json|xml|yaml|x-[\w.+-]+))(?:;[\w=.+-]*)*;base64,)([A-Za-z0-9+/=_-]*)$/;
const textType = /^(?:text\/|application\/(?:json|xml|yaml|x-))/;

class LeafSlot implements TextSlot {
  readonly kind = 'other';
  readonly whole = true;
  readonly channel: string;
  readonly #holder: JsonObject;
  readonly #key: string;
  readonly #read: (stored: string) => string;
  readonly #write: (text: string, stored: string) => string;

  constructor(
    channel: string,
    holder: JsonObject,
    key: string,
    read: (stored: string) => string = (stored) => stored,
    write: (text: string, stored: string) => string = (text) => text,
  ) {
    this.channel = channel;
    this.#holder = holder;
    this.#key = key;
    this.#read = read;
    this.#write = write;
  }

  get text(): string {
    return this.#read(this.#holder[this.#key] as string);
  }

  set(text: string): void {
    if (text !== this.text) this.#holder[this.#key] = this.#write(text, this.#holder[this.#key] as string);
  }
}

/** Names of members, together: what stands in them is read, and cannot be replaced. */
class NamesSlot implements TextSlot {
  readonly kind = 'other';
  readonly whole = true;
  readonly channel: string;
  readonly text: string;

  constructor(channel: string, names: readonly string[]) {
    this.channel = channel;
    this.text = names.join('\n');
  }

  set(text: string): void {
    if (text !== this.text) throw new Error('what is to be redacted stands in names of members');
  }
}

const decoded = (base64: string): string => Buffer.from(base64, 'base64').toString('utf8');
const encoded = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

/** The slot of one text that is not opaque; undefined where no filter reads it. */
function leaf(channel: string, holder: JsonObject, key: string, text: string): LeafSlot | undefined {
  if (key === 'data' && typeof holder.media_type === 'string' && textType.test(holder.media_type))
    return new LeafSlot(channel, holder, key, decoded, encoded);
  if (textUrl.test(text))
    return new LeafSlot(
      channel,
      holder,
      key,
      (stored) => decoded(textUrl.exec(stored)?.[2] ?? ''),
      (changed, stored) => `${textUrl.exec(stored)?.[1] ?? ''}${encoded(changed)}`,
    );
  if (text === '' || binaryUrl.test(text) || opaque[key]?.test(text)) return undefined;
  return new LeafSlot(channel, holder, key);
}

export interface LeafOptions {
  /** Whether names of members are texts, too: in schemas and in members the dialect does not know. */
  readonly names?: boolean;
}

/** Every text of `value` at any depth that no slot of `known` stands for. */
export function leaves(
  value: Json | undefined,
  channel: string,
  known: readonly TextSlot[] = [],
  { names = false }: LeafOptions = {},
): TextSlot[] {
  const taken = new Map<object, Set<string>>();
  for (const { place } of known)
    if (place) taken.set(place.holder, (taken.get(place.holder) ?? new Set()).add(place.key));
  const slots: TextSlot[] = [];
  const found: string[] = [];
  const walk = (holder: Json | undefined, path: string): void => {
    if (typeof holder !== 'object' || holder === null) return;
    const parts = holder as JsonObject;
    for (const key of Object.keys(parts)) {
      if (taken.get(parts)?.has(key)) continue;
      const item = parts[key];
      const at = Array.isArray(holder) ? `${path}[${key}]` : `${path}.${key}`;
      if (names && isObject(holder) && !usualNames.has(key)) found.push(key);
      if (typeof item === 'string') {
        const slot = leaf(at, parts, key, item);
        if (slot) slots.push(slot);
      } else walk(item, at);
    }
  };
  // A text by itself has no holder to be replaced in; its object is the caller's to pass.
  walk(value, channel);
  if (found.length > 0) slots.push(new NamesSlot(`${channel}#names`, [...new Set(found)]));
  return slots;
}
