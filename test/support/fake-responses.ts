/** Stored responses of an OpenAI account, as a script for the fake provider: one account for all callers. */
import { body, type FakeReply, jsonReply, type RecordedRequest } from './fake-providers.ts';
import type { Loose } from './loose.ts';

/** Function that returns the model's output for its whole input, including the earlier conversation. */
type AnswerItems = (conversation: readonly Loose[]) => readonly Loose[];

export interface ResponseAccount {
  readonly script: (request: RecordedRequest) => FakeReply;
  /** Stored responses, keyed by provider id. */
  readonly kept: Map<string, Loose>;
  /** Bodies of the requests that created responses. */
  readonly made: Loose[];
  answer: AnswerItems;
}

const missing = jsonReply({ error: { message: 'No such response', type: 'invalid_request_error' } }, 404);
const message = (text: string) => ({
  id: 'msg_theirs',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
});
export const said = message;
export const called = (name: string, input: object) => ({
  id: 'fc_theirs',
  type: 'function_call',
  status: 'completed',
  call_id: 'call_1',
  name,
  arguments: JSON.stringify(input),
});

export function responseAccount(): ResponseAccount {
  const kept = new Map<string, Loose>();
  const made: Loose[] = [];
  let count = 0;

  const make = (asked: Loose): FakeReply => {
    made.push(asked);
    const before = asked.previous_response_id === undefined ? undefined : kept.get(asked.previous_response_id);
    if (asked.previous_response_id !== undefined && !before) return missing;
    const given =
      typeof asked.input === 'string' ? [{ type: 'message', role: 'user', content: asked.input }] : asked.input;
    const conversation = [...(before ? [...before.conversation, ...before.response.output] : []), ...given];
    const response = {
      id: `resp_theirs${++count}`,
      object: 'response',
      created_at: 1_700_000_000,
      status: 'completed',
      error: null,
      incomplete_details: null,
      model: asked.model,
      output: account.answer(conversation),
      instructions: asked.instructions ?? null,
      metadata: asked.metadata ?? {},
      tools: asked.tools ?? [],
      usage: { input_tokens: 10 * conversation.length, output_tokens: 5, total_tokens: 10 * conversation.length + 5 },
    };
    if (asked.store) kept.set(response.id, { response, conversation });
    return asked.stream ? streamed(response) : jsonReply(response);
  };

  const account: ResponseAccount = {
    kept,
    made,
    answer: () => [said('Hello there.')],
    script: ({ method, path, body: asked }) => {
      if (method === 'POST') return make(asked);
      const [, id = '', items] = /^\/v1\/responses\/([^/?]+)(\/input_items)?/.exec(path) ?? [];
      const found = kept.get(id);
      if (!found) return missing;
      if (items) {
        const data = found.conversation.map((item: Loose, at: number) => ({ id: `item_${at}`, ...item }));
        return jsonReply({
          object: 'list',
          data,
          first_id: 'item_0',
          last_id: `item_${data.length - 1}`,
          has_more: false,
        });
      }
      if (method !== 'DELETE') return jsonReply(found.response);
      kept.delete(id);
      return jsonReply({ id, object: 'response', deleted: true });
    },
  };
  return account;
}

/** Streams a response as OpenAI does: each item starts, grows and ends, and the complete response comes last. */
function streamed(response: Loose): FakeReply {
  const events: Loose[] = [{ type: 'response.created', response: { ...response, status: 'in_progress', output: [] } }];
  for (const [output_index, item] of response.output.entries()) {
    events.push({ type: 'response.output_item.added', output_index, item: { ...item, arguments: '', content: [] } });
    const at = { item_id: item.id, output_index, content_index: 0 };
    for (const piece of item.type === 'message' ? (item.content[0].text.match(/.{1,4}/gsu) ?? []) : [])
      events.push({ type: 'response.output_text.delta', ...at, delta: piece });
    for (const piece of item.type === 'function_call' ? (item.arguments.match(/.{1,5}/gsu) ?? []) : [])
      events.push({ type: 'response.function_call_arguments.delta', ...at, delta: piece });
    events.push({ type: 'response.output_item.done', output_index, item });
  }
  events.push({ type: 'response.completed', response });
  const pieces = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  return body(pieces, { headers: { 'content-type': 'text/event-stream' } });
}
