/** Mistakes that let a configuration load, but with a warning; and names that are defined twice. */
import { globSync, readFileSync } from 'node:fs';
import { textWarnings } from '#core/configuration/checks/text-warnings.ts';
import { readYaml } from '#core/configuration/load/yaml.ts';
import { load, rules } from './loading.ts';
import { base } from './memory.ts';

const warned = async (text: string) => (await load(text)).warnings;
const refusalOf = (text: string) =>
  load(text).then(
    () => '',
    ({ message }: Error) => message,
  );
const key = '{ key_sha256: '.concat('a'.repeat(64), ' }');

describe('[config.warned] a pattern that looks like a regular expression', () => {
  test.each([
    ['tool: "(get|list)_.*"', '{get,list}_*'],
    ['tool: "^scm\\\\.get_.*$"', 'scm.get_*'],
    ['tool: get|list', '{get,list}'],
    ['tool: ".*delete.*"', '*delete*'],
    ['tool: "delete_[a-z]+"', undefined],
    ['tool: "\\\\w+"', undefined],
    ['tool: x, target: "^acme/.*"', 'acme/**'],
    ['tool: x, target: "acme/(web|api)"', 'acme/{web,api}'],
    ['tool: x, arguments: { branch: { glob: "^release-\\\\d+$" } }', undefined],
  ])('%s causes a warning', async (rule, meant) => {
    const [warning, ...others] = (await warned(rules(`[{ ${rule}, decision: allow }]`))).filter((text) =>
      text.startsWith('tool_policies'),
    );
    expect(others).toEqual([]);
    expect(warning).toMatch(
      /^tool_policies\.rules\[0\]\.\S+ \(line 7\): ".*" looks like a regular expression; patterns are globs: /,
    );
    expect(/perhaps you mean "(.*)"\.$/.exec(warning!)?.[1]).toBe(meant);
  });

  test.each([
    ...['scm.*', 'scm.get_*', '{get,list}_*', 'get_?', '[gs]et_*', 'a+b', 'files.read_v1.2', '**'].map(
      (tool) => `tool: "${tool}"`,
    ),
    ...['src/**/*.ts', '/tmp/.*', '.env*', 'get pods | head', '-c (ls)', 'acme/web$'].map(
      (target) => `tool: x, target: "${target}"`,
    ),
  ])('%s is accepted as a glob', async (rule) => {
    const found = await warned(rules(`[{ ${rule}, decision: allow }]`));
    expect(found.filter((text) => text.includes('regular expression'))).toEqual([]);
  });

  test('is detected in other sections as well, and does not occur in shipped files', async () => {
    const found = await warned(
      base(`budgets: { tenants: { default: { models: { "gpt-.*": { monthly_usd: 1 } } } } }
routes: [{ match: { model: "^mock.*$" }, providers: [mock] }]`),
    );
    expect(found).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^budgets\.tenants\.default\.models\."gpt-\.\*" \(line 8\)/),
        expect.stringMatching(/^routes\[0\]\.match\.model \(line 9\)/),
      ]),
    );
    for (const file of globSync(['config/gateway.yaml', 'policies/!(*.cases).yaml'].flatMap((one) => globSync(one)))) {
      const { value, lineOf } = readYaml(readFileSync(file, 'utf8'), file);
      expect([file, textWarnings(value, lineOf)]).toEqual([file, []]);
    }
  });
});

describe('[config.warned] a secret in plain text', () => {
  const token = `ghp_${'a1B2'.repeat(9)}`;

  test.each([
    [
      'a key',
      `tenants: [{ id: t, api_keys: [agw_agent_mysecret] }]`,
      'tenants[0].api_keys[0] (line 2): the key is in plain text',
    ],
    [
      'a key with settings',
      `tenants: [{ id: t, api_keys: [{ key: agw_agent_mysecret }] }]`,
      'tenants[0].api_keys[0].key (line 2)',
    ],
    [
      'a token of a known form',
      `tenants: [{ id: t, name: ${token}, api_keys: [${key}] }]`,
      'tenants[0].name (line 2): holds a secret',
    ],
  ])('%s causes a warning that names the line but not the secret', async (_what, part, expected) => {
    const found = await warned(`version: 1\n${part}`);
    expect(found).toContainEqual(expect.stringContaining(expected));
    expect(found.join()).not.toMatch(/mysecret|ghp_/);
  });

  test('names, digests and secret patterns are not treated as secrets', async () => {
    const found = await warned(`version: 1
tenants: [{ id: t, api_keys: [{ key_env: MY_KEY }, ${key}] }]
policies: { input: [{ name: keys, type: regex, action: block, patterns: ["AKIA[0-9A-Z]{16}", "password=.+"] }] }
upstreams: { http: [{ name: a, base_url: "https://a.example/v1" }] }`);
    expect(found.join()).not.toContain('plain text');
  });

  test('a provider’s api_key is refused; the message names the member for its environment variable', async () => {
    const text = base('providers: [{ name: o, type: openai, api_key: sk-123 }]');
    const message = await refusalOf(text);
    expect(message).toContain('api_key_env names the environment variable that holds the secret');
    expect(message).not.toContain('sk-123');
  });
});

test('[config.contradictions] three entries with the same name are counted, and two rules with the same name cause a warning', async () => {
  const providers =
    '[{ name: a, type: mock }, { name: b, type: mock }, { name: a, type: mock }, { name: a, type: mock }]';
  await expect(load(base(`providers: ${providers}`))).rejects.toThrow(
    'Provider "a" is defined 3 times (entries 0, 2 and 3)',
  );
  const found = await warned(rules('[{ name: r, tool: x, decision: allow }, { name: r, tool: y, decision: allow }]'));
  expect(found).toContain('tool_policies.rules: Rule "r" is defined twice (entries 0 and 1).');
});

test.each(['', '\n', '# to be written\n', '---\n'])(
  '[config.unknown-keys] %j is empty, and the message says what to write',
  async (text) => {
    await expect(load(text)).rejects.toThrow(/The file is empty\. Write at least:\nversion: 1\ntenants:/);
  },
);

test('[config.warned] a program used by mistake as a protocol', async () => {
  const found = await warned(
    rules(
      '[{ protocol: kubectl, tool: "get*", decision: allow }, { protocol: "{git,shel}", tool: x, decision: allow }]',
    ),
  );
  expect(found).toEqual(
    expect.arrayContaining([
      'rules[0] (kubectl:get*): unknown protocol "kubectl": no call of an agent has it, so the rule can never match. Known are git, shell, sql, http, mcp. If kubectl is a program, its calls are of protocol shell, tool shell.kubectl.',
      'rules[1] ({git,shel}:x): unknown protocol "shel": no call of an agent has it. Known are git, shell, sql, http, mcp; did you mean "shell"?',
    ]),
  );
});
