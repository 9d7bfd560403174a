/**
 * Reads from a chat request what its model has seen: the person's words, the host's instructions, tool results
 * [provenance.prompt].
 */

import { system, trusted } from '#core/contracts/provenance.ts';
import { asText } from '#core/kernel/as-text.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { objectsOf, textOf } from '#core/kernel/narrow.ts';
import { formsOfValue } from './texts-of.ts';
import type { SeenText } from './trace.ts';

/** One part of a conversation. The model's own messages do not count as parts, since they may repeat anything. */
interface ConversationPart {
  readonly label: string;
  /** Location of the part, such as `message 4`, counted from 1. */
  readonly where: string;
  readonly value: Json;
}

/**
 * Returns the parts of a conversation.
 * @param body body of a chat completions or messages request.
 * @param onlyNew limits them to parts after the model's last message, since earlier requests contained the others.
 */
export function conversationParts(body: JsonObject, onlyNew = false): ConversationPart[] {
  const tools = new Map<string, string>();
  const said: ConversationPart[] =
    body.system === undefined ? [] : [{ label: system, where: 'system', value: body.system }];
  const messages = objectsOf(body.messages);
  const since = onlyNew ? messages.findLastIndex(({ role }) => role === 'assistant') : -1;
  for (const [at, message] of messages.entries()) {
    const where = `message ${at + 1}`;
    noteCalls(message, tools);
    if (at > since) said.push(...messageParts(message, tools).map((part) => ({ ...part, where })));
  }
  return said;
}

/** Returns the parts as searchable text. Their forms are computed on first use. */
export const conversationSources = (body: JsonObject): SeenText[] =>
  conversationParts(body).map(({ label, where, value }) => {
    let forms: ReadonlySet<string> | undefined;
    return {
      label,
      where,
      has: (form) => {
        forms ??= formsOfValue(value).forms;
        return forms.has(form);
      },
    };
  });

/** Records which tool each call id refers to. */
function noteCalls({ tool_calls, content }: JsonObject, tools: Map<string, string>): void {
  for (const { id, function: called, custom } of objectsOf(tool_calls)) {
    const named = (called ?? custom) as JsonObject | undefined;
    if (textOf(id) !== undefined) tools.set(textOf(id)!, textOf(named?.name) ?? '');
  }
  for (const { type, id, name } of objectsOf(content))
    if (type === 'tool_use' && textOf(id) !== undefined) tools.set(textOf(id)!, textOf(name) ?? '');
}

/** Returns a tool's label. A result without a matching call gets the label of an unnamed tool. */
const toolLabel = (name = ''): string => `tool:${plainName.test(name) ? name.toLowerCase() : 'unnamed'}`;

/** Restricts names, which come from the caller and appear in evidence and on cards. */
const plainName = /^[\w.:/-]{1,128}$/;

function messageParts(message: JsonObject, tools: ReadonlyMap<string, string>): Omit<ConversationPart, 'where'>[] {
  const { role, content = null, tool_call_id, name } = message;
  switch (role) {
    case 'user': {
      const results = objectsOf(content).filter(isResult);
      const own = Array.isArray(content) ? content.filter((part) => !isResult(part as JsonObject)) : content;
      return [
        ...results.map((part) => ({
          label: toolLabel(tools.get(textOf(part.tool_use_id) ?? '')),
          value: part.content ?? null,
        })),
        { label: trusted, value: texts(own) },
      ];
    }
    case 'system':
    case 'developer':
      return [{ label: system, value: texts(content) }];
    case 'tool':
    case 'function':
      return [{ label: toolLabel(tools.get(textOf(tool_call_id) ?? '') ?? textOf(name)), value: content }];
    // Results of tools run by the provider are part of the assistant's message.
    case 'assistant':
      return objectsOf(content)
        .filter(isResult)
        .map((part) => ({
          label: toolLabel(tools.get(textOf(part.tool_use_id) ?? '') ?? textOf(part.type)),
          value: part.content ?? null,
        }));
    default:
      return [{ label: toolLabel(undefined), value: content }];
  }
}

const isResult = (part: Json): boolean => /tool_result$/.test(textOf((part as JsonObject | null)?.type) ?? '');

/** Returns the text typed by the person. Documents and images in a message were created by others. */
function texts(content: Json): Json {
  if (!Array.isArray(content)) return content;
  return content.flatMap((part) =>
    typeof part === 'string'
      ? [part]
      : ['text', 'input_text'].includes(asText((part as JsonObject | null)?.type))
        ? [(part as JsonObject).text ?? null]
        : [],
  );
}
