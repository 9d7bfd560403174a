/**
 * Which questions are identical, which replies may be cached, and which questions mean the same. All functions are
 * pure.
 */
import * as z from 'zod';
import type { JsonObject } from '#core/kernel/json.ts';
import { cacheKey, semanticQuestion } from '#core/models/cache/cache-key.ts';
import { cacheable, cacheableRequest } from '#core/models/cache/cacheable.ts';
import { ngramEmbedder, trigramVector } from '#core/models/cache/ngram-embedder.ts';
import { cosine } from '#core/models/cache/response-cache.ts';
import { mayMeanTheSame } from '#core/models/cache/same-meaning.ts';
import { object, readCases, rows, text } from '../../../support/yaml.ts';
import { never } from './sample.ts';

const pairs = z.array(z.tuple([z.string(), z.string()]));
const { alike, different, otherKeys, notLookedUp } = readCases(
  'test/unit/models/cache/questions.yaml',
  z.strictObject({ otherKeys: rows(text, object), notLookedUp: rows(text, object), alike: pairs, different: pairs }),
);

const user = (content: unknown) => ({ role: 'user', content }) as JsonObject;
const body = { model: 'fast', messages: [{ role: 'system', content: 'Be kind.' }, user('Hello')], temperature: 0.2 };
const parts = { tenant: 't', model: 'mock', dialect: 'openai', body: body as JsonObject, policyVersion: 3 } as const;

describe('the key', () => {
  test('the key ignores members that do not affect the reply', () => {
    const same: JsonObject = {
      temperature: 0.2,
      stream: true,
      stream_options: {},
      user: 'u',
      metadata: { a: 1 },
      model: 'mock',
      messages: body.messages,
    };
    expect(cacheKey({ ...parts, body: same })).toBe(cacheKey(parts));
  });

  test.each(otherKeys)('differs by %s', (_, over) => {
    expect(cacheKey({ ...parts, ...over } as typeof parts)).not.toBe(cacheKey(parts));
  });

  test('the frame contains everything except the last user message', () => {
    const frameOf = (over: object) => semanticQuestion({ ...parts, body: { ...body, ...over } as JsonObject });
    const [system] = body.messages;
    expect(frameOf({})).toEqual({ frame: expect.stringMatching(/^[0-9a-f]{64}$/), text: 'Hello' });
    expect(frameOf({ messages: [system!, user('Bye')] })?.frame).toBe(frameOf({})?.frame);
    expect(frameOf({ messages: [user('Hello')] })?.frame).not.toBe(frameOf({})?.frame);
    expect(frameOf({ temperature: 1 })?.frame).not.toBe(frameOf({})?.frame);
    expect(frameOf({ messages: [user([{ type: 'text', text: 'Hi' }])] })?.text).toBe('Hi');
  });

  test.each<[string, unknown]>([
    ['another role spoke last', [user('a'), { role: 'assistant', content: 'b' }]],
    [
      'there is an image',
      [
        user([
          { type: 'text', text: 'a' },
          { type: 'image_url', image_url: {} },
        ]),
      ],
    ],
    ['a part has marks', [user([{ type: 'text', text: 'a', cache_control: {} }])]],
    ['it is long', [user('a'.repeat(501))]],
    ['it is empty', [user('  ')]],
    ['there are no messages', []],
    ['messages are none', 'x'],
  ])('no question text is extracted when %s', (_, messages) => {
    expect(semanticQuestion({ ...parts, body: { messages } as JsonObject })).toBeUndefined();
  });
});

describe('which replies are cached', () => {
  const openai = (message: object, finish_reason: unknown = 'stop') =>
    ({
      choices: [{ index: 0, message: { role: 'assistant', content: 'x', ...message }, finish_reason }],
    }) as JsonObject;
  const anthropic = (over: object = {}) =>
    ({ type: 'message', content: [{ type: 'text', text: 'x' }], stop_reason: 'end_turn', ...over }) as JsonObject;
  const request = body as JsonObject;

  test('[chat.cache] caches complete replies in both dialects, at any temperature, with one or several choices', () => {
    expect(cacheable({ ...request, temperature: 2, n: 2 }, openai({}), 'completed')).toBe(true);
    expect(cacheable(request, openai({}, 'length'), 'completed')).toBe(true);
    expect(cacheable(request, anthropic(), 'completed')).toBe(true);
    expect(cacheable({ ...request, tools: [] }, openai({}), 'completed')).toBe(true);
  });

  test.each<[string, JsonObject | undefined]>([
    ['no reply: the stream broke', undefined],
    ['an unended choice', openai({}, null)],
    ['a filtered choice', openai({}, 'content_filter')],
    ['tool calls', openai({ tool_calls: [{ id: '1' }] }, 'tool_calls')],
    ['tool calls that end with stop', openai({ tool_calls: [{ id: '1' }] })],
    ['a function call', openai({ function_call: { name: 'f' } })],
    ['no choices', { choices: [] }],
    ['an error', { error: { message: 'no' } }],
    ['a choice that is none', { choices: [null] }],
    ['tool use', anthropic({ content: [{ type: 'tool_use' }], stop_reason: 'tool_use' })],
    ['server tool use', anthropic({ content: [{ type: 'server_tool_use' }] })],
    ['no stop reason', anthropic({ stop_reason: null })],
    ['a refusal', anthropic({ stop_reason: 'refusal' })],
    ['nothing', {}],
  ])('[chat.cache] not %s', (_, reply) => {
    expect(cacheable(request, reply, 'completed')).toBe(false);
  });

  test.each(['blocked', 'aborted', 'failed', 'review', 'refused', 'cached'] as const)(
    '[chat.cache] does not cache a call that was %s',
    (outcome) => {
      expect(cacheable(request, openai({}), outcome)).toBe(false);
    },
  );

  test.each(notLookedUp)('a request with %s is not looked up', (_, over) => {
    expect(cacheableRequest({ ...request, ...over } as JsonObject)).toBe(false);
  });
});

describe('the meaning check', () => {
  test.each(alike)('%j and %j are accepted as possibly the same question', (a, b) => {
    expect([mayMeanTheSame(a, b), mayMeanTheSame(b, a)]).toEqual([true, true]);
  });

  test.each(different)('%j and %j are treated as different questions', (a, b) => {
    expect([mayMeanTheSame(a, b), mayMeanTheSame(b, a)]).toEqual([false, false]);
  });
});

describe('embeddings', () => {
  test('trigrams: identical text gets the same unit vector, and similar spellings get similar vectors', async () => {
    const embed = (text: string) => ngramEmbedder().embed(text, never);
    const [a, b, c] = await Promise.all([
      embed('What is the capital of France?'),
      embed('what is the  capital of france'),
      embed('Write me a poem'),
    ]);
    expect(await embed('What is the capital of France?')).toEqual(a);
    expect(Math.hypot(...a)).toBeCloseTo(1);
    expect(cosine(a, b)).toBeGreaterThan(0.9);
    expect(cosine(a, c)).toBeLessThan(0.4);
  });

  test('vectors that cannot be compared have zero similarity', () => {
    expect([cosine([1], [1, 2]), cosine([], []), cosine([0], [1]), cosine([Number.NaN], [1])]).toEqual([0, 0, 0, 0]);
    expect(Math.hypot(...trigramVector(''))).toBeLessThanOrEqual(1);
  });
});
