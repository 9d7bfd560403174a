/** The smaller tasks of a dialect: system prompt, limits, tools, counts, errors, framing. */

import * as z from 'zod';
import { type ErrorCode, errorKinds, GatewayError } from '#core/kernel/errors.ts';
import { dialects } from '#core/models/dialects/dialects.ts';
import { isUsageOnly, withUsageRequested } from '#core/models/dialects/openai/openai.ts';
import { object, readCases } from '../../../support/yaml.ts';

const { usesTools } = readCases(
  'test/unit/models/dialects/dialects.yaml',
  z.strictObject({ usesTools: z.array(z.tuple([z.string(), z.boolean(), object])) }),
);

const { openai, anthropic } = dialects;
const user = { role: 'user', content: 'hi' };

describe('system prompt', () => {
  test('openai: text is added before the first and after the last of the leading system messages', () => {
    const body = {
      messages: [
        { role: 'system', content: 'A' },
        { role: 'developer', content: [{ type: 'text', text: 'B' }] },
        user,
        { role: 'system', content: 'C' },
      ],
    };
    const before = structuredClone(body);
    expect(openai.withSystemPrompt(body, 'pre', 'post').messages).toEqual([
      { role: 'system', content: 'pre\n\nA' },
      {
        role: 'developer',
        content: [
          { type: 'text', text: 'B' },
          { type: 'text', text: 'post' },
        ],
      },
      user,
      { role: 'system', content: 'C' },
    ]);
    expect(body).toEqual(before);
  });

  test('openai: a system message is added if there is none', () => {
    expect(openai.withSystemPrompt({ messages: [user] }, 'pre', 'post').messages).toEqual([
      { role: 'system', content: 'pre\n\npost' },
      user,
    ]);
    expect(
      openai.withSystemPrompt({ messages: [user, { role: 'system', content: 'late' }] }, '', 'post').messages,
    ).toEqual([{ role: 'system', content: 'post' }, user, { role: 'system', content: 'late' }]);
  });

  test('anthropic: text is added to a system prompt that is a string, is a list of blocks, or is missing', () => {
    const cached = { type: 'text', text: 'A', cache_control: { type: 'ephemeral' } };
    expect(anthropic.withSystemPrompt({ system: 'A' }, 'pre', 'post').system).toBe('pre\n\nA\n\npost');
    expect(anthropic.withSystemPrompt({ system: [cached] }, 'pre', '').system).toEqual([
      { type: 'text', text: 'pre' },
      cached,
    ]);
    expect(anthropic.withSystemPrompt({}, 'pre', '').system).toBe('pre');
  });
});

test('[limit.largest-output] output tokens allowed', () => {
  expect(openai.maxTokens({ max_tokens: 5 })).toBe(5);
  expect(openai.maxTokens({ max_tokens: 5, max_completion_tokens: 9 })).toBe(9);
  expect(openai.maxTokens({ max_tokens: 9, max_completion_tokens: 1 })).toBe(9);
  expect(openai.maxTokens({ max_completion_tokens: 1, options: { num_predict: 12 } })).toBe(12);
  expect(openai.maxTokens({ max_tokens: 5, options: ['num_predict', 12] })).toBe(5);
  expect(openai.maxTokens({})).toBeUndefined();
  expect(anthropic.maxTokens({ max_tokens: 7 })).toBe(7);
});

test.each(usesTools)('%s request uses tools: %s', (name, uses, body) => {
  expect(dialects[name as 'openai' | 'anthropic'].usesTools(body)).toBe(uses);
});

