/** The estimate of tokens where nobody counted. */

import type { JsonObject } from '#core/kernel/json.ts';
import { estimateOutput, estimateTokens } from '#core/models/dialects/count-tokens.ts';
import { translator } from '#core/models/dialects/translate/translate.ts';

const attachmentTokens = 1600;

const openaiBody = (content: JsonObject[string], rest: JsonObject = {}): JsonObject => ({
  model: 'm',
  messages: [{ role: 'user', content }],
  ...rest,
});

test('[chat.count-tokens] characters / 4, rounded up, over all the model reads', () => {
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

test('[chat.count-tokens] tool definitions count once, as JSON', () => {
  const tools = [
    { type: 'function', function: { name: 'f', description: 'finds things', parameters: { type: 'object' } } },
  ];
  expect(estimateTokens('openai', openaiBody('1234', { tools }))).toBe(
    Math.ceil((4 + JSON.stringify(tools).length) / 4),
  );
  expect(estimateTokens('openai', openaiBody('1234', { tools: [] }))).toBe(1);
});

test('[chat.count-tokens] an image costs the same wherever it stands, whatever its size; text documents are text', () => {
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

test('[chat.count-tokens] the estimate is the same on either side of a translation', () => {
  const body: JsonObject = {
    model: 'm',
    max_tokens: 5,
    messages: [
      { role: 'system', content: 'be kind' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look' },
          { type: 'image_url', image_url: { url: 'https://x/y' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"q":1}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'found it' },
    ],
  };
  expect(estimateTokens('anthropic', translator('openai', 'anthropic').request(body))).toBe(
    estimateTokens('openai', body),
  );
});
