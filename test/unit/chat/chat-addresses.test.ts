/** Addresses that a chat would have its provider fetch. */
import { addressesToDecide, refuseAddresses } from '#core/chat/chat-addresses.ts';
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
  refuseAddresses(settings(more), asked(part, dialect), true);
  return true;
};

describe('[chat.addresses] refused are', () => {
  test.each<[string, JsonObject]>([
    ['metadata of a cloud', picture('http://169.254.169.254/latest/meta-data/')],
    ['this machine', picture('http://localhost:8081/admin/v1/config')],
    ['one too long to be recognised', picture(`http://169.254.169.254/${'a'.repeat(9_000)}`)],
    ['a number for a host', picture('http://2130706433/')],
    ['a private network', block('https://10.0.0.7/plan.pdf', 'document')],
    ['an inner name', block('http://metadata.google.internal/')],
    ['a file', picture('file:///etc/passwd')],
    ['an address without a scheme', picture('169.254.169.254/latest')],
    ['one of a file part', { type: 'file', file: { file_data: 'http://127.0.0.1/x.pdf' } }],
    ['one as a plain text', { type: 'input_image', image_url: 'http://[::1]/' }],
    ['one of sound', { type: 'audio_url', audio_url: { url: 'http://192.168.1.1/a.wav' } }],
    ['one of a picture part', { type: 'image', url: 'http://10.0.0.1/a.png' }],
    ['one of a video part', { type: 'video', video: 'http://10.0.0.1/a.mp4' }],
    ['one of frames', { type: 'video', video: ['https://images.example/1.png', 'http://10.0.0.1/2.png'] }],
    ['one named as a URI', { type: 'file', file: { file_uri: 'http://10.0.0.1/a.pdf' } }],
    ['one within a result', { type: 'tool_result', tool_use_id: 't', content: [block('http://169.254.169.254/')] }],
  ])('%s', (_what, part) => {
    for (const dialect of ['openai', 'anthropic'] as const)
      expect(() => refuseAddresses(settings(), asked(part, dialect), true)).toThrow(
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
      { type: 'web_search_result', url: 'http://10.0.0.1/', title: 'found' },
      { type: 'input_audio', input_audio: { data: 'aGk=', format: 'wav' } },
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

  test('under govern private addresses are refused, as are all with none', () => {
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
