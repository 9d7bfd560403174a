/** Translates Converse responses, complete and streamed, into Anthropic's format. */

import type { Json, JsonObject } from '#core/kernel/json.ts';
import { countOf, textOf } from '#core/kernel/narrow.ts';
import { estimateTokens } from '#core/models/dialects/count-tokens.ts';
import type { ProviderCall } from './ports.ts';
import { BadReply, defined } from './reply.ts';

type ConversePart = Readonly<Record<string, unknown>>;

/** Translates a complete output. @throws BadReply if the output has no message. */
export function converseReply(output: ConversePart, model: string, requestId: string): JsonObject {
  const message = (output.output as ConversePart | undefined)?.message as ConversePart | undefined;
  if (!Array.isArray(message?.content)) throw new BadReply('it has no message');
  return {
    id: messageId(requestId),
    type: 'message',
    role: 'assistant',
    model,
    content: message.content.flatMap(blockOf),
    stop_reason: stopReason(output.stopReason),
    stop_sequence: null,
    usage: anthropicUsage(output.usage),
  };
}

/**
 * Translates events. The stream completes normally only after Converse has reported its stop reason. @throws BadReply
 */
export async function* converseEvents(
  events: AsyncIterable<ConversePart>,
  { model, body }: ProviderCall,
  requestId: string,
): AsyncGenerator<JsonObject, undefined> {
  const open = new Set<number>();
  let stopped: Json = null;
  let usage: JsonObject = {};
  for await (const event of events) {
    const { messageStart, contentBlockStart, contentBlockDelta, contentBlockStop, messageStop, metadata } =
      event as Record<string, ConversePart | undefined>;
    if (messageStart) yield startOf(model, body, requestId);
    else if (contentBlockStart) {
      const index = Number(contentBlockStart.contentBlockIndex);
      open.add(index);
      yield { type: 'content_block_start', index, content_block: openedBlock(contentBlockStart.start as ConversePart) };
    } else if (contentBlockDelta) {
      const index = Number(contentBlockDelta.contentBlockIndex);
      const delta = deltaOf(contentBlockDelta.delta as ConversePart);
      if (!delta) continue;
      // Converse sends a start event only for tool calls; text and reasoning begin with their first delta.
      if (!open.has(index)) yield { type: 'content_block_start', index, content_block: emptyBlock(delta) };
      open.add(index);
      if (delta.type !== 'redacted') yield { type: 'content_block_delta', index, delta };
    } else if (contentBlockStop) {
      yield { type: 'content_block_stop', index: Number(contentBlockStop.contentBlockIndex) };
    } else if (messageStop) stopped = stopReason(messageStop.stopReason);
    else if (metadata) {
      usage = anthropicUsage(metadata.usage);
      // This is the last event, whether or not the connection closes after it.
      if (stopped !== null) break;
    }
  }
  if (stopped === null) throw new BadReply('the stream ended early');
  yield { type: 'message_delta', delta: { stop_reason: stopped, stop_sequence: null }, usage };
  yield { type: 'message_stop' };
}

/**
 * Returns the start of a message. Converse sends counts only at the end, so the input count is estimated, as for other
 * providers.
 */
const startOf = (model: string, body: JsonObject, requestId: string): JsonObject => ({
  type: 'message_start',
  message: {
    id: messageId(requestId),
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: estimateTokens('anthropic', body), output_tokens: 0 },
  },
});

const messageId = (requestId: string) => `msg_bdrk_${requestId}`;

function blockOf(part: ConversePart): JsonObject[] {
  const { text, toolUse, reasoningContent } = part as Record<string, JsonObject | undefined>;
  if (typeof text === 'string') return [{ type: 'text', text }];
  if (toolUse)
    return [{ type: 'tool_use', id: toolUse.toolUseId ?? '', name: toolUse.name ?? '', input: toolUse.input ?? {} }];
  if (!reasoningContent) return [];
  const { reasoningText, redactedContent } = reasoningContent as Record<string, unknown>;
  if (redactedContent instanceof Uint8Array) return [{ type: 'redacted_thinking', data: toBase64(redactedContent) }];
  const { text: thinking, signature } = (reasoningText ?? {}) as JsonObject;
  return [{ type: 'thinking', thinking: textOf(thinking) ?? '', signature: textOf(signature) ?? '' }];
}

function openedBlock(start: ConversePart | undefined): JsonObject {
  const toolUse = start?.toolUse as JsonObject | undefined;
  if (!toolUse) return { type: 'text', text: '' };
  return { type: 'tool_use', id: toolUse.toolUseId ?? '', name: toolUse.name ?? '', input: {} };
}

function deltaOf(delta: ConversePart | undefined): JsonObject | undefined {
  const { text, toolUse, reasoningContent } = (delta ?? {}) as Record<string, unknown>;
  if (typeof text === 'string') return { type: 'text_delta', text };
  if (toolUse) return { type: 'input_json_delta', partial_json: textOf((toolUse as JsonObject).input) ?? '' };
  const reasoning = (reasoningContent ?? {}) as Record<string, unknown>;
  if (typeof reasoning.text === 'string') return { type: 'thinking_delta', thinking: reasoning.text };
  if (typeof reasoning.signature === 'string') return { type: 'signature_delta', signature: reasoning.signature };
  const { redactedContent } = reasoning;
  return redactedContent instanceof Uint8Array ? { type: 'redacted', data: toBase64(redactedContent) } : undefined;
}

function emptyBlock({ type, data }: JsonObject): JsonObject {
  if (type === 'redacted') return { type: 'redacted_thinking', data: data ?? '' };
  if (type === 'thinking_delta' || type === 'signature_delta') return { type: 'thinking', thinking: '', signature: '' };
  return type === 'input_json_delta' ? { type: 'tool_use', id: '', name: '', input: {} } : { type: 'text', text: '' };
}

const toBase64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

/** Converse stop reasons and their Anthropic equivalents. */
const stopReasons: ReadonlyMap<string, string> = new Map(
  Object.entries({
    end_turn: 'end_turn',
    tool_use: 'tool_use',
    max_tokens: 'max_tokens',
    stop_sequence: 'stop_sequence',
    model_context_window_exceeded: 'model_context_window_exceeded',
    guardrail_intervened: 'refusal',
    content_filtered: 'refusal',
  }),
);

/**
 * Translates a stop reason; an unknown one counts as truncation.
 * @throws BadReply if the model's output could not be read.
 */
function stopReason(reason: unknown): Json {
  if (typeof reason !== 'string') return null;
  if (reason.startsWith('malformed_')) throw new BadReply(`it ended with ${reason.slice(0, 64)}`);
  return stopReasons.get(reason) ?? 'max_tokens';
}

function anthropicUsage(counts: unknown): JsonObject {
  const usage = (counts ?? {}) as JsonObject;
  return defined({
    input_tokens: countOf(usage.inputTokens),
    output_tokens: countOf(usage.outputTokens),
    cache_read_input_tokens: countOf(usage.cacheReadInputTokens),
    cache_creation_input_tokens: countOf(usage.cacheWriteInputTokens),
  });
}
