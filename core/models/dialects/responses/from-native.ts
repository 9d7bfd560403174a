/**
 * Translates a response from a provider's own `/responses` endpoint into a chat completion, for filters and tool
 * decisions [responses.stored].
 */
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { countOf, objectOf, objectsOf, textOf } from '#core/kernel/narrow.ts';
import { member } from '../wire.ts';

/** Returns a chat completion with the provider's response id. */
export function completionOf(response: JsonObject): JsonObject {
  const output = objectsOf(response.output);
  const said = (type: string, text: string) =>
    output
      .filter((item) => item.type === 'message')
      .flatMap(({ content }) => objectsOf(content))
      .filter((part) => part.type === type)
      .map((part) => textOf(part[text]) ?? '')
      .join('');
  const reasoning = output
    .filter(({ type }) => type === 'reasoning')
    .flatMap(({ content, summary }) => [...objectsOf(content), ...objectsOf(summary)])
    .map(({ text }) => textOf(text) ?? '')
    .join('\n\n');
  const calls = output.flatMap((item) => toolCallFromItem(item) ?? []);
  const refusal = said('refusal', 'refusal');
  const message: JsonObject = {
    role: 'assistant',
    content: said('output_text', 'text') || null,
    ...(refusal !== '' && { refusal }),
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return {
    id: response.id ?? '',
    object: 'chat.completion',
    created: countOf(response.created_at) ?? 0,
    model: response.model ?? '',
    choices: [{ index: 0, message, finish_reason: finishOf(response, calls.length > 0) }],
    ...member('usage', chatUsage(response.usage)),
  };
}

/** Returns a call to one of the caller's own tools, or undefined for other items. */
export function toolCallFromItem({
  type,
  call_id,
  id,
  name,
  arguments: text,
  input,
}: JsonObject): JsonObject | undefined {
  const known = call_id ?? id ?? '';
  if (type === 'function_call')
    return { id: known, type: 'function', function: { name: name ?? '', arguments: text ?? '' } };
  if (type === 'custom_tool_call')
    return { id: known, type: 'custom', custom: { name: name ?? '', input: input ?? '' } };
  return undefined;
}

function finishOf({ status, incomplete_details }: JsonObject, calls: boolean): string {
  if (status !== 'completed')
    return objectOf(incomplete_details)?.reason === 'content_filter' ? 'content_filter' : 'length';
  return calls ? 'tool_calls' : 'stop';
}

export function chatUsage(given: Json | undefined): JsonObject | undefined {
  const usage = objectOf(given);
  if (!usage) return undefined;
  const input = countOf(usage.input_tokens) ?? 0;
  const output = countOf(usage.output_tokens) ?? 0;
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: countOf(usage.total_tokens) ?? input + output,
    prompt_tokens_details: { cached_tokens: countOf(objectOf(usage.input_tokens_details)?.cached_tokens) ?? 0 },
    completion_tokens_details: {
      reasoning_tokens: countOf(objectOf(usage.output_tokens_details)?.reasoning_tokens) ?? 0,
    },
  };
}
