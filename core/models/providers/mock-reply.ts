/** Mock answers in OpenAI's format, complete or in chunks of one word each. Tokens are counted as characters / 4. */
import { chatSizes } from '#core/contracts/chat.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { countOf, isObject, objectsOf, textOf } from '#core/kernel/narrow.ts';
import { defined } from './reply.ts';

export interface MockReply {
  /** Hex id that is the same for the same request. */
  readonly id: string;
  readonly createdAt: number;
  readonly model: string;
  readonly body: JsonObject;
  readonly text: string;
  readonly toolCalls: readonly { readonly name: string; readonly arguments: unknown }[];
}

/** Returns the text of the last user message, or an empty string if there is none. */
export function lastUserText(body: JsonObject): string {
  const message = objectsOf(body.messages).findLast(({ role }) => role === 'user');
  return message ? contentText(message.content) : '';
}

export function mockCompletion(reply: MockReply): JsonObject {
  const { text, cut } = truncateReply(reply);
  const message = defined({
    role: 'assistant',
    content: text === '' && reply.toolCalls.length > 0 ? null : text,
    tool_calls: toolCalls(reply),
  });
  const choice = (index: number): JsonObject => ({
    index,
    message,
    finish_reason: finishOf(reply, cut),
    logprobs: null,
  });
  return {
    ...mockHead(reply, 'chat.completion'),
    choices: Array.from({ length: choicesOf(reply) }, (_, index) => choice(index)),
    usage: mockUsage(reply, text),
  };
}

export function mockChunks(reply: MockReply): JsonObject[] {
  const { text, cut } = truncateReply(reply);
  const chunk = (index: number, delta: JsonObject, finish: string | null = null): JsonObject => ({
    ...mockHead(reply, 'chat.completion.chunk'),
    choices: [{ index, delta, finish_reason: finish }],
  });
  const choice = (index: number): JsonObject[] => [
    chunk(index, { role: 'assistant', content: '' }),
    ...splitReply(text).map((word) => chunk(index, { content: word })),
    ...(toolCalls(reply) ?? []).map((call, at) => chunk(index, { tool_calls: [{ index: at, ...call }] })),
    chunk(index, {}, finishOf(reply, cut)),
  ];
  const options = reply.body.stream_options;
  const counted = isObject(options) && options.include_usage === true;
  return [
    ...Array.from({ length: choicesOf(reply) }, (_, index) => choice(index)).flat(),
    ...(counted ? [{ ...mockHead(reply, 'chat.completion.chunk'), choices: [], usage: mockUsage(reply, text) }] : []),
  ];
}

const mockHead = ({ id, createdAt, model }: MockReply, object: string): JsonObject => ({
  id: `chatcmpl-mock-${id}`,
  object,
  created: createdAt,
  model,
});

/** Returns the text truncated to the number of tokens that the caller allows. */
function truncateReply({ body, text }: MockReply): { text: string; cut: boolean } {
  const most = countOf(body.max_completion_tokens) ?? countOf(body.max_tokens);
  const characters = [...text];
  const room = most === undefined ? characters.length : most * chatSizes.charactersPerToken;
  return characters.length <= room ? { text, cut: false } : { text: characters.slice(0, room).join(''), cut: true };
}

const choicesOf = ({ body }: MockReply) => Math.max(1, countOf(body.n) ?? 1);

const finishOf = ({ toolCalls }: MockReply, cut: boolean) =>
  toolCalls.length > 0 ? 'tool_calls' : cut ? 'length' : 'stop';

function toolCalls({ id, toolCalls: calls }: MockReply): JsonObject[] | undefined {
  if (calls.length === 0) return undefined;
  return calls.map((call, at) => ({
    id: `call_${id}_${at}`,
    type: 'function',
    function: { name: call.name, arguments: JSON.stringify(call.arguments) },
  }));
}

function mockUsage(reply: MockReply, text: string): JsonObject {
  const asked = objectsOf(reply.body.messages).map(({ content }) => contentText(content));
  const called = (toolCalls(reply) ?? []).map((call) => JSON.stringify(call.function));
  const prompt = tokens(asked.join(''));
  const completion = tokens(text + called.join('')) * choicesOf(reply);
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

const tokens = (text: string) => Math.ceil(text.length / chatSizes.charactersPerToken);

/** Returns every word with the whitespace after it. */
const splitReply = (text: string): string[] => text.match(/\S+\s*|\s+/g) ?? [];

const contentText = (content: Json | undefined): string =>
  typeof content === 'string'
    ? content
    : objectsOf(content)
        .map(({ text }) => textOf(text) ?? '')
        .join(' ')
        .trim();
