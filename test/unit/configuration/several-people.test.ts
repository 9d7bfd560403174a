/** Configuration of several approvers for one tool, and possible mistakes. */
import { load } from './loading.ts';

const configured = (rule: string, more = '') =>
  load(`version: 1
people: [{ id: ann, role: operator }, { id: bob, role: operator }, { id: eve, role: viewer }]
tenants: [{ id: t1, api_keys: [{ key: k1 }] }]
tool_policies: { pack: null, rules: [{ protocol: git, tool: scm.merge, decision: review, ${rule} }] }
${more}`);
const acme = 'organizations: [{ id: acme, teams: [{ id: web, members: [ann] }, { id: ops, members: [ann, bob] }] }]\n';
const unsatisfied = async (rule: string, more = '') =>
  (await configured(rule, more)).warnings.filter((each) => each.includes('approval'));

test.each([
  ['approval: { required: 2 }', ''],
  ['approval: { required: 2, from_teams: [acme/ops] }', acme],
  ['approval: { roles: [operator, admin], timeout_seconds: 60 }', ''],
])('[config.contradictions] %s is accepted without a warning', async (rule, more) => {
  expect(await unsatisfied(rule, more)).toEqual([]);
});

test.each([
  ['approval: { required: 0 }', 'approval\\.required.*found 0'],
  ['approval: { required: 11 }', 'approval\\.required.*found 11'],
  ['approval: { requires: 2 }', 'approval\\.requires.*approval: \\{ required: 2 \\} in the rule'],
  ['approvals: 2', 'rules\\[0\\]\\.approvals.*approval: \\{ required: 2 \\} in the rule'],
  ['approval: { from_teams: [acme/wep] }', 'from_teams\\[0\\].*acme/wep.*acme/web'],
  ['approval: { from_teams: [web] }', 'from_teams\\[0\\].*<organisation>/<team>'],
])('[config.contradictions] %s is refused', async (rule, message) => {
  await expect(configured(rule, acme)).rejects.toThrow(new RegExp(message, 's'));
});

test('[config.contradictions] the error for a separation rule with a tool suggests a policy rule instead', async () => {
  const rule = 'separation_rules: [{ applies_to: "acme/**", tool: scm.merge, requires: { approvals: 2 } }]\n';
  await expect(configured('reason: It is public.', acme + rule)).rejects.toThrow(
    /separation_rules\[0\]\.tool.*a rule of tool_policies with decision: review and approval: \{ required: 2 \}/s,
  );
  await expect(configured('colour: red')).rejects.not.toThrow(/required: 2/);
});

test('[config.contradictions] too few voters, and approval terms on a rule that does not review, cause warnings', async () => {
  expect(await unsatisfied('approval: { required: 3 }')).toEqual([
    expect.stringMatching(
      /^tool_policies\.rules\[0\]\.approval cannot be satisfied: it asks for 3 approvals, and 2 of the people/,
    ),
  ]);
  expect(await unsatisfied('approval: { required: 2, from_teams: [acme/web] }', acme)).toHaveLength(1);
  expect(await unsatisfied('target: x }, { protocol: git, decision: allow, approval: { required: 2 }')).toEqual([
    expect.stringContaining('decides allow, so it asks for no approval'),
  ]);
});

test('[config.contradictions] pack rules are also checked against the configured teams and people', async () => {
  const packed = async (approval: string) => {
    const { warnings } = await load(`version: 1
people: [{ id: ann, role: operator }, { id: bob, role: operator }]
tenants: [{ id: t1, api_keys: [{ key: k1 }] }]
tool_policies: { pack: { name: own, default_decision: review, rules: [{ protocol: git, tool: scm.merge, decision: review, approval: { ${approval} } }] } }
${acme}`);
    return warnings.filter((each) => each.includes('approval'));
  };
  await expect(packed('from_teams: [acme/wep]')).rejects.toThrow(
    /pack\.rules\[0\]\.approval\.from_teams\[0\].*acme\/web/s,
  );
  expect(await packed('required: 3')).toEqual([
    expect.stringMatching(/^tool_policies\.pack\.rules\[0\]\.approval cannot be satisfied/),
  ]);
  expect(await packed('required: 2, from_teams: [acme/ops]')).toEqual([]);
});
