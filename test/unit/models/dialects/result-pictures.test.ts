/** Images in tool results, on their way to a chat completion. */
import { picturesAfterResults } from '#core/models/dialects/openai/result-pictures.ts';

const picture = (at: string) => ({ type: 'image_url', image_url: { url: `data:image/png;base64,${at}` } });
const text = { type: 'text', text: 'seen' };
const result = (id: string, content: unknown) => ({ role: 'tool', tool_call_id: id, content }) as never;
const call = { role: 'assistant', content: null, tool_calls: [] };

test('[responses.create] images follow the tool results of their turn, in order', () => {
  const { messages } = picturesAfterResults({
    messages: [
      call,
      result('a', [text, picture('A')]),
      result('b', [picture('B')]),
      result('c', 'plain'),
      call,
      result('d', [picture('D')]),
    ],
  });
  expect(messages).toEqual([
    call,
    result('a', [text]),
    result('b', 'The result is shown in the next message.'),
    result('c', 'plain'),
    { role: 'user', content: [picture('A'), picture('B')] },
    call,
    result('d', 'The result is shown in the next message.'),
    { role: 'user', content: [picture('D')] },
  ]);
});
