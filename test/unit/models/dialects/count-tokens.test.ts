/** Token estimates, used if the provider reports no counts. */

import type { JsonObject } from '#core/kernel/json.ts';
import { estimateOutput, estimateTokens } from '#core/models/dialects/count-tokens.ts';

const attachmentTokens = 1600;

const openaiBody = (content: JsonObject[string], rest: JsonObject = {}): JsonObject => ({
  model: 'm',
  messages: [{ role: 'user', content }],
  ...rest,
});

test('[chat.messages] the estimate is the length of all text the model reads divided by 4, rounded up', () => {
  expect(estimateTokens('openai', openaiBody('12345'))).toBe(2);
  expect(
    estimateTokens('anthropic', {
      system: [{ type: 'text', text: 'abcd' }],
      messages: [
        { role: 'user', content: '1234' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: { q: 1 } }] },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: '12345678' }] }],
        },
      ],
    }),
  ).toBe(1 + 1 + 2 + Math.ceil('{"q":1}'.length / 4));
  expect(estimateOutput('')).toBe(0);
  expect(estimateOutput('12345')).toBe(2);
});

test('[chat.messages] an image costs the same anywhere and at any size, and text documents count as text', () => {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(10_000) } };
  expect(
    estimateTokens('openai', openaiBody([{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }])),
  ).toBe(attachmentTokens);
  expect(estimateTokens('anthropic', openaiBody([image, { type: 'tool_result', content: [image] }]))).toBe(
    2 * attachmentTokens,
  );
  expect(
    estimateTokens('anthropic', openaiBody([{ type: 'document', source: { type: 'text', data: '12345678' } }])),
  ).toBe(2);
});

test('[chat.messages] tool definitions are counted once, as JSON', () => {
  const tools = [
    { type: 'function', function: { name: 'f', description: 'finds things', parameters: { type: 'object' } } },
  ];
  expect(estimateTokens('openai', openaiBody('1234', { tools }))).toBe(
    Math.ceil((4 + JSON.stringify(tools).length) / 4),
  );
  expect(estimateTokens('openai', openaiBody('1234', { tools: [] }))).toBe(1);
});
