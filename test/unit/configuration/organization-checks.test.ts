/** Organisations as they are written: names used once, and known where others are meant. */
import { packFiles } from '#adapters/files/pack-files.ts';
import { loadConfiguration } from '#core/configuration/load/load.ts';

const base = `
version: 1
people: [{ id: ann }, { id: bob }]
tenants: [{ id: shop-prod, api_keys: [{ key: k1 }] }, { id: shop-dev, api_keys: [{ key: k2 }] }]
`;
const organizations = (environments: string, members = '[ann, bob]') => `
organizations:
  - id: acme
    teams: [{ id: web, members: ${members}, projects: [{ id: shop, environments: ${environments} }] }]
`;
const one = organizations('[{ id: production, kind: production, tenant: shop-prod }]');
const load = (text: string) => loadConfiguration(base + text, { packs: packFiles('policies') });

test('[identity.organizations] a tenant belongs to one environment, and names are used once and known', async () => {
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

test('[identity.separation-rules] a rule names teams that exist and hold people enough; one that applies nowhere warns', async () => {
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
