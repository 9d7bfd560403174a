/** Translates Anthropic's system prompt and turns into the messages of a chat completions request. */
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { isObject, objectOf, objectsOf, textOf } from '#core/kernel/narrow.ts';
import { vendorId, withVendorMembers } from '../call-id.ts';
import { blankLine } from '../system-prompt.ts';
import { assertRole, assertTexts, cannotCarry, type Note, noteBlock, noteRest, rolesOfAnthropic } from './members.ts';

/**
 * Translates the turns. Tool results become tool messages before the rest of their turn, because they must directly
 * follow their calls. Thinking and actions of the provider's own tools are left out, because only Anthropic can read
 * them.
 */
export function toOpenaiMessages(body: JsonObject, note: Note): JsonObject[] {
  assertTexts(body.system, 'system');
  const system = joinTexts(body.system);
  for (const block of objectsOf(body.system)) noteBlock(block, 'system', note);
  for (const [index, message] of objectsOf(body.messages).entries()) {
    assertRole(message, `messages[${index}]`, rolesOfAnthropic);
    noteRest(message, ['role', 'content'], 'messages', note);
    for (const block of objectsOf(message.content)) noteBlock(block, 'messages.content', note);
  }
  return [
    ...(system === '' ? [] : [{ role: 'system', content: system }]),
    ...objectsOf(body.messages).flatMap((message, index) => messagesOf(message, `messages[${index}].content`, note)),
  ];
}

/** Returns the path of the message, or of the system prompt, that became the message at an index. */
export function originOfMessage(body: JsonObject, index: number): string | undefined {
  const origins = joinTexts(body.system) === '' ? [] : ['system'];
  for (const [at, message] of objectsOf(body.messages).entries()) {
    const path = `messages[${at}]`;
    origins.push(...messagesOf(message, `${path}.content`, () => {}).map(() => path));
  }
  return origins[index];
}

const joinTexts = (content: Json | undefined): string =>
  typeof content === 'string'
    ? content
    : objectsOf(content)
        .map(({ text }) => textOf(text) ?? '')
        .join(blankLine);

function messagesOf(message: JsonObject, path: string, note: Note): JsonObject[] {
  if (message.role === 'system') {
    assertTexts(message.content, path);
    return [{ role: 'system', content: joinTexts(message.content) }];
  }
  if (message.role === 'assistant') return assistantOf(message.content, note);
  if (typeof message.content === 'string') return [{ role: 'user', content: message.content }];
  const results: JsonObject[] = [];
  const parts: JsonObject[] = [];
  for (const [index, block] of objectsOf(message.content).entries()) {
    if (block.type !== 'tool_result') parts.push(...contentParts(block, `${path}[${index}]`));
    else {
      const { texts, others } = toolResult(block, `${path}[${index}]`);
      results.push({ role: 'tool', tool_call_id: vendorId(textOf(block.tool_use_id) ?? ''), content: texts });
      parts.push(...others);
    }
  }
  return parts.length > 0 ? [...results, { role: 'user', content: plainOr(parts) }] : results;
}

/**
 * Returns the text of a result separately from its other parts: a tool message carries text only, so images are moved
 * to the user message after it.
 */
function toolResult(block: JsonObject, path: string): { texts: string; others: JsonObject[] } {
  const parts =
    typeof block.content === 'string'
      ? [{ type: 'text', text: block.content }]
      : objectsOf(block.content).flatMap((part, index) => contentParts(part, `${path}.content[${index}]`));
  const text = parts.flatMap((part) => (part.type === 'text' ? [textOf(part.text) ?? ''] : [])).join('\n');
  return {
    texts: block.is_error === true ? `Error: ${text}` : text,
    others: parts.filter((part) => part.type !== 'text'),
  };
}

function assistantOf(content: Json | undefined, note: Note): JsonObject[] {
  if (typeof content === 'string') return [{ role: 'assistant', content }];
  const blocks = objectsOf(content);
  for (const { type } of blocks) if (type !== 'text' && type !== 'tool_use') note(`messages.${textOf(type) ?? ''}`);
  const text = blocks.flatMap((block) => (block.type === 'text' ? [textOf(block.text) ?? ''] : [])).join('');
  const calls = blocks
    .filter((block) => block.type === 'tool_use')
    .map(({ id, name, input }) =>
      withVendorMembers({
        id: id ?? '',
        type: 'function',
        function: { name: name ?? '', arguments: JSON.stringify(input ?? {}) },
      }),
    );
  if (text === '' && calls.length === 0) return [];
  return [{ role: 'assistant', content: text === '' ? null : text, ...(calls.length > 0 && { tool_calls: calls }) }];
}

function contentParts(block: JsonObject, path: string): JsonObject[] {
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: block.text ?? '' }];
    case 'image':
      return [{ type: 'image_url', image_url: { url: sourceUrl(objectOf(block.source) ?? {}, path) } }];
    case 'document':
      return documentOf(block, path);
    case 'search_result': {
      refuseCitations(block, path);
      assertTexts(block.content, `${path}.content`);
      const head = [block.title, block.source].filter((text) => typeof text === 'string').join(blankLine);
      return [{ type: 'text', text: [head, joinTexts(block.content)].join(blankLine) }];
    }
    default:
      throw cannotCarry(path, 'blocks of type text, image, document and tool_result', block.type ?? null);
  }
}

/** Refuses citations, because the response would lack citations that a program reads. */
function refuseCitations({ citations }: JsonObject, path: string): void {
  if (objectOf(citations)?.enabled === true) throw cannotCarry(`${path}.citations`, 'enabled: false');
}

function documentOf(block: JsonObject, path: string): JsonObject[] {
  refuseCitations(block, path);
  const source = objectOf(block.source) ?? {};
  const title = textOf(block.title);
  const head = [title, textOf(block.context)].filter((text) => text).map((text) => ({ type: 'text', text: text! }));
  if (source.type === 'text') return [...head, { type: 'text', text: source.data ?? '' }];
  if (source.type === 'content') {
    const inner: Json | undefined =
      typeof source.content === 'string' ? [{ type: 'text', text: source.content }] : source.content;
    const parts = Array.isArray(inner) ? inner.filter(isObject) : [];
    return [...head, ...parts.flatMap((part, index) => contentParts(part, `${path}.source.content[${index}]`))];
  }
  if (source.type !== 'base64') throw cannotCarry(`${path}.source`, 'base64 and text', source.type ?? null);
  return [{ type: 'file', file: { filename: title ?? 'document.pdf', file_data: sourceUrl(source, path) } }];
}

/** Returns the URL of an image or document: the source's own URL, or a data URL. */
function sourceUrl(source: JsonObject, path: string): string {
  const url = textOf(source.url);
  if (source.type === 'url' && url !== undefined) return url;
  const data = textOf(source.data);
  if (source.type === 'base64' && data !== undefined) return `data:${textOf(source.media_type) ?? ''};base64,${data}`;
  throw cannotCarry(`${path}.source`, 'base64 and url', source.type ?? null);
}

/**
 * Returns a single plain text part as a string, which every server of this dialect can read. Returns other parts
 * unchanged.
 */
function plainOr(parts: JsonObject[]): Json {
  const [only, second] = parts;
  return second === undefined && only?.type === 'text' ? (only.text ?? '') : parts;
}
