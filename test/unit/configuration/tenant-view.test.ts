/** The configuration as a tenant's callers read it, which the console can load again. */

import { buildIdentities } from '#core/configuration/identity/identities.ts';
import { buildPolicyDocument } from '#core/configuration/load/policy-document.ts';
import { unsetKeyWarning } from '#core/configuration/store/secrets.ts';
import { commonWarnings } from '#core/configuration/store/warnings.ts';
import { asRead, placesAsRead, warningsAsRead } from '#core/configuration/tenant-view.ts';
import type { ToolPack } from '#core/contracts/tool-policy.ts';
import { loadConfiguration } from '#features/load-configuration.ts';
import { load } from './loading.ts';

const levels = (tenant: string, rule: string) =>
  `policies: { rules: [{ protocol: mcp, tool: "${rule}.*", decision: review }] },
   projects: [{ id: p-${tenant}, environments: [{ id: production, kind: production, tenant: ${tenant} }] }]`;
const configuration = `
version: 1
people:
  - { id: ann, name: Ann, role: operator, tenants: [mine], slack_id: "T1/UANN" }
  - { id: val, role: operator }
  - { id: zoe, role: admin, tenants: [theirs], github_login: zoe-hub }
identity:
  oidc:
    - { name: idp, issuer: "https://id.theirs.example", audiences: [a], callers: [{ tenant: theirs, kind: service }] }
tenants:
  - { id: mine, api_keys: [{ key: key-of-mine, kind: human, person: ann }, { key_env: MINE_KEY }] }
  - { id: theirs, system_prompt: "launch of project theirs", api_keys: [{ key: key-of-theirs, kind: human, person: zoe }] }
budgets: { global: { monthly_usd: 77 }, tenants: { mine: { daily_usd: 1 }, theirs: { monthly_usd: 99 } } }
organizations:
  - { id: acme, teams: [{ id: web, members: [ann], ${levels('mine', 'web')} },
                        { id: ops, members: [val], ${levels('theirs', 'theirs')} }] }
  - { id: theirs-org, teams: [{ id: t, members: [zoe] }] }
separation_rules:
  - { name: ours, applies_to: "acme/web/**", requires: { from_teams: [acme/ops] } }
  - { name: of-theirs, applies_to: "acme/ops/**", requires: { approvals: 1 } }
federation: { role: control, planes: [{ name: plane-theirs, tokens: [{ token_sha256: ${'ab'.repeat(32)} }] }] }
tool_policies: { pack: null, rules: [{ protocol: mcp, tool: "calendar.*", decision: allow }] }
`;
const loaded = async () => (await load(configuration)).configuration;
const reader = (tenant: string, tenants: string[] = [], platform = false) => ({ tenant, tenants, platform });

test('[policy-version.own-tenant] data about other tenants is not visible, nor is any key digest', async () => {
  const whole = await loaded();
  const read = asRead(reader('mine'), whole);
  expect(JSON.stringify(read)).not.toMatch(/theirs|zoe|idp|UANN|:77|:99/);
  expect(read.tenants[0]?.api_keys.map(({ key_sha256 }) => key_sha256?.slice(16))).toEqual(['0'.repeat(48), undefined]);
  expect(read.people?.map(({ id }) => id)).toEqual(['ann', 'val']); // val votes on requests in the tenant
  expect(read.organizations[0]?.teams.map(({ id, members, policies }) => [id, members, !!policies])).toEqual([
    ['web', ['ann'], true],
    ['ops', ['val'], false],
  ]);
  expect(read.separation_rules?.map(({ name }) => name)).toEqual(['ours']);
  expect(read.tool_policies).toEqual(whole.tool_policies);
  expect(read.budgets).toEqual({ tenants: { mine: { daily_usd: 1 } } });
});

