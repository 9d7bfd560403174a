/** Organisations: names are unique, and references resolve. */
import { packFiles } from '#adapters/files/pack-files.ts';
import { loadConfiguration } from '#features/load-configuration.ts';

const base = `
version: 1
people: [{ id: ann, role: operator }, { id: bob, role: operator }]
tenants: [{ id: shop-prod, api_keys: [{ key: k1 }] }, { id: shop-dev, api_keys: [{ key: k2 }] }]
`;
const organizations = (environments: string, members = '[ann, bob]') => `
organizations:
  - id: acme
    teams: [{ id: web, members: ${members}, projects: [{ id: shop, environments: ${environments} }] }]
`;
const one = organizations('[{ id: production, kind: production, tenant: shop-prod }]');
const load = (text: string) => loadConfiguration(base + text, { packs: packFiles('policies') });

test('[identity.organizations] a tenant can belong to only one environment, and names must be unique and known', async () => {
  await expect(load(one)).resolves.toBeDefined();
  await expect(
    load(
      organizations(
        '[{ id: production, kind: production, tenant: shop-prod }, { id: live, kind: production, tenant: shop-prod }]',
      ),
    ),
  ).rejects.toThrow(
    /organizations\[0\]\.teams\[0\]\.projects\[0\]\.environments\[1\]\.tenant.*shop-prod.*acme\/web\/shop\/production/s,
  );
  await expect(load(organizations('[{ id: p, kind: production, tenant: shop-prodd }]'))).rejects.toThrow(/shop-prod/);
  await expect(load(organizations('[]', '[anne]'))).rejects.toThrow(/members\[0\].*anne.*ann/s);
  await expect(load(organizations('[{ id: p, kind: prod, tenant: shop-prod }]'))).rejects.toThrow(/kind/);
});

test('[identity.separation-rules] a rule must name existing teams with enough people; a rule that applies nowhere causes a warning', async () => {
  const rule = (text: string) => load(`${one}separation_rules: [${text}]\n`);
  await expect(
    rule('{ applies_to: "acme/**", requires: { approvals: 2, from_teams: [acme/web] } }'),
  ).resolves.toBeDefined();
  await expect(rule('{ applies_to: "acme/**", requires: { approvals: 3, from_teams: [acme/web] } }')).rejects.toThrow(
    /separation_rules\[0\]\.requires\.approvals.*at most 2/s,
  );
  await expect(rule('{ applies_to: "acme/**", requires: { from_teams: [acme/wep] } }')).rejects.toThrow(/acme\/web/);
  await expect(rule('{ applies_to: "acme/**", requires: { approvals: 0 } }')).rejects.toThrow(/approvals/);
  const { warnings } = await rule('{ name: idle, applies_to: "acme/*/*/staging", requires: { approvals: 2 } }');
  expect(warnings.join('\n')).toContain('separation_rules[0] (idle) applies to no environment');
});

describe('[identity.separation-rules] a rule that no votes can satisfy causes a warning that names the people who could vote', () => {
  const warningsOf = async (rule: string, more = one) =>
    (await load(`${more}separation_rules: [${rule}]\n`)).warnings.filter((each) => each.includes('separation_rules'));
  const told = (who: string) => [
    `separation_rules[0] (eyes) cannot be satisfied in acme/web/shop/production: ${who}. Calls that it applies to are never approved.`,
  ];

  test.each([
    [
      'more approvals than people',
      '{ approvals: 3 }',
      'it asks for 3 approvals, and 2 of the people can give one (ann, bob)',
    ],
    [
      'all people are of the team',
      '{ not_same_team: true }',
      'it asks for 1 approval, and 0 of the people can give one',
    ],
    ['roles that nobody has', '{ roles: [admin] }', 'it asks for 1 approval, and 0 of the people can give one'],
    ['viewers do not vote', '{ roles: [viewer] }', 'it asks for 1 approval, and 0 of the people can give one'],
  ])('%s', async (_why, requires, who) => {
    expect(await warningsOf(`{ name: eyes, applies_to: "acme/**", requires: ${requires} }`)).toEqual(told(who));
  });

  test('a key can give its person a higher role than they have elsewhere', async () => {
    const key = '{ key: k3, kind: human, person: ann, role: admin }';
    const text = `${base.replace('{ key: k2 }', `{ key: k2 }, ${key}`)}${one}separation_rules: [{ applies_to: "acme/**", requires: { roles: [admin] } }]\n`;
    const { warnings } = await loadConfiguration(text, { packs: packFiles('policies') });
    expect(warnings.filter((each) => each.includes('separation_rules'))).toEqual([]);
  });

  test('a role granted at a level counts, and so do people from other teams', async () => {
    const granted = one.replace('id: web,', 'id: web, grants: [{ person: bob, role: admin }],');
    expect(await warningsOf('{ applies_to: "acme/**", requires: { roles: [admin] } }', granted)).toEqual([]);
    const others = organizations('[{ id: production, kind: production, tenant: shop-prod }]', '[ann]');
    expect(await warningsOf('{ applies_to: "acme/**", requires: { not_same_team: true } }', others)).toEqual([]);
  });
});

test('[config.unknown-keys] an invalid glob in a separation rule is reported with its position', async () => {
  const rule = (text: string) => load(`${one}separation_rules: [${text}]\n`);
  await expect(rule('{ applies_to: "acme/{b", requires: {} }')).rejects.toThrow(
    /separation_rules\[0\]\.applies_to \(line \d+\): found "acme\/\{b"/,
  );
  await expect(rule('{ applies_to: "acme/**", capability: "{write", requires: {} }')).rejects.toThrow(
    /separation_rules\[0\]\.capability \(line \d+\)/,
  );
});
