/** Span attributes according to the GenAI conventions. */
import { answerAttributes, type ReplyOutcome, requestAttributes } from '#core/models/routing/gen-ai.ts';

test('[trace.export] input tokens include cached tokens, which are also listed separately under both names', () => {
  const usage = { input_tokens: 3, output_tokens: 5, cache_read_tokens: 1000, cache_write_tokens: 200 };
  expect(answerAttributes({ usage })).toMatchObject({
    'gen_ai.usage.input_tokens': 1203,
    'gen_ai.usage.cache_read.input_tokens': 1000,
    'gen_ai.usage.cache_creation.input_tokens': 200,
    'gen_ai.usage.cache_write.input_tokens': 200,
  });
  expect(Object.keys(answerAttributes({ usage: { input_tokens: 3, output_tokens: 5 } }))).not.toContain(
    'gen_ai.usage.cache_creation.input_tokens',
  );
  expect(answerAttributes({ usage: {} })).toEqual({});
});

test('[trace.export] request settings with the value 0 are included, and missing settings are not', () => {
  expect(requestAttributes({ temperature: 0, top_p: 0, seed: 0, max_tokens: 1 })).toEqual({
    'gen_ai.request.temperature': 0,
    'gen_ai.request.top_p': 0,
    'gen_ai.request.seed': 0,
    'gen_ai.request.max_tokens': 1,
  });
  expect(requestAttributes({ max_completion_tokens: 7, max_tokens: 9 })).toEqual({ 'gen_ai.request.max_tokens': 7 });
  expect(requestAttributes({ temperature: 'hot', top_p: null })).toEqual({});
});

test.each([
  [{ stop: 'END' }, ['END']],
  [{ stop: ['END', 'STOP'] }, ['END', 'STOP']],
  [{ stop_sequences: ['\n\nHuman:'] }, ['\n\nHuman:']],
  [{ stop: `key AKIA${'A'.repeat(16)}` }, ['key [withheld]']],
  [{ stop: null }, undefined],
  [{ stop: [] }, undefined],
  [{ stop: [7, {}] }, undefined],
])('[trace.export] stop sequences in %j are recorded as a list', (body, expected) => {
  expect(requestAttributes(body)['gen_ai.request.stop_sequences']).toEqual(expected);
});

test('[trace.export] finish reasons are recorded as a list with one entry per finished choice', () => {
  const body = { choices: [{ finish_reason: 'stop' }, { finish_reason: 'length' }, { finish_reason: null }] };
  const reasonsOf = (settled: Partial<ReplyOutcome>) =>
    answerAttributes({ usage: {}, ...settled })['gen_ai.response.finish_reasons'];
  expect(reasonsOf({ body, finishReasons: ['stop'] })).toEqual(['stop', 'length']);
  expect(reasonsOf({ body: { stop_reason: 'end_turn' } })).toEqual(['end_turn']);
  expect(reasonsOf({ finishReasons: ['stop', 'length'] })).toEqual(['stop', 'length']);
  expect(reasonsOf({ body: {} })).toBeUndefined();
});
