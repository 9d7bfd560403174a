/** A chat request as what its model has seen: words of the person, instructions of the host, results of tools [provenance.chat]. */

import { system, trusted } from '#core/contracts/provenance.ts';
import { asText } from '#core/kernel/as-text.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { objectsOf, textOf } from '#core/kernel/narrow.ts';
import { formsOfValue } from './texts-of.ts';
import type { SeenText } from './trace.ts';

/** One part of a conversation. What the model itself said is none: it may repeat anything. */
interface ConversationPart {
  readonly label: string;
  /** `message 4`, counted from 1. */
  readonly where: string;
  readonly value: Json;
}

/**
 * @param body of a chat completions or messages request.
 * @param onlyNew what came after the last message of the model: the rest came with earlier requests.
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
    if (at > since) said.push(...partsOf(message, tools).map((part) => ({ ...part, where })));
  }
  return said;
}

/** The parts as something to look into; their forms are made when they are first asked. */
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

/** Which tool each id of a call names. */
function noteCalls({ tool_calls, content }: JsonObject, tools: Map<string, string>): void {
  for (const { id, function: called, custom } of objectsOf(tool_calls)) {
    const named = (called ?? custom) as JsonObject | undefined;
    if (textOf(id) !== undefined) tools.set(textOf(id)!, textOf(named?.name) ?? '');
  }
  for (const { type, id, name } of objectsOf(content))
    if (type === 'tool_use' && textOf(id) !== undefined) tools.set(textOf(id)!, textOf(name) ?? '');
}

/** A result whose call is not in the conversation is one of an unnamed tool. */
const toolLabel = (name = ''): string => `tool:${plainName.test(name) ? name.toLowerCase() : 'unnamed'}`;

/** Names come from the caller and stand in evidence and on cards. */
const plainName = /^[\w.:/-]{1,128}$/;

function partsOf(message: JsonObject, tools: ReadonlyMap<string, string>): Omit<ConversationPart, 'where'>[] {
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
    // Tools that the provider runs put their results among what the model said.
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

/** Only what the person typed: a document or picture in their message was written by others. */
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
