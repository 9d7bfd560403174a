/** Addresses that a chat would have its provider fetch. */
import { refuseAddresses } from '#core/chat/chat-addresses.ts';
import { type Configuration, configurationSchema } from '#core/contracts/config.ts';
import type { JsonObject } from '#core/kernel/json.ts';

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
  refuseAddresses(settings(more), asked(part, dialect));
  return true;
};

describe('[chat.addresses] refused are', () => {
  test.each<[string, JsonObject]>([
    ['metadata of a cloud', picture('http://169.254.169.254/latest/meta-data/')],
    ['this machine', picture('http://localhost:8081/admin/v1/config')],
    ['a number for a host', picture('http://2130706433/')],
    ['a private network', block('https://10.0.0.7/plan.pdf', 'document')],
    ['an inner name', block('http://metadata.google.internal/')],
    ['a file', picture('file:///etc/passwd')],
    ['an address without a scheme', picture('169.254.169.254/latest')],
    ['one of a file part', { type: 'file', file: { file_data: 'http://127.0.0.1/x.pdf' } }],
    ['one as a plain text', { type: 'input_image', image_url: 'http://[::1]/' }],
    ['one of sound', { type: 'audio_url', audio_url: { url: 'http://192.168.1.1/a.wav' } }],
    ['one within a result', { type: 'tool_result', tool_use_id: 't', content: [block('http://169.254.169.254/')] }],
  ])('%s', (_what, part) => {
    for (const dialect of ['openai', 'anthropic'] as const)
      expect(() => refuseAddresses(settings(), asked(part, dialect))).toThrow(
        /messages\[0\]\.content\[1\].* chat_addresses/,
      );
  });
});

describe('[chat.addresses] what is allowed', () => {
  test('public addresses, content in base64, ids of files and arguments of calls pass', () => {
    for (const part of [
      picture('https://images.example/a.png'),
      block('https://docs.example/a.pdf', 'document'),
      picture('data:image/png;base64,aGk='),
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
      { type: 'file', file: { file_data: 'data:application/pdf;base64,aGk=', filename: 'http' } },
      { type: 'image', source: { type: 'file', file_id: 'file-1' } },
      { type: 'tool_use', id: 't', name: 'get', input: { image_url: 'http://10.0.0.1/' } },
    ])
      expect(passes(part)).toBe(true);
  });

  test('none allows no address, any allows all, and a list its hosts, also those of a private network', () => {
    const mine = picture('http://10.0.0.7/a.png');
    expect(() => passes(picture('https://images.example/a.png'), { chat_addresses: 'none' })).toThrow('chat_addresses');
    expect(passes(mine, { chat_addresses: 'any' })).toBe(true);
    expect(passes(mine, { chat_addresses: ['10.0.0.7'] })).toBe(true);
    expect(passes(picture('https://a.images.example/x'), { chat_addresses: ['*.images.example'] })).toBe(true);
    expect(() => passes(picture('https://images.example.evil/x'), { chat_addresses: ['images.example'] })).toThrow();
    expect(() =>
      passes(picture('https://images.example@evil.example/x'), { chat_addresses: ['images.example'] }),
    ).toThrow();
  });

  test('under govern the tool policy decides what is fetched, so only listed hosts pass', () => {
    const governed = { chat_completions: { tool_use: 'govern' } };
    const shown = picture('https://images.example/a.png');
    expect(() => passes(shown, governed)).toThrow('tool_use: govern');
    expect(passes(shown, { ...governed, chat_addresses: ['images.example'] })).toBe(true);
    // The setting of the other endpoint does not count.
    expect(passes(block('https://images.example/a.png'), governed, 'anthropic')).toBe(true);
  });
});
