/** Configuration members that a tenant's callers can read: only those that are listed. */

import { listedPart } from '#core/configuration/shown-to-tenants.ts';
import { loadConfiguration } from '#features/load-configuration.ts';
import { configurationMembers } from '../../support/configuration-members.ts';
import { packs } from './memory.ts';

/** Members that are not shown, including everything below them. */
const hidden = `
  admin approvals.channels budgets.global credentials.brokers[].external_id_env credentials.tickets.key_env
  credentials.tickets.previous_key_env edge evaluation.secret_env evaluation.url executors.shell.env
  executors.shell.working_directory executors.sql.databases[].ca_env federation identity.aws identity.oidc
  people[].github_login people[].oidc_ids people[].slack_id providers[].api_key_env providers[].script server.cors
  telemetry tenants[].api_keys[].key upstreams.mcp[].env upstreams.mcp[].token_env`
  .trim()
  .split(/\s+/);

/** Returns a value with only this member: `a[].*.b` becomes `{ a: [{ anything: { b: 'here' } }] }`. */
const having = (member: string): object =>
  member
    .split('.')
    .toReversed()
    .reduce<object | string>((value, step) => {
      const name = step === '*' ? 'anything' : step.replace(/\[\]$/, '');
      return { [name]: step.endsWith('[]') ? [value] : value };
    }, 'here') as object;

const isShown = (member: string): boolean => JSON.stringify(listedPart(having(member))).includes('here');
const isBelow = (member: string, above: string): boolean =>
  member === above || /^(?:\.|\[)/.test(member.replace(above, ''));

test('[policy-version.own-tenant] every schema member is listed as either shown or hidden', () => {
  const members = configurationMembers();
  // An object is shown through its members.
  const ends = members.filter((member) => !members.some((other) => other !== member && isBelow(other, member)));
  const notShown = ends.filter((member) => !isShown(member));
  expect(ends.length).toBeGreaterThan(500);
  expect(notShown.filter((member) => !hidden.some((above) => isBelow(member, above)))).toEqual([]);
  expect(hidden.filter((above) => !notShown.some((member) => isBelow(member, above)))).toEqual([]);
  expect(members.filter((member) => hidden.some((above) => isBelow(member, above))).filter(isShown)).toEqual([]);
});

test('[policy-version.own-tenant] an unlisted member is hidden at any level', () => {
  const given = {
    version: 1,
    coming: 'x',
    approvals: { on_approval: 'execute', coming: 'x' },
    behavior: { window_minutes: { coming: 'x' }, known_hosts: ['a.example', { coming: 'x' }] },
    tenants: [{ id: 'a', coming: ['x'], api_keys: [{ name: 'k', coming: { deep: 'x' } }] }],
    budgets: { tenants: { a: { daily_usd: 1, coming: 'x' } } },
  };
  expect(listedPart(given)).toEqual({
    version: 1,
    approvals: { on_approval: 'execute' },
    behavior: { known_hosts: ['a.example'] },
    tenants: [{ id: 'a', api_keys: [{ name: 'k' }] }],
    budgets: { tenants: { a: { daily_usd: 1 } } },
  });
});

test('[policy-version.own-tenant] rules and guards are shown in full, including members added later', () => {
  const tool_policies = { rules: [{ tool: 'a', coming: { deep: ['x'] } }], pack: { guards: [{ coming: 'x' }] } };
  expect(listedPart({ tool_policies })).toEqual({ tool_policies });
});

test('[policy-version.own-tenant] [console.playground] the visible part of every kind of entry can be loaded again', async () => {
  const whole = `
version: 1
people: [{ id: ann, name: Ann, role: operator, slack_id: "T1/UANN", github_login: ann-hub }]
providers:
  - { name: openai, type: openai, models: ["gpt-*"], api_key_env: OPENAI_KEY, base_url: "https://api.openai.com/v1" }
  - { name: anthropic, type: anthropic, models: ["claude-*"], api_key_env: ANTHROPIC_KEY }
  - { name: local, type: ollama, models: ["llama*"], base_url: "http://127.0.0.1:11434", retry: { max_attempts: 3 } }
  - { name: rock, type: bedrock, models: ["nova-*"], region: eu-west-1 }
  - { name: mock, type: mock, models: [mock], script: { replies: [{ text: hello }] } }
routes: [{ match: { model: "gpt-*" }, providers: [openai] }]
aliases: { models: { fast: gpt-mini } }
tenants:
  - id: t1
    api_keys: [{ key: key-of-t1-0001, kind: human, person: ann, budget: { models: { "gpt-*": { daily_usd: 1 } } } }, { key_env: T1_KEY }]
    transform: { response: { replacements: { foo: bar } } }
approvals:
  channels:
    slack: { channel: C1, bot_token_env: SLACK_TOKEN, signing_secret_env: SLACK_SECRET }
    webhook: { url: "https://hooks.example/x", secret_env: HOOK_SECRET }
credentials:
  brokers:
    - { name: vault, type: vault, url: "https://vault.example", token_env: VAULT_TOKEN, mount: database, role: reader }
    - { name: role, type: sts, role_arn: "arn:aws:iam::123456789012:role/reader", region: eu-west-1, external_id_env: EXTERNAL }
    - { name: tickets, type: ticket }
  grants: [{ protocol: sql, tool: "*", broker: vault, scope: db }]
upstreams:
  mcp:
    - { name: files, transport: stdio, command: [node, server.mjs], env: [FILES_TOKEN], roots: ["/srv"] }
    - { name: web, url: "https://mcp.example/mcp", token_env: WEB_TOKEN, overrides: [{ tool: "*", capability: read }] }
  http: [{ name: api, base_url: "https://api.example", allowed_paths: ["/v1/**"] }]
executors:
  sql: { databases: [{ name: db, url_env: DB_URL, ca_env: DB_CA }] }
  shell: { enabled: true, allowed_binaries: [ls], working_directory: /srv/work, env: [LANG] }
policies: { input: [{ name: words, type: keyword, keywords: [secret], action: block }] }
evaluation: { url: "https://eval.example", secret_env: EVAL_SECRET, sample_rate: 0.5 }
telemetry: { otlp_endpoint: "https://otlp.example" }
tool_policies: { pack: null, rules: [{ protocol: sql, tool: "*", decision: allow, credential: { broker: vault, scope: db } }] }
`;
  const { configuration } = await loadConfiguration(whole, { packs });
  const shown = listedPart(configuration);
  expect(JSON.stringify(shown)).not.toMatch(
    /hooks|otlp|eval\.example|SLACK|_TOKEN"\]|EXTERNAL|DB_CA|UANN|ann-hub|OPENAI/,
  );
  const { configuration: again } = await loadConfiguration(JSON.stringify(shown), { packs });
  expect(listedPart(again)).toEqual(shown);
});
