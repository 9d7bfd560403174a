/** Translates a complete Anthropic message into a chat completion. */
import type { JsonObject } from '#core/kernel/json.ts';
import { objectsOf, textOf } from '#core/kernel/narrow.ts';
import { estimateOutput } from '../count-tokens.ts';
import type { TranslationContext } from '../dialect.ts';
import { openaiUsage, readAnthropicUsage } from '../usage.ts';
import { omitMembers } from '../wire.ts';
import { finishReason } from './stop-reasons.ts';

/**
 * Translates the reply. Members that neither dialect knows are passed on; blocks of the provider's own tools are left
 * out.
 */
export function toOpenaiReply(reply: JsonObject, context: TranslationContext): JsonObject {
  const blocks = objectsOf(reply.content);
  const content = joinTexts(blocks, 'text');
  const thinking = joinTexts(blocks, 'thinking');
  const calls = blocks.filter((block) => block.type === 'tool_use').map(toCall);
  const counted = readAnthropicUsage(reply.usage, false);
  const output = estimateOutput(content + (calls.length > 0 ? JSON.stringify(calls) : ''));
  return {
    ...omitMembers(reply, replyMembers),
    id: textOf(reply.id) || context.id,
    object: 'chat.completion',
    created: context.createdAt,
    model: textOf(reply.model) || context.model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: content === '' && calls.length > 0 ? null : content,
          refusal: null,
          ...(thinking !== '' && { reasoning_content: thinking }),
          ...(calls.length > 0 && { tool_calls: calls }),
        },
        logprobs: null,
        finish_reason: finishReason(textOf(reply.stop_reason)),
      },
    ],
    usage: openaiUsage({ input_tokens: context.inputTokens, output_tokens: output, ...counted }),
  };
}

const replyMembers = new Set([
  ...['id', 'type', 'role', 'model', 'content', 'stop_reason', 'stop_sequence', 'stop_details', 'usage', 'container'],
  ...['diagnostics', 'context_management', 'object', 'created', 'choices'],
]);

const joinTexts = (blocks: JsonObject[], kind: 'text' | 'thinking'): string =>
  blocks.flatMap((block) => (block.type === kind ? [textOf(block[kind]) ?? ''] : [])).join('');

const toCall = ({ id, name, input }: JsonObject): JsonObject => ({
  id: id ?? '',
  type: 'function',
  function: { name: name ?? '', arguments: JSON.stringify(input ?? {}) },
});