describe('usage', () => {
  test('openai: cached tokens are counted separately', () => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 20,
      prompt_tokens_details: { cached_tokens: 60 },
      completion_tokens_details: { reasoning_tokens: 8 },
    };
    expect(openai.usageOf({ choices: [], usage })).toEqual({
      input_tokens: 40,
      output_tokens: 20,
      cache_read_tokens: 60,
      reasoning_tokens: 8,
    });
    expect(openai.usageOf({ choices: [], usage: null })).toBeUndefined();
    expect(openai.usageOf({ usage: { prompt_tokens: -1, completion_tokens: 'x' } })).toBeUndefined();
    expect(openai.usageOf({ usage: { prompt_tokens: 5, prompt_tokens_details: { cached_tokens: 9 } } })).toMatchObject({
      input_tokens: 0,
    });
  });

  test('anthropic: counts are read from a message, a message_start and a message_delta', () => {
    const usage = { input_tokens: 3, output_tokens: 4, cache_read_input_tokens: 5, cache_creation_input_tokens: 6 };
    const counts = { input_tokens: 3, output_tokens: 4, cache_read_tokens: 5, cache_write_tokens: 6 };
    expect(anthropic.usageOf({ type: 'message', usage })).toEqual(counts);
    expect(anthropic.usageOf({ type: 'message_start', message: { usage } })).toEqual(counts);
    expect(anthropic.usageOf({ type: 'message_delta', usage: { output_tokens: 9, input_tokens: null } })).toEqual({
      output_tokens: 9,
    });
    expect(anthropic.usageOf({ type: 'message_delta', usage: { output_tokens: 9, input_tokens: 0 } })).toEqual({
      output_tokens: 9,
    });
    expect(anthropic.usageOf({ type: 'ping' })).toBeUndefined();
  });

  test('a streamed request asks for token counts, and a usage-only chunk is recognised', () => {
    const asked = { stream: true, stream_options: { include_usage: true, other: 1 } };
    expect(withUsageRequested(asked)).toBe(asked);
    expect(withUsageRequested({ stream_options: { include_usage: false, other: 1 } })).toEqual({
      stream_options: { include_usage: true, other: 1 },
    });
    expect(withUsageRequested({ a: 1 })).toEqual({ a: 1, stream_options: { include_usage: true } });
    expect(isUsageOnly({ choices: [], usage: {} })).toBe(true);
    expect(isUsageOnly({ choices: [], usage: null })).toBe(false);
    expect(isUsageOnly({ choices: [{}], usage: {} })).toBe(false);
  });
});

describe('errors', () => {
  const known = new Set([
    ...['invalid_request_error', 'authentication_error', 'permission_error', 'not_found_error', 'request_too_large'],
    ...['rate_limit_error', 'api_error', 'overloaded_error', 'timeout_error'],
  ]);

  test('anthropic: every error has one of Anthropic’s types and the gateway’s code', () => {
    for (const code of Object.keys(errorKinds) as ErrorCode[]) {
      const body = anthropic.errorBody(new GatewayError(code, 'detail')) as {
        type: string;
        error: { type: string; code: string };
      };
      expect(body.type).toBe('error');
      expect(known).toContain(body.error.type);
      expect(body.error.code).toBe(code);
    }
  });

  test('an error sends its data but no private details', () => {
    const error = new GatewayError('policy_violation', 'no', { data: { policy: 'p', request_id: 'r' } });
    expect(anthropic.errorBody(error)).toEqual({
      type: 'error',
      error: { type: 'permission_error', message: 'no', code: 'policy_violation', policy: 'p' },
      request_id: 'r',
    });
    expect(openai.errorBody(error)).toEqual(error.toBody());
    for (const dialect of [openai, anthropic])
      expect(JSON.stringify(dialect.errorBody(new GatewayError('provider_error', 'key sk-1')))).not.toContain('sk-1');
  });

  test('an error can be sent as the last event of a stream', () => {
    const error = new GatewayError('policy_violation', 'no');
    expect(openai.encode(openai.errorEvent(error))).toBe(
      'data: {"error":{"code":403,"type":"policy_violation","message":"no"}}\n\n',
    );
    expect(anthropic.encode(anthropic.errorEvent(error))).toMatch(/^event: error\ndata: \{"type":"error","error":\{/);
  });

  test('anthropic: each status maps to its error type', () => {
    const of = (code: ErrorCode) =>
      (anthropic.errorBody(new GatewayError(code, 'x')) as { error: { type: string } }).error.type;
    expect(of('policy_violation')).toBe('permission_error');
    expect(of('budget_exceeded')).toBe('rate_limit_error');
    expect(of('payload_too_large')).toBe('request_too_large');
    expect(of('provider_error')).toBe('api_error');
    expect(of('service_unavailable')).toBe('overloaded_error');
    expect(of('provider_timeout')).toBe('timeout_error');
    expect(of('conflict')).toBe('invalid_request_error');
  });
});
