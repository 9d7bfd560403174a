/** A key goes to the address it was entered for. */
import { loadConfiguration } from '#core/configuration/load.ts';
import { dropMovedKeys } from '#core/configuration/moved-keys.ts';
import { base, packs } from './memory.ts';

const configured = async (providers: string) =>
  (await loadConfiguration(base(`providers: [${providers}]`), { packs })).configuration;
const provider = (name: string, more: string, key = 'OPENAI_API_KEY') =>
  `{ name: ${name}, type: openai, api_key_env: ${key}${more} }`;
const at = (address: string) => `, base_url: "${address}"`;

const before = provider('openai', at('https://api.example/v1'));

test.each([
  ['another address', provider('openai', at('https://evil.example/v1'))],
  ['no address, which is the vendor', provider('openai', '')],
  ['another path', provider('openai', at('https://api.example/v2'))],
  ['another name and address', provider('other', at('https://evil.example/v1'))],
])('[config.base-url-drops-key] a provider with %s loses the key in force', async (_what, after) => {
  const { configuration, warnings } = dropMovedKeys(await configured(before), await configured(after));
  expect(configuration.providers[0]).not.toHaveProperty('api_key_env');
  expect(configuration.providers[0]?.type).toBe('openai');
  expect(warnings).toEqual([
    expect.stringMatching(/^The provider (openai|other) has another base_url than the one OPENAI_API_KEY/),
  ]);
});

test.each([
  ['the same address', before],
  ['the same address, written otherwise', provider('openai', at('https://API.example:443/v1/'))],
  ['the same address under another name', provider('renamed', at('https://api.example/v1'))],
  ['another address and another variable', provider('openai', at('https://evil.example/v1'), 'OTHER_KEY')],
  ['a key no provider had', `${before}, ${provider('new', at('https://new.example'), 'NEW_KEY')}`],
])('[config.base-url-drops-key] a provider with %s keeps its key', async (_what, after) => {
  const given = await configured(after);
  expect(dropMovedKeys(await configured(before), given)).toEqual({ configuration: given, warnings: [] });
});

test('[config.base-url-drops-key] of another type without an address, a provider calls another vendor', async () => {
  const moved = provider('openai', '').replace('type: openai', 'type: anthropic');
  const { warnings } = dropMovedKeys(await configured(provider('openai', '')), await configured(moved));
  expect(warnings).toHaveLength(1);
});

test('[config.base-url-drops-key] a key of two addresses may stay at either', async () => {
  const two = `${before}, ${provider('eu', at('https://eu.example'))}`;
  const swapped = `${provider('openai', at('https://eu.example'))}, ${provider('eu', at('https://third.example'))}`;
  const { configuration } = dropMovedKeys(await configured(two), await configured(swapped));
  expect(configuration.providers.map(({ api_key_env }) => api_key_env)).toEqual(['OPENAI_API_KEY', undefined]);
});
