/** Translates a complete chat completion into an Anthropic message. */
import type { Usage } from '#core/contracts/chat.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { objectOf, objectsOf, textOf } from '#core/kernel/narrow.ts';
import { idCarrying } from '../call-id.ts';
import { estimateOutput } from '../count-tokens.ts';
import type { TranslationContext } from '../dialect.ts';
import { anthropicUsage, readOpenaiUsage } from '../usage.ts';
import { contentText, inputOf, omitMembers, reasoningOf } from '../wire.ts';
import { messageId } from './message-id.ts';
import { stopReason } from './stop-reasons.ts';

/**
 * Translates the first choice, because a caller using this dialect cannot request more. Members that neither dialect
 * knows are passed on.
 */
export function toAnthropicReply(reply: JsonObject, context: TranslationContext): JsonObject {
  const [choice = {}] = objectsOf(reply.choices);
  const message = objectOf(choice.message) ?? {};
  const calls = objectsOf(message.tool_calls);
  return {
    ...omitMembers(reply, replyMembers),
    id: messageId(textOf(reply.id) || context.id),
    type: 'message',
    role: 'assistant',
    model: textOf(reply.model) || context.model,
    content: replyBlocks(message, calls),
    stop_reason: stopReason(textOf(choice.finish_reason), {
      calls: calls.length > 0,
      refusal: Boolean(message.refusal),
    }),
    stop_sequence: null,
    usage: anthropicUsage({ ...estimateUsage(message, context), ...readOpenaiUsage(reply.usage) }),
  };
}

const replyMembers = new Set([
  ...['id', 'object', 'created', 'model', 'choices', 'usage', 'system_fingerprint', 'service_tier'],
  ...['type', 'role', 'content', 'stop_reason', 'stop_sequence'],
]);

function replyBlocks(message: JsonObject, calls: JsonObject[]): JsonObject[] {
  const thinking = reasoningOf(message);
  return [
    ...(thinking ? [{ type: 'thinking', thinking, signature: '' }] : []),
    ...replyTexts(message).map((text) => ({ type: 'text', text })),
    ...calls.map((call, index) => {
      const named = objectOf(call.function) ?? objectOf(call.custom) ?? {};
      return {
        type: 'tool_use',
        id: idCarrying(textOf(call.id) || `call_${index}`, call),
        name: named.name ?? '',
        input: inputOf(named),
      };
    }),
  ];
}

const replyTexts = (message: JsonObject): string[] =>
  [contentText(message.content), textOf(message.refusal) ?? ''].filter(Boolean);

/** Estimates token counts for a provider that does not send any. */
function estimateUsage(message: JsonObject, context: TranslationContext): Usage {
  const calls = message.tool_calls ? JSON.stringify(message.tool_calls) : '';
  return { input_tokens: context.inputTokens, output_tokens: estimateOutput(replyTexts(message).join('') + calls) };
}
