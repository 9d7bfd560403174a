/** Rules, guards and packs that cause a configuration to be refused or to get a warning. */

import { load, others, rules } from './loading.ts';
import { base } from './memory.ts';

describe('[policy.analysis] rules that never match', () => {
  test('are reported together with the rules that cover them', async () => {
    const text = rules('[{ tool: "scm.*", decision: allow }, { tool: scm.push, decision: block }]');
    await expect(load(text)).rejects.toThrow(
      'tool_policies.rules[1] (line 7): found *:scm.push, which never matches: covered by rules[0] (*:scm.*)',
    );
  });

  test('an unreachable pack rule is an error if the pack’s own rules cover it, and a warning if configured rules do', async () => {
    const pack =
      '{ name: mine, default_decision: review, rules: [{ tool: a, decision: allow }, { tool: a, decision: block }] }';
    await expect(load(base().replace('pack: null', `pack: ${pack}`))).rejects.toThrow(
      'tool_policies.pack (line 7): found pack rule 1 (*:a), which never matches',
    );
    const fine = pack.replace(', { tool: a, decision: block }', '');
    const { warnings } = await load(
      base().replace('pack: null', `pack: ${fine}, rules: [{ tool: "*", decision: block }]`),
    );
    expect(warnings).toContainEqual('pack rule 0 (*:a) never matches: covered by rules[0] (*:*).');
  });
});
describe('[policy.guards] guards in a pack', () => {
  const guarded = (more: string) =>
    base().replace(
      'pack: null',
      `pack: { name: mine, default_decision: review, guards: [{ name: secrets, paths: ["**.env"], reason: secret }], rules: [] }${more}`,
    );

  test('a guard listed in disable_guards is disabled with a warning', async () => {
    const { warnings, configuration } = await load(guarded(', disable_guards: [secrets]'));
    expect(configuration.tool_policies.disable_guards).toEqual(['secrets']);
    expect(others(warnings)).toEqual([expect.stringContaining('The guard secrets of pack mine is disabled')]);
  });

  test('loading fails on an unknown guard and lists the known names', async () => {
    await expect(load(guarded(', disable_guards: [secret]'))).rejects.toThrow(
      'tool_policies.disable_guards[0] (line 7): found "secret", allowed one of the guards of pack mine secrets',
    );
  });

  test('an allow rule fully covered by guards is refused', async () => {
    const rule = '{ tool: x, target: "a.env", decision: allow }';
    await expect(load(guarded(`, rules: [${rule}]`))).rejects.toThrow(
      'found *:x, which never matches: covered by guard:secrets',
    );
    const { warnings } = await load(guarded(`, rules: [${rule.replace('allow', 'block')}]`));
    expect(others(warnings)).toEqual(['rules[0] (*:x) never matches: covered by guard:secrets.']);
  });

  test('an allow rule partly covered by guards loads without a warning', async () => {
    const { warnings } = await load(guarded(', rules: [{ tool: x, target: "src/**", decision: allow }]'));
    expect(others(warnings)).toEqual([]);
  });
});
test.each([
  ['reed', '"reed"'],
  ['{read,fly}', '"fly"'],
  ['{re,de}ad', '"dead"'],
  ['x*', '"x*"'],
])('[config.unknown-keys] loading fails for the capability %s', async (capability, found) => {
  await expect(load(rules(`[{ tool: a, capability: "${capability}", decision: allow }]`))).rejects.toThrow(
    `tool_policies.rules[0].capability (line 7): found ${found}, allowed read, write, execute, delete`,
  );
});
test('[config.unknown-keys] patterns that match known capabilities load', async () => {
  const list = ['read', 'READ', '{write,execute}', '*e'];
  const { configuration } = await load(
    rules(`[${list.map((word, i) => `{ tool: t${i}, capability: "${word}", decision: allow }`).join(', ')}]`),
  );
  expect(configuration.tool_policies.rules).toHaveLength(list.length);
});
test('[config.warned] an unknown protocol is stored with a warning', async () => {
  const { warnings, configuration } = await load(rules('[{ protocol: carrier-pigeon, decision: block }]'));
  expect(warnings.join()).toContain('carrier-pigeon');
  expect(configuration.tool_policies.rules).toHaveLength(1);
});
test('[policy.default-decision] the stored form contains the pack with its name and rules', async () => {
  const { configuration } = await load(base().replace('pack: null', 'pack: sql-explorer'));
  expect(configuration.tool_policies.pack).toMatchObject({ name: 'sql-explorer' });
  expect(configuration.tool_policies.pack?.rules.length).toBeGreaterThan(3);
});
