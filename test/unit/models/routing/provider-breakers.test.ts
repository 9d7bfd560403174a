/** Breakers of providers, and the spans of each attempt. */
import { piecesOf, refuse, say, stream } from '../../../support/fake-providers.ts';
import { providerEntry } from '../../../support/provider-entry.ts';
import { at, faultOf, first, read, second, world } from './two-providers.ts';

const mock = providerEntry({ name: 'mock', type: 'mock' });
test('[chat.breaker] the mock answers for a provider that is down where the route lists it, and only there', async () => {
  first.answers(refuse('openai', 503));
  expect((await world([at(first, 'a'), mock]).call()).provider.name).toBe('mock');
  await expect(faultOf(world([at(first, 'a')]).call())).resolves.toMatchObject({ status: 503 });
});
test('[chat.breaker] a provider that keeps failing is left out until its breaker lets a probe through', async () => {
  const breaker = { min_requests: 2, error_rate: 0.5, window_seconds: 30, open_seconds: 15 };
  const { call, time, providerBreakers } = world([at(first, 'a', { breaker }), at(second, 'b')]);
  second.answers(say());
  first.answers(refuse('openai', 500));
  for (let n = 0; n < 4; n++) await call();
  expect(first.requests).toHaveLength(2);
  expect((await call()).attempts).toEqual([{ provider: 'a', error: 'breaker_open' }]);
  expect(providerBreakers.states()).toEqual({ a: 'open', b: 'closed' });

  time.ms += 15_000;
  const gate = Promise.withResolvers<void>();
  first.answers(stream([gate.promise, ...piecesOf('openai', { text: 'well again' })]));
  const probing = call({ stream: true });
  await first.request();
  const meanwhile = await Promise.all([call(), call()]);
  expect(meanwhile.map(({ provider }) => provider.name)).toEqual(['b', 'b']);
  gate.resolve();
  const probe = await probing;
  expect(probe.provider.name).toBe('a');
  expect(providerBreakers.states().a).toBe('closed');
  await read(probe);
});
test('[chat.breaker] limits, wrong requests and callers who leave do not trip it; broken streams do', async () => {
  const breaker = { min_requests: 1, error_rate: 0.1, window_seconds: 30, open_seconds: 15 };
  const { call, providerBreakers } = world([at(first, 'a', { breaker })]);
  for (const status of [429, 400, 401, 404]) {
    first.answers(refuse('openai', status));
    await faultOf(call());
  }
  first.answers(stream(piecesOf('openai', { text: ['one', 'two'] }).slice(0, 2), 'open'));
  const left = await call({ stream: true });
  if (left.reply.type === 'stream') for await (const _event of left.reply.events) break;
  await (await first.request()).closed;
  expect(providerBreakers.states().a).toBe('closed');
  first.answers(stream(piecesOf('openai', { text: ['one', 'two'] }).slice(0, 2), 'break'));
  await faultOf(read(await call({ stream: true })));
  expect(providerBreakers.states().a).toBe('open');
});
test('each attempt is a span that ends when its answer is settled, with the names of the conventions', async () => {
  first.answers(refuse('openai', 500));
  second.answers(say('Hello'));
  const { spans, call } = world([at(first, 'a'), at(second, 'b')]);
  const answered = await call({ stream: true });
  const events = await read(answered);
  expect(events.length).toBeGreaterThan(0);
  expect(spans.map(({ name, end }) => [name, end])).toEqual([
    ['provider.openai', 'failed'],
    ['provider.openai', undefined],
  ]);
  expect(spans[0]!.attributes).toMatchObject({ 'error.type': '500' });
  answered.settleSpan({ usage: { input_tokens: 11, output_tokens: 7, cache_read_tokens: 3 }, finishReasons: ['stop'] });
  await new Promise(setImmediate);
  expect(spans[1]!.end).toBe('well');
  expect(spans[1]!.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'm-1',
    'gen_ai.request.stream': true,
    'gen_ai.response.id': 'chatcmpl-fake',
    'gen_ai.response.model': 'fake-model',
    'gen_ai.response.finish_reasons': ['stop'],
    'gen_ai.response.time_to_first_chunk': 0.002,
    'gen_ai.usage.input_tokens': 14,
    'gen_ai.usage.output_tokens': 7,
    'gen_ai.usage.cache_read.input_tokens': 3,
    'server.address': '127.0.0.1',
    'server.port': Number(new URL(second.url).port),
    tokens_prompt: 11,
    tokens_completion: 7,
    tokens_total: 18,
  });
});
test('a stream that breaks fails its span; a whole reply tells what it is', async () => {
  const { spans, call } = world([at(first, 'a')]);
  first.answers(stream(piecesOf('openai', { text: ['one', 'two'] }).slice(0, 2), 'break'));
  const broken = await call({ stream: true });
  await faultOf(read(broken));
  broken.settleSpan({ usage: {} });
  first.answers(say('Hello'));
  const whole = await call();
  if (whole.reply.type === 'json') whole.settleSpan({ body: whole.reply.body, usage: {} });
  await new Promise(setImmediate);
  expect(spans.map(({ end }) => end)).toEqual(['failed', 'well']);
  expect(spans[0]!.attributes).toMatchObject({ 'error.type': 'broken' });
  expect(spans[1]!.attributes).toMatchObject({
    'gen_ai.response.id': 'chatcmpl-fake',
    'gen_ai.response.finish_reasons': ['stop'],
  });
});
