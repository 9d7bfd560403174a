/**
 * Text in a wire object outside the members that the dialect knows: names, schemas, metadata, citations, new provider
 * members. A model or a person may read any of it, so filters read everything not known to be opaque
 * [content.every-text].
 */
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { embeddedId } from './call-id.ts';
import type { TextSlot } from './dialect.ts';
import { type EmbeddedText, embeddedBase64, embeddedUrl, isBroken } from './embedded.ts';

/** Members that contain identifiers, enum values or ciphertext. Values of any other shape are scanned. */
const opaque: ReadonlyMap<string, RegExp> = new Map([
  ...['id', 'tool_use_id', 'tool_call_id', 'call_id', 'item_id', 'file_id', 'container_id', 'system_fingerprint'].map(
    (name): [string, RegExp] => [name, /^[\w.:/-]{1,128}$/],
  ),
  ...['type', 'role', 'object', 'model', 'finish_reason', 'stop_reason', 'service_tier', 'media_type', 'detail'].map(
    (name): [string, RegExp] => [name, /^[\w.:/+-]{1,128}$/],
  ),
  ...['signature', 'encrypted_content', 'encrypted_index', 'encrypted_stdout'].map((name): [string, RegExp] => [
    name,
    /^[A-Za-z0-9+/_=-]*$/,
  ]),
]);

/** Members that contain the id of a tool call. */
const ids: ReadonlySet<string> = new Set(['id', 'tool_use_id', 'tool_call_id', 'call_id']);

/** Members that contain files in base64. */
const files: ReadonlySet<string> = new Set(['data', 'file_data', 'b64_json']);

/** Words from JSON Schema and the dialects, which are not scanned when used as member names. */
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
  ...['role', 'content', 'text', 'source', 'data', 'media_type', 'url', 'image_url', 'detail', 'file', 'filename'],
  ...['file_data', 'id', 'tool_calls', 'tool_call_id', 'tool_use_id', 'arguments', 'input', 'title', 'cache_control'],
  ...['signature', 'thinking', 'citations', 'is_error', 'refusal', 'audio', 'format', 'input_audio', 'function_call'],
]);

class LeafSlot implements TextSlot {
  readonly kind = 'other';
  readonly whole = true;
  readonly channel: string;
  readonly #holder: JsonObject;
  readonly #key: string;
  readonly #inside: EmbeddedText | undefined;
  /** Embedded text, decoded once. */
  #embedded: string;

  constructor(channel: string, holder: JsonObject, key: string, inside?: EmbeddedText) {
    this.channel = channel;
    this.#holder = holder;
    this.#key = key;
    this.#inside = inside;
    this.#embedded = inside?.read() ?? '';
  }

  get text(): string {
    return this.#inside ? this.#embedded : (this.#holder[this.#key] as string);
  }

  set(text: string): void {
    if (text === this.text) return;
    this.#embedded = text;
    this.#holder[this.#key] = this.#inside ? this.#inside.write(text) : text;
  }
}

/** Joined member names, which are scanned but cannot be replaced. */
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
    if (text !== this.text) throw new Error('the text to be redacted is in names of members');
  }
}

const isRead = (key: string, text: string): boolean =>
  text !== '' && (opaque.get(key)?.test(text) !== true || (ids.has(key) && embeddedId(text) !== undefined));

/** Returns the slots in which filters read a single text. */
function leavesOf(channel: string, holder: JsonObject, key: string, text: string): LeafSlot[] {
  const type = typeof holder.media_type === 'string' ? holder.media_type : '';
  const inside =
    (ids.has(key) ? embeddedId(text) : undefined) ??
    embeddedUrl(text) ??
    (files.has(key) ? embeddedBase64(text, type) : undefined);
  if (inside === 'opaque') return isBroken(text) ? [new LeafSlot(channel, holder, key)] : [];
  if (inside === undefined) return [new LeafSlot(channel, holder, key)];
  const slot = new LeafSlot(channel, holder, key, inside);
  return isBroken(text) ? [slot, new LeafSlot(channel, holder, key)] : [slot];
}

interface LeafOptions {
  /** True if member names count as text as well: in schemas and in members that the dialect does not know. */
  readonly names?: boolean;
}

/** Maximum number of places that are compared one by one. */
const fewPlaces = 4;

/** Returns a function that checks whether a member already has a slot. */
function takenBy(known: readonly Pick<TextSlot, 'place'>[]): (holder: object, key: string) => boolean {
  const places: NonNullable<TextSlot['place']>[] = [];
  for (const { place } of known) if (place) places.push(place);
  if (places.length <= fewPlaces)
    return (holder, key) => {
      for (const place of places) if (place.holder === holder && place.key === key) return true;
      return false;
    };
  const taken = new Map<object, Set<string>>();
  for (const { holder, key } of places) taken.set(holder, (taken.get(holder) ?? new Set()).add(key));
  return (holder, key) => taken.get(holder)?.has(key) === true;
}

/** Returns all text in `value`, at any depth, that has no slot in `known`. */
export function leaves(
  value: Json | undefined,
  channel: string,
  known: readonly Pick<TextSlot, 'place'>[] = [],
  { names = false }: LeafOptions = {},
): TextSlot[] {
  const isTaken = takenBy(known);
  const slots: TextSlot[] = [];
  const found: string[] = [];
  const walk = (holder: Json | undefined, path: string): void => {
    if (typeof holder !== 'object' || holder === null) return;
    const parts = holder as JsonObject;
    for (const key of Object.keys(parts)) {
      if (isTaken(parts, key)) continue;
      const item = parts[key];
      if (names && isObject(holder) && !usualNames.has(key)) found.push(key);
      if (typeof item === 'string' ? !isRead(key, item) : typeof item !== 'object') continue;
      const at = Array.isArray(holder) ? `${path}[${key}]` : `${path}.${key}`;
      if (typeof item === 'string') slots.push(...leavesOf(at, parts, key, item));
      else walk(item, at);
    }
  };
  // A bare string has no holder in which it can be replaced, so the caller passes the containing object.
  walk(value, channel);
  if (found.length > 0) slots.push(new NamesSlot(`${channel}#names`, [...new Set(found)]));
  return slots;
}
