/** Requests from Anthropic callers to OpenAI providers. */
import * as z from 'zod';
import type { JsonObject } from '#core/kernel/json.ts';
import { object, readCases } from '../../../support/yaml.ts';
import { good, toOpenai } from './translating.ts';

const { refused } = readCases(
  'test/unit/models/dialects/request-to-openai.yaml',
  z.strictObject({ refused: z.array(z.tuple([z.string(), object])) }),
);

const _text = (text: string, more: JsonObject = {}) => ({ type: 'text', text, ...more });
const _use = (id: string, name: string, input: JsonObject) => ({ type: 'tool_use', id, name, input });
const _result = (id: string, content: JsonObject[string], more: JsonObject = {}) => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  ...more,
});
const _called = (id: string, name: string, args: string) => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});

describe('anthropic to openai', () => {
  test('a user id that is too long for OpenAI is replaced by its digest', () => {
    const long = 'user_'.repeat(30);
    const { user: named } = toOpenai({ ...good, metadata: { user_id: long } });
    expect(named).toMatch(/^[0-9a-f]{64}$/);
  });

  test.each(refused)('refuses %s instead of dropping it', (param, body) => {
    expect(() => toOpenai(body)).toThrow(
      expect.objectContaining({ code: 'invalid_request', data: { param, reason: 'unsupported_parameter' } }),
    );
  });
});
