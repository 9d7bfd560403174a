/** Every way in which `federation` is refused. */
import { loadConfiguration } from '#core/configuration/load/load.ts';
import { base, packs } from './memory.ts';

const digest = 'a'.repeat(64);
const load = (federation: string, text = base(`federation: ${federation}`)) => loadConfiguration(text, { packs });
const control = (planes: string) => `{ role: control, planes: [${planes}] }`;
const eu = `{ name: eu, tokens: [{ token_sha256: ${digest} }] }`;
const url = 'control_plane_url: "https://control.test"';
const needed = { plane: 'plane: eu', url, token: 'token_env: PLANE_TOKEN', keys: `trusted_keys: [${digest}]` };
const data = (changed: Partial<typeof needed> = {}, more = '') =>
  `{ role: data, ${Object.values({ ...needed, ...changed })
    .filter((part) => part !== '')
    .join(', ')}${more} }`;

test.each([
  ['a plane without a token', control('{ name: eu, tokens: [] }'), 'at least one token'],
  ['a token of no kind', control('{ name: eu, tokens: [{}] }'), 'exactly one of token_env, token_sha256'],
  [
    'a plane twice',
    control(`${eu}, { name: EU, tokens: [{ token_env: OTHER }] }`),
    'is defined twice (entries 0 and 1)',
  ],
  ['a token of two planes', control(`${eu}, ${eu.replace('eu', 'us')}`), 'a token used once'],
  ['a plain token', control('{ name: eu, tokens: [{ token: secret }] }'), 'token_env, token_sha256'],
  ['the admin token', control('{ name: eu, tokens: [{ token_env: GATEWAY_ADMIN_TOKEN }] }'), 'another name'],
  ['planes of a data plane', data({}, `, planes: [${eu}]`), 'planes with role control'],
  ['planes without a role', `{ planes: [${eu}] }`, 'planes with role control'],
  ['keys of a control plane', `{ role: control, local_keys: [{ tenant: default, key_env: A_KEY }] }`, 'role data'],
  ['a data plane without a name', data({ plane: '' }), 'federation.plane'],
  ['a data plane without an address', data({ url: '' }), 'federation.control_plane_url'],
  ['a data plane without a token', data({ token: '' }), 'federation.token_env'],
  ['a data plane that trusts every key', data({ keys: '' }), 'the digest of the key that the control plane signs with'],
  ['a token in clear text', data({ url: url.replace('https', 'http') }), 'allowed https'],
  ['a key of no kind', data({}, ', local_keys: [{ tenant: default }]'), 'exactly one of key_env, key_sha256'],
  ['a staleness of days', data({}, ', max_staleness: 2d'), 'a duration such as'],
  ['an unknown word for stale', data({}, ', stale: allow'), 'serve, refuse'],
])('[federation.configuration] refuses %s', async (_what, federation, expected) => {
  await expect(load(federation)).rejects.toThrow(expected);
});

test('[federation.configuration] takes both roles; a data plane needs no key of a tenant', async () => {
  const ofControl = await load(control(eu));
  expect(ofControl.configuration.federation).toMatchObject({ role: 'control', max_staleness: '24h' });
  const bare = `version: 1\ntenants: [{ id: default, api_keys: [] }]\nfederation: ${data({ url: url.replace('https://control.test', 'http://127.0.0.1:1') })}`;
  expect((await load('', bare)).configuration.federation).toMatchObject({
    role: 'data',
    stale: 'refuse',
    poll_seconds: 10,
  });
  await expect(load('', bare.replace(/\nfederation.*/, ''))).rejects.toThrow('at least one API key');
});
