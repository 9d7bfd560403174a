/** Rules of levels of an organisation: what tightens is loaded, what would loosen is refused with the shortest call that shows it. */
import { packFiles } from '#adapters/files/pack-files.ts';
import { loadConfiguration } from '#core/configuration/load/load.ts';

interface Rules {
  readonly tools?: string;
  readonly organization?: string;
  readonly team?: string;
  readonly environment?: string;
}

const policies = (rules: string | undefined) => (rules === undefined ? '' : `, policies: { rules: [${rules}] }`);
const load = ({ tools = '', organization, team, environment }: Rules) =>
  loadConfiguration(
    `version: 1
tenants: [{ id: shop-prod, api_keys: [{ key: k1 }] }]
tool_policies: { pack: null, default_decision: review, rules: [{ protocol: git, tool: scm.get_*, decision: allow }, ${tools}] }
organizations:
  - id: acme
    teams:
      - id: web
        projects:
          - id: shop
            environments: [{ id: production, kind: production, tenant: shop-prod${policies(environment)} }]
        ${team === undefined ? '' : `policies: { rules: [${team}] }`}
    ${organization === undefined ? '' : `policies: { rules: [${organization}] }`}
`,
    { packs: packFiles('policies') },
  );
const problem = async (rules: Rules): Promise<string> => {
  const refused = await load(rules).then(
    () => 'loaded',
    (thrown: Error) => thrown.message,
  );
  return refused;
};

const blockMerge = '{ protocol: git, tool: scm.merge, decision: block }';

test('[identity.level-policies] a rule that allows what a level above blocks or reviews is refused, with the shortest call', async () => {
  const allowsMerge = '{ protocol: git, tool: scm.merge, decision: allow }';
  const found = await problem({ organization: blockMerge, team: allowsMerge });
  expect(found).toContain('organizations[0].teams[0].policies.rules[0].decision');
  expect(found).toContain('found allow, where tool_policies decides review (default)');
  expect(found).toContain('"tool":"scm.merge"');
  // Of the organisation alone: tool_policies allow it.
  const under = await problem({
    tools: allowsMerge,
    organization: blockMerge,
    environment: '{ protocol: git, tool: "scm.*", target: "acme/*", decision: allow }',
  });
  expect(under).toMatch(/environments\[0\]\.policies\.rules\[0\]\.decision.*found allow/s);
  // Only what every level allows may be allowed again, as an exception of the level's own rules.
  expect(
    await problem({
      organization: blockMerge,
      team: '{ protocol: git, tool: scm.get_*, decision: allow }, { protocol: git, tool: "scm.*", decision: review }',
    }),
  ).toBe('loaded');
});

test('[identity.level-policies] a review that tightens may cover what is blocked above; one that only lifts a block is refused', async () => {
  expect(await problem({ organization: blockMerge, team: '{ decision: review }' })).toBe('loaded');
  const lifts = await problem({
    organization: blockMerge,
    team: '{ protocol: git, tool: scm.merge, target: acme/shop, decision: review }',
  });
  expect(lifts).toContain('found review, where acme decides block (git:scm.merge)');
  expect(lifts).toContain('"target":"acme/shop"');
  expect(await problem({ organization: '{ tool: scm.merge, decision: review }', team: blockMerge })).toBe('loaded');
});

test('[identity.level-policies] a rule of a level compiles, can match, and issues no credential', async () => {
  expect(await problem({ team: '{ capability: raed, decision: block }' })).toMatch(
    /teams\[0\]\.policies\.rules\[0\]\.capability.*"raed".*read/s,
  );
  expect(await problem({ team: `{ decision: review }, ${blockMerge}` })).toMatch(
    /teams\[0\]\.policies\.rules\[1\].*never matches: covered by rules\[0\]/s,
  );
  expect(await problem({ team: '{ tool: x, decision: block, credential: { broker: scm, scope: read } }' })).toContain(
    'credential',
  );
  expect(await problem({ team: '' })).toContain('policies.rules');
});

test('[identity.level-policies] a rule that reviews what is reviewed above, and covers blocked calls as well, is loaded; one for blocked calls alone is not', async () => {
  const review = (tool: string) => `{ protocol: git, tool: "${tool}", decision: review }`;
  expect(await problem({ organization: blockMerge, environment: review('scm.{merge,push}') })).toBe('loaded');
  expect(await problem({ organization: blockMerge, environment: review('scm.merge') })).toContain(
    'found review, where acme',
  );
});

test('[identity.level-policies] a rule of which all calls are blocked above is refused beside one of the same name that is not', async () => {
  const blocked = '{ protocol: git, tool: scm.merge, target: "a/**", decision: block }';
  const lifting = '{ protocol: git, tool: scm.merge, target: "a/long/**", decision: review }';
  const partly = '{ protocol: git, tool: scm.merge, target: "{a,b}/**", decision: review }';
  expect(await problem({ organization: blocked, team: `${lifting}, ${partly}` })).toContain(
    'organizations[0].teams[0].policies.rules[0].decision',
  );
  expect(await problem({ organization: blocked, team: partly })).toBe('loaded');
});
