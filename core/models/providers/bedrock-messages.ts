/**
 * Translates messages from Anthropic's format to Converse, which is stricter: turns alternate and are not empty; a
 * document needs text in its message, and a name from a limited character set that is unique in the request
 * [providers.converse-messages].
 */

import { invalidRequest } from '#core/kernel/errors.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { isObject, objectsOf, textOf } from '#core/kernel/narrow.ts';
import { portableId } from '#core/models/dialects/call-id.ts';
import { assertRole, cannotCarry } from '#core/models/dialects/translate/members.ts';
import { isSigned } from './anthropic.ts';

export type ConversePart = Readonly<Record<string, unknown>>;

interface Turn {
  readonly role: Json | undefined;
  readonly content: ConversePart[];
}

/**
 * Translates the messages.
 * @throws GatewayError `invalid_request` for content that Converse cannot express, or if all messages are empty.
 */
export function converseMessages(messages: readonly JsonObject[]): Turn[] {
  const names = new DocumentNames();
  const turns: Turn[] = [];
  for (const [index, message] of messages.entries()) {
    const { role, content } = message;
    assertRole(message, `messages[${index}]`, roles);
    const parts = contentParts(content, `messages[${index}].content`, names);
    if (parts.length === 0) continue;
    if (turns.at(-1)?.role === role) turns.at(-1)!.content.push(...parts);
    else turns.push({ role, content: parts });
  }
  if (messages.length > 0 && turns.length === 0)
    throw invalidRequest('This model needs a message that is not empty. Found: messages without content.', {
      param: 'messages',
    });
  for (const { content } of turns)
    if (content.some((part) => 'document' in part) && !content.some((part) => 'text' in part))
      content.push({ text: 'See the document.' });
  return turns;
}

/** Roles in Converse, which has a single system prompt before the messages. */
const roles = ['user', 'assistant'] as const;

const contentParts = (content: Json | undefined, path: string, names: DocumentNames): ConversePart[] =>
  typeof content === 'string'
    ? textPart(content)
    : objectsOf(content).flatMap((block, index) => {
        const parts = blockParts(block, `${path}[${index}]`, names);
        return parts.length === 0 ? [] : [...parts, ...cachePoint(block)];
      });

/** Returns a text part in a list. The list is empty for text without visible characters, which Converse refuses. */
const textPart = (text: string | undefined): ConversePart[] =>
  text === undefined || text.trim() === '' ? [] : [{ text }];

function blockParts(block: JsonObject, path: string, names: DocumentNames): ConversePart[] {
  switch (block.type) {
    case 'text':
      return textPart(textOf(block.text));
    case 'image':
      return [{ image: { format: formatOf(block, imageFormats), source: { bytes: sourceBytes(block, path) } } }];
    case 'document':
      return [{ document: documentOf(block, path, names) }];
    case 'tool_use':
      return [{ toolUse: { toolUseId: converseCallId(block.id), name: block.name, input: block.input ?? {} } }];
    case 'tool_result':
      return [{ toolResult: toolResultOf(block, path, names) }];
    case 'thinking':
      if (!isSigned(block)) return [];
      return [
        { reasoningContent: { reasoningText: { text: textOf(block.thinking) ?? '', signature: block.signature } } },
      ];
    case 'redacted_thinking':
      return [{ reasoningContent: { redactedContent: decodeBase64(textOf(block.data) ?? '') } }];
    default:
      throw cannotCarry(
        path,
        'blocks of type text, image, document, tool_use, tool_result, thinking',
        block.type ?? null,
      );
  }
}

function documentOf(block: JsonObject, path: string, names: DocumentNames): ConversePart {
  if (isObject(block.citations) && block.citations.enabled === true)
    throw cannotCarry(`${path}.citations`, 'enabled: false');
  const source = isObject(block.source) ? block.source : {};
  const name = names.nameOf(textOf(block.title) ?? '');
  const context = textOf(block.context) ? { context: textOf(block.context) } : {};
  if (source.type === 'text')
    return { format: 'txt', name, source: { bytes: new TextEncoder().encode(textOf(source.data) ?? '') }, ...context };
  return { format: formatOf(block, documentFormats), name, source: { bytes: sourceBytes(block, path) }, ...context };
}

/** Document names, unique within a request, with 1 to 200 of the characters that Converse accepts. */
class DocumentNames {
  readonly #taken = new Set<string>();

  nameOf(title: string): string {
    const plain =
      title
        .replace(/\s+/g, ' ')
        .replace(/[^A-Za-z0-9 ()[\]-]+/g, '-')
        .trim()
        .slice(0, longest)
        .trim() || 'document';
    let name = plain;
    for (let number = 2; this.#taken.has(name); number++) {
      const end = `-${number}`;
      name = `${plain.slice(0, longest - end.length)}${end}`;
    }
    this.#taken.add(name);
    return name;
  }
}
const longest = 200;

function toolResultOf(
  { tool_use_id, content, is_error }: JsonObject,
  path: string,
  names: DocumentNames,
): ConversePart {
  const parts = contentParts(content, `${path}.content`, names);
  return {
    toolUseId: converseCallId(tool_use_id),
    // Converse accepts neither a result without content nor blank text.
    content: parts.length > 0 ? parts : [{ text: 'The result is empty.' }],
    ...(is_error === true && { status: 'error' }),
  };
}

/** Returns a call id that uses only characters Converse accepts. */
const converseCallId = (id: Json | undefined): Json | undefined => (typeof id === 'string' ? portableId(id) : id);

const lifetimes: ReadonlySet<unknown> = new Set(['5m', '1h']);
/** Checks whether Converse supports the cache lifetime of a breakpoint. */
export const isKnownLifetime = (control: Json | undefined): boolean =>
  !isObject(control) || control.ttl === undefined || control.ttl === null || lifetimes.has(control.ttl);

export const cachePoint = ({ cache_control: control }: JsonObject): ConversePart[] =>
  isObject(control)
    ? [{ cachePoint: { type: 'default', ...(lifetimes.has(control.ttl) && { ttl: control.ttl }) } }]
    : [];

/** Converse formats by media type. For other types, the format is the subtype. */
const imageFormats: ReadonlyMap<string, string> = new Map([['image/jpg', 'jpeg']]);
const documentFormats: ReadonlyMap<string, string> = new Map([
  ['text/plain', 'txt'],
  ['text/markdown', 'md'],
  ['application/msword', 'doc'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
  ['application/vnd.ms-excel', 'xls'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
]);

function formatOf({ source }: JsonObject, formats: ReadonlyMap<string, string>): string {
  const type = (textOf(isObject(source) ? source.media_type : undefined) ?? '').toLowerCase();
  return formats.get(type) ?? type.replace(/^[^/]*\//, '');
}

function sourceBytes({ source }: JsonObject, path: string): Uint8Array {
  const type = isObject(source) ? source.type : undefined;
  if (!isObject(source) || type !== 'base64') throw cannotCarry(`${path}.source`, 'base64', type ?? null);
  return decodeBase64(textOf(source.data) ?? '');
}

const decodeBase64 = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, 'base64'));
