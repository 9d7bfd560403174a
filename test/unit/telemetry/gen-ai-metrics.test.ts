import { genAiMetrics, type ModelCall } from '#core/models/routing/gen-ai-metrics.ts';

const call: ModelCall = {
  provider: 'bedrock',
  model: 'sonnet',
  usage: { input_tokens: 11, output_tokens: 7, cache_read_tokens: 3 },
  durationSeconds: 1.5,
  firstChunkSeconds: 0.2,
};
const common = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'aws.bedrock',
  'gen_ai.request.model': 'sonnet',
};
const told = (genai_metrics: 'client' | 'inference' | 'both', of: ModelCall = call) =>
  genAiMetrics({ genai_metrics }, of).map(({ name, value, kind }) => [name, value, kind]);

const client = [
  ['gen_ai.client.token.usage', 14, 'histogram'],
  ['gen_ai.client.token.usage', 7, 'histogram'],
  ['gen_ai.client.operation.duration', 1.5, 'histogram'],
  ['gen_ai.client.operation.time_to_first_chunk', 0.2, 'histogram'],
];
const inference = [
  ['gen_ai.client.inference.usage.input_tokens', 14, 'counter'],
  ['gen_ai.client.inference.usage.output_tokens', 7, 'counter'],
  ['gen_ai.client.inference.usage.cache_read.input_tokens', 3, 'counter'],
  ['gen_ai.client.inference.operation.input_tokens', 14, 'histogram'],
  ['gen_ai.client.inference.operation.output_tokens', 7, 'histogram'],
  ['gen_ai.client.inference.duration', 1.5, 'histogram'],
  ['gen_ai.client.inference.time_to_first_chunk', 0.2, 'histogram'],
];

test('the setting selects the metric family, and cached tokens count as input', () => {
  expect(told('client')).toEqual(client);
  expect(told('inference')).toEqual(inference);
  expect(told('both')).toEqual([...client, ...inference]);
});

test('every metric is labelled with operation, provider and model, and token metrics with a type', () => {
  for (const { name, labels } of genAiMetrics({ genai_metrics: 'both' }, call)) {
    expect(labels).toMatchObject(common);
    if (name === 'gen_ai.client.token.usage') expect(labels['gen_ai.token.type']).toMatch(/^(input|output)$/);
    if (name.startsWith('gen_ai.client.inference.usage.')) expect(labels['gen_ai.token.modality']).toBe('unknown');
  }
});

test('a failed call has a duration and an error type but no tokens', () => {
  const { usage: _, firstChunkSeconds: __, ...rest } = call;
  const failed = { ...rest, errorType: 'timeout' };
  expect(told('both', failed)).toEqual([
    ['gen_ai.client.operation.duration', 1.5, 'histogram'],
    ['gen_ai.client.inference.usage.input_tokens', 0, 'counter'],
    ['gen_ai.client.inference.usage.output_tokens', 0, 'counter'],
    ['gen_ai.client.inference.duration', 1.5, 'histogram'],
  ]);
  const durations = genAiMetrics({ genai_metrics: 'both' }, failed).filter(({ name }) => name.endsWith('.duration'));
  for (const { labels } of durations) expect(labels).toEqual({ ...common, 'error.type': 'timeout' });
});
