/** Returns the chunks that would have been streamed for a complete chat completion. */
import type { JsonObject } from '#core/kernel/json.ts';
import { countOf, objectOf, objectsOf } from '#core/kernel/narrow.ts';
import { member, omitMembers } from '../wire.ts';

/**
 * Returns the role, content and finish reason of each choice, followed by a usage-only chunk if the reply has counts.
 */
export function replayOpenai(reply: JsonObject): JsonObject[] {
  const head = { ...omitMembers(reply, replyMembers), object: 'chat.completion.chunk' };
  const chunk = (index: number, delta: JsonObject, rest: JsonObject): JsonObject => ({
    ...head,
    choices: [{ index, delta, ...rest }],
  });
  const events = objectsOf(reply.choices).flatMap((choice, position) => {
    const index = countOf(choice.index) ?? position;
    const message = objectOf(choice.message) ?? {};
    const rest = omitMembers(choice, choiceMembers);
    return [
      chunk(index, { role: message.role ?? 'assistant', content: '' }, { finish_reason: null }),
      ...contentDeltas(message).map((delta, part) =>
        chunk(index, delta, { ...(part === 0 && member('logprobs', choice.logprobs)), finish_reason: null }),
      ),
      chunk(index, {}, { ...rest, finish_reason: choice.finish_reason ?? null }),
    ];
  });
  return objectOf(reply.usage) ? [...events, { ...head, choices: [], usage: reply.usage! }] : events;
}

const replyMembers = new Set(['choices', 'usage', 'object']);
const choiceMembers = new Set(['index', 'message', 'finish_reason', 'logprobs']);
const messageMembers = new Set(['role', 'tool_calls']);

/** Returns one delta with the message content, then one per tool call. */
function contentDeltas(message: JsonObject): JsonObject[] {
  const texts = Object.fromEntries(
    Object.entries(omitMembers(message, messageMembers)).filter(([, value]) => value !== null && value !== ''),
  );
  const calls = objectsOf(message.tool_calls).map((call, index) => ({ tool_calls: [{ index, ...call }] }));
  return [...(Object.keys(texts).length > 0 ? [texts] : []), ...calls];
}