test('[policy-version.own-tenant] teams required by the pack or by higher-level rules are visible; those required by other levels are not', async () => {
  const asking = (team: string) =>
    `policies: { rules: [{ protocol: mcp, tool: "a.*", decision: review, approval: { from_teams: [acme/${team}] } }] }`;
  const { configuration: whole } = await load(`
version: 1
people: [{ id: ann, role: operator }, { id: val, role: operator }, { id: zoe, role: operator }, { id: kim, role: operator }]
tenants: [{ id: mine, api_keys: [{ key: key-of-mine, kind: human, person: ann }] }, { id: theirs, api_keys: [{ key: key-of-theirs }] }]
organizations:
  - id: acme
    teams:
      - id: web
        projects: [{ id: a, ${asking('level')}, environments: [{ id: production, kind: production, tenant: mine }] }]
      - id: shop
        projects: [{ id: b, ${asking('hidden')}, environments: [{ id: production, kind: production, tenant: theirs }] }]
      - { id: level, members: [val] }
      - { id: hidden, members: [zoe] }
      - { id: packed, members: [kim] }
tool_policies: { pack: null }
`);
  const rules = [
    { protocol: 'mcp', tool: 'a', decision: 'review', approval: { from_teams: ['acme/packed'] } },
  ] as const;
  const pack = { name: 'own', default_decision: 'review', rules: [...rules], guards: [] } as unknown as ToolPack;
  const read = asRead(reader('mine'), { ...whole, tool_policies: { ...whole.tool_policies, pack } });
  expect(read.organizations[0]?.teams.map(({ id, members }) => [id, members])).toEqual([
    ['web', []],
    ['level', ['val']],
    ['packed', ['kim']],
  ]);
  expect(read.people?.map(({ id }) => id)).toEqual(['ann', 'val', 'kim']);
});

test('[policy-version.own-tenant] a caller sees rule positions only for its own levels; the platform sees all', async () => {
  const whole = await loaded();
  const places = {
    rules: ['a:1'],
    guards: {},
    levels: { 'acme/web': ['a:2'], 'acme/ops': ['a:3'], 'acme/we': ['a:4'] },
  };
  expect(placesAsRead(reader('mine'), whole, places)).toEqual({ ...places, levels: { 'acme/web': ['a:2'] } });
  expect(asRead(reader('mine', [], true), whole)).toBe(whole);
  expect(placesAsRead(reader('mine', [], true), whole, places)).toBe(places);
  // A caller that may act in every tenant can read all tenants, but no digests.
  const all = asRead(reader('mine', ['mine', '*']), whole);
  expect(all.tenants.map(({ id }) => id)).toEqual(['mine', 'theirs']);
  expect(all.organizations.flatMap(({ teams }) => teams.map(({ id }) => id))).toEqual(['web', 'ops']);
  expect(JSON.stringify(all)).not.toMatch(/"key_sha256":"[0-9a-f]{16}(?!0{48}")/);
});

test.each(['mine', 'theirs'])(
  '[policy-version.own-tenant] [console.playground] the configuration as seen by tenant %s can be loaded again',
  async (tenant) => {
    const read = asRead(reader(tenant), await loaded());
    const again = await loadConfiguration(JSON.stringify(read), { packs: () => '' });
    expect(again.configuration.tool_policies).toEqual(read.tool_policies);
  },
);

test('[policy-version.own-tenant] a caller sees the active warnings that apply to all callers or to its own keys', async () => {
  const whole = await loaded();
  const key = (name: string, tenant: string) => ({
    name,
    tenant,
    role: 'viewer' as const,
    kind: 'service' as const,
    key_sha256: 'cd'.repeat(32),
  });
  const built = buildIdentities({ keys: [key('ci', 'mine'), key('robot', 'theirs')], people: [], firstTenant: 'mine' });
  const given = { ...whole, tool_policies: { ...whole.tool_policies, disable_guards: ['secret-files'] } };
  const policyDocument = buildPolicyDocument(given);
  const common = commonWarnings({ configuration: given, policyDocument });
  const warnings = [
    ...common,
    unsetKeyWarning('MINE_KEY'),
    unsetKeyWarning('THEIRS_KEY'),
    'PLANE is not set',
    ...built.warnings,
  ];
  const snapshot = { configuration: given, policyDocument, identities: built.identities, warnings };
  expect(common).toEqual([expect.stringContaining('secret-files')]);
  expect(warningsAsRead(reader('mine'), snapshot)).toEqual([
    ...common,
    unsetKeyWarning('MINE_KEY'),
    'The key ci has the value of another key: neither is accepted.',
  ]);
  expect(JSON.stringify(warningsAsRead(reader('theirs'), snapshot))).not.toMatch(/MINE_KEY|\bci\b|PLANE/);
  expect(warningsAsRead(reader('mine', [], true), snapshot)).toBe(warnings);
});
