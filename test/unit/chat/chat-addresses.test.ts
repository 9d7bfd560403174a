/** Addresses that a chat would make its provider fetch. */
import * as z from 'zod';
import { refuseAddresses } from '#core/chat/chat-addresses.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { configurationSchema } from '#features/configuration.ts';
import { object, readCases } from '../../support/yaml.ts';

const { refused } = readCases(
  'test/unit/chat/chat-addresses.yaml',
  z.strictObject({ refused: z.array(z.tuple([z.string(), object])) }),
);

const settings = (more: object = {}): Configuration =>
  configurationSchema.parse({
    version: 1,
    tenants: [{ id: 'default', api_keys: ['key-of-the-tenant-1'] }],
    ...more,
  }) as unknown as Configuration;
const picture = (url: string): JsonObject => ({ type: 'image_url', image_url: { url } });
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
  test('none permits no address, any permits all, and a list permits its hosts, including private ones', () => {
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

  test('lines in a batch are not evaluated individually, so only listed addresses pass', () => {
    const line =
      (part: JsonObject, more: object = {}) =>
      () =>
        refuseAddresses(settings({ ...governed, ...more }), asked(part), false);
    expect(line(shown)).toThrow('no decisions are made on lines of a batch');
    expect(line(shown, { chat_addresses: ['images.example'] })).not.toThrow();
    expect(line(picture('data:image/png;base64,aGk='))).not.toThrow();
  });
});
