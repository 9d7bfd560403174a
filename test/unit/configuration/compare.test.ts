/** Changed keys in words: lists and objects by content, but never secrets. */
import { compareConfigurations } from '#core/configuration/compare.ts';
import type { Configuration } from '#core/contracts/config.ts';
import { load } from './loading.ts';

const words = (before: object, after: object) =>
  compareConfigurations(of(before), of(after)).map(({ path, from, to }) => `${path}: ${from} → ${to}`);
const of = (more: object): Configuration => ({ ...base, ...more }) as Configuration;
let base: Configuration;
beforeAll(async () => {
  base = (await load('version: 1\ntenants: [{ id: default, name: D, api_keys: ["k-0123456789abcdef"] }]\n'))
    .configuration;
});
const policies = (more: object) => ({ tool_policies: { ...base.tool_policies, ...more } });
const rule = { protocol: 'mcp', tool: 'a', decision: 'allow' };

test.each<[string, () => object, () => object, string]>([
  [
    'rules that come',
    () => policies({ rules: [] }),
    () => policies({ rules: [rule, rule] }),
    'tool_policies.rules: no entries → 2 entries',
  ],
  [
    'a list of names',
    () => policies({ disable_guards: [] }),
    () => policies({ disable_guards: ['secret-files'] }),
    'tool_policies.disable_guards: no entries → ["secret-files"]',
  ],
  [
    'a list that may hold a secret',
    () => ({ server: { ...base.server, secrets: ['a'] } }),
    () => ({ server: { ...base.server, secrets: ['b'] } }),
    'server.secrets: a list (not shown) → a list (not shown)',
  ],
])('[policy.diff] %s', (_, before, after, line) => {
  expect(words(before(), after())).toEqual([line]);
});
