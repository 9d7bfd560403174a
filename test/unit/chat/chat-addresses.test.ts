/** Addresses that a chat would have its provider fetch. */
import * as z from 'zod';
import { addressesToDecide, refuseAddresses } from '#core/chat/chat-addresses.ts';
import { type Configuration, configurationSchema } from '#core/contracts/config.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { readCases } from '../../support/yaml.ts';

const anObject = z.custom<JsonObject>(isObject);
const { refused } = readCases(
  'test/unit/chat/chat-addresses.yaml',
  z.strictObject({ refused: z.array(z.tuple([z.string(), anObject])) }),
);

const settings = (more: object = {}): Configuration =>
  configurationSchema.parse({
    version: 1,
    tenants: [{ id: 'default', api_keys: ['key-of-the-tenant-1'] }],
    ...more,
  }) as unknown as Configuration;
const picture = (url: string): JsonObject => ({ type: 'image_url', image_url: { url } });
const block = (url: string, type = 'image'): JsonObject => ({ type, source: { type: 'url', url } });
const asked = (part: JsonObject, dialect: 'openai' | 'anthropic' = 'openai') => ({
  dialect,
  body: { model: 'm', messages: [{ role: 'user', content: [{ type: 'text', text: 'see http://10.0.0.1/' }, part] }] },
});
const passes = (part: JsonObject, more: object = {}, dialect?: 'anthropic') => {
  refuseAddresses(settings(more), asked(part, dialect), true);
  return true;
};

describe('[chat.addresses] refused are', () => {
  const tooLong = picture(`http://169.254.169.254/${'a'.repeat(9_000)}`);
  test.each([...refused, ['a very long one', tooLong] as const])('%s', (_what, part) => {
    for (const dialect of ['openai', 'anthropic'] as const)
      expect(() => refuseAddresses(settings(), asked(part, dialect), true)).toThrow(
        /messages\[0\]\.content\[1\].* chat_addresses/,
      );
  });
});

describe('[chat.addresses] allowed are', () => {
  test('public addresses, content in base64, ids of files and arguments of calls pass', () => {
    for (const part of [
      picture('https://images.example/a.png'),
      block('https://docs.example/a.pdf', 'document'),
      picture('data:image/png;base64,aGk='),
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
      { type: 'file', file: { file_data: 'data:application/pdf;base64,aGk=', filename: 'http' } },
      { type: 'image', source: { type: 'file', file_id: 'file-1' } },
      { type: 'web_search_result', url: 'http://10.0.0.1/', title: 'found' },
      { type: 'input_audio', input_audio: { data: 'aGk=', format: 'wav' } },
      { type: 'tool_use', id: 't', name: 'get', input: { image_url: 'http://10.0.0.1/' } },
    ])
      expect(passes(part)).toBe(true);
  });

  test('none allows no address, any allows all, and a list allows its hosts, private ones included', () => {
    const mine = picture('http://10.0.0.7/a.png');
    expect(() => passes(picture('https://images.example/a.png'), { chat_addresses: 'none' })).toThrow('chat_addresses');
    expect(passes(mine, { chat_addresses: 'any' })).toBe(true);
    expect(passes(mine, { chat_addresses: ['10.0.0.7'] })).toBe(true);
    expect(passes(picture('https://a.images.example/x'), { chat_addresses: ['*.images.example'] })).toBe(true);
    expect(() => passes(picture('https://images.example.evil/x'), { chat_addresses: ['images.example'] })).toThrow();
    expect(() =>
      passes(picture('https://images.example\\@evil.example/x'), { chat_addresses: ['images.example'] }),
    ).toThrow();
    expect(() =>
      passes(picture('https://images.example@evil.example/x'), { chat_addresses: ['images.example'] }),
    ).toThrow();
  });

  const governed = { chat_completions: { tool_use: 'govern' } };
  const shown = picture('https://images.example/a.png');

  test('under govern public addresses that are not listed are for the tool policy to decide', () => {
    const left = (part: JsonObject, more: object = {}, dialect?: 'anthropic') =>
      addressesToDecide(settings({ ...governed, ...more }), asked(part, dialect)).map(({ address }) => address);
    expect(passes(shown, governed)).toBe(true);
    expect(left(shown)).toEqual(['https://images.example/a.png']);
    expect(left(shown, { chat_addresses: ['docs.example'] })).toEqual(['https://images.example/a.png']);
    for (const chat_addresses of [['images.example'], 'any']) expect(left(shown, { chat_addresses })).toEqual([]);
    // The setting of the other endpoint does not count.
    expect(left(block('https://images.example/a.png'), {}, 'anthropic')).toEqual([]);
  });

  test('under govern private addresses are refused, and every address with none', () => {
    for (const chat_addresses of ['public', ['docs.example']])
      expect(() => passes(picture('http://10.0.0.7/a.png'), { ...governed, chat_addresses })).toThrow(
        'not a public http or https address',
      );
    expect(() => passes(shown, { ...governed, chat_addresses: 'none' })).toThrow('chat_addresses does not allow');
  });

  test('lines of batches are not decided, so they pass listed addresses only', () => {
    const line =
      (part: JsonObject, more: object = {}) =>
      () =>
        refuseAddresses(settings({ ...governed, ...more }), asked(part), false);
    expect(line(shown)).toThrow('lines of a batch are not decided');
    expect(line(shown, { chat_addresses: ['images.example'] })).not.toThrow();
    expect(line(picture('data:image/png;base64,aGk='))).not.toThrow();
  });
});
