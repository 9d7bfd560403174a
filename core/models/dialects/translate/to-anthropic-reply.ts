/** A complete chat completion as an Anthropic message. */
import type { Usage } from '#core/contracts/chat.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { objectOf, objectsOf, textOf } from '#core/kernel/narrow.ts';
import { idCarrying } from '../call-id.ts';
import { estimateOutput } from '../count-tokens.ts';
import type { TranslationContext } from '../dialect.ts';
import { anthropicUsage, readOpenaiUsage } from '../usage.ts';
import { argumentsOf, omit, reasoningOf } from '../wire.ts';
import { messageId } from './message-id.ts';
import { stopReason } from './stop-reasons.ts';

/** The first choice, since a caller of this dialect cannot ask for more. Members neither dialect knows are carried. */
export function toAnthropicReply(reply: JsonObject, context: TranslationContext): JsonObject {
  const [choice = {}] = objectsOf(reply.choices);
  const message = objectOf(choice.message) ?? {};
  const calls = objectsOf(message.tool_calls);
  return {
    ...omit(reply, replyMembers),
    id: messageId(textOf(reply.id) || context.id),
    type: 'message',
    role: 'assistant',
    model: textOf(reply.model) || context.model,
    content: contentOf(message, calls),
    stop_reason: stopReason(textOf(choice.finish_reason), {
      calls: calls.length > 0,
      refusal: Boolean(message.refusal),
    }),
    stop_sequence: null,
    usage: anthropicUsage({ ...estimated(message, context), ...readOpenaiUsage(reply.usage) }),
  };
}

const replyMembers = new Set([
  ...['id', 'object', 'created', 'model', 'choices', 'usage', 'system_fingerprint', 'service_tier'],
  ...['type', 'role', 'content', 'stop_reason', 'stop_sequence'],
]);

function contentOf(message: JsonObject, calls: JsonObject[]): JsonObject[] {
  const thinking = reasoningOf(message);
  return [
    ...(thinking ? [{ type: 'thinking', thinking, signature: '' }] : []),
    ...textsOf(message).map((text) => ({ type: 'text', text })),
    ...calls.map((call, index) => {
      const named = objectOf(call.function) ?? objectOf(call.custom) ?? {};
      return {
        type: 'tool_use',
        id: idCarrying(textOf(call.id) || `call_${index}`, call),
        name: named.name ?? '',
        input: argumentsOf(textOf(named.arguments) ?? textOf(named.input) ?? ''),
      };
    }),
  ];
}

function textsOf(message: JsonObject): string[] {
  const content =
    textOf(message.content) ??
    objectsOf(message.content)
      .map(({ text }) => textOf(text) ?? '')
      .join('');
  return [content, textOf(message.refusal) ?? ''].filter(Boolean);
}

/** Counts for a provider that gives none. */
function estimated(message: JsonObject, context: TranslationContext): Usage {
  const calls = message.tool_calls ? JSON.stringify(message.tool_calls) : '';
  return { input_tokens: context.inputTokens, output_tokens: estimateOutput(textsOf(message).join('') + calls) };
}
