/** Requests translated to the format of the API that receives them: all rows of the tables. */
import * as z from 'zod';
import type { JsonObject } from '#core/kernel/json.ts';
import { converseInput } from '#core/models/providers/bedrock-request.ts';
import { ollamaBody } from '#core/models/providers/ollama-request.ts';
import { object, readCases, rows, text } from '../../../support/yaml.ts';
import { toAnthropic, toOpenai } from './translating.ts';

const call = (body: JsonObject) => ({
  model: 'm',
  body,
  stream: false,
  headers: { 'anthropic-beta': 'a-1, b-2' },
  signal: new AbortController().signal,
});
const ways = {
  'chat completions to messages': toAnthropic,
  'messages to chat completions': toOpenai,
  'chat completions to Ollama': (body: JsonObject) => ollamaBody(call(body)),
  'messages to Converse': (body: JsonObject) => converseInput(call(body)),
};
const way = z.enum(Object.keys(ways) as (keyof typeof ways)[]);
const { wholes, parts } = readCases(
  'test/unit/models/dialects/translated-requests.yaml',
  z.strictObject({ wholes: rows(text, way, object, object), parts: rows(text, way, object, object) }),
);
const crossed = (name: keyof typeof ways, body: JsonObject): unknown =>
  JSON.parse(
    JSON.stringify(ways[name](body), (_, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString() : value,
    ),
  );

test.each(wholes)('[chat.translated-members] %s: %s', (_, name, body, expected) => {
  expect(crossed(name, body)).toEqual(expected);
});

test.each(parts)('%s: %s', (_, name, body, expected) => {
  expect(crossed(name, body)).toMatchObject(expected);
});
