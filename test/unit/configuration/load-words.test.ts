/** Words, patterns and values that are refused, one row each. */

import { keys, load, type Row, rules, tenant } from './loading.ts';
import { base } from './memory.ts';

const comments = (more: string) =>
  base(`approvals: { channels: { github: { token_env: HOST_TOKEN, webhook_secret_env: HOST_SECRET, ${more} } } }`);
describe('[config.bad-words] words, patterns and globs', () => {
  test.each<Row>([
    [
      'decision',
      rules('[{ decision: perhaps }]'),
      'tool_policies.rules[0].decision (line 7): found "perhaps", allowed allow, review, block',
    ],
    [
      'default decision',
      base().replace('pack: null', 'pack: null, default_decision: no'),
      'default_decision (line 7): found "no", allowed allow, review, block',
    ],
    [
      'role',
      keys('[{ key: a, role: boss }]'),
      'tenants[0].api_keys[0].role (line 6): found "boss", allowed viewer, operator, admin',
    ],
    ['kind', keys('[{ key: a, kind: robot }]'), 'allowed agent, human, service'],
    [
      'action',
      base('policies: { input: [{ name: n, type: keyword, action: explode, keywords: [a] }] }'),
      'policies.input[0].action (line 8): found "explode", allowed block, review, warn, log',
    ],
    [
      'filter type',
      base('policies: { output: [{ name: n, type: magic, action: block }] }'),
      'policies.output[0].type (line 8): found "magic", allowed keyword, regex, pii, wasm',
    ],
    [
      'regex',
      base('policies: { input: [{ name: n, type: regex, action: block, patterns: ["("] }] }'),
      'policies.input[0].patterns[0] (line 8): found "(", allowed RE2 syntax',
    ],
    [
      'regex that looks around',
      base('policies: { input: [{ name: n, type: regex, action: block, patterns: [ok, "a(?=b)"] }] }'),
      'policies.input[0].patterns[1] (line 8): found "a(?=b)", allowed RE2 syntax, without lookaround',
    ],
    [
      'regex that refers back',
      base('policies: { output: [{ name: n, type: regex, action: block, patterns: ["(a)\\\\1"] }] }'),
      'policies.output[0].patterns[0] (line 8): found',
    ],
    [
      'regex that matches everything',
      base('policies: { input: [{ name: n, type: regex, action: block, patterns: ["x*"] }] }'),
      'found "x*", allowed a pattern that does not match the empty text',
    ],
    [
      'keyword of nothing visible',
      base('policies: { input: [{ name: n, type: keyword, action: block, keywords: [ok, "\\u200b"] }] }'),
      'policies.input[0].keywords[1] (line 8): found',
    ],
    [
      'timeout of a filter',
      base('policies: { input: [{ name: n, type: wasm, action: block, path: p, timeout: soon }] }'),
      'policies.input[0].timeout (line 8): found "soon", allowed a duration such as 100ms or 2s',
    ],
    [
      'glob of a tenant',
      tenant('api_keys: [k], allowed_models: [ok, "["]'),
      'tenants[0].allowed_models[1] (line 3): found "[", allowed a glob',
    ],
    [
      'glob of a budget',
      base('budgets: { tenants: { default: { models: { "{a": { daily_usd: 1 } } } } }'),
      'budgets.tenants.default.models."{a" (line 8): found "{a", allowed a glob',
    ],
    [
      'glob of a global budget',
      base('budgets: { global: { models: { "[": { daily_usd: 1 } } } }'),
      'budgets.global.models."[" (line 8): found "[", allowed a glob',
    ],
    [
      'glob of a rule',
      rules('[{ tool: "a[", decision: allow }]'),
      'tool_policies.rules[0] (line 7): found a rule that does not compile, allowed a rule as documented (tool',
    ],
    [
      'glob of a grant',
      base(
        'credentials: { brokers: [{ name: b, type: static, secret_env: B }], grants: [{ tool: "{a", broker: b, scope: s }] }',
      ),
      'credentials.grants[0].tool (line 8): found "{a", allowed a glob',
    ],
    [
      'upstream of a grant for mcp',
      base(
        'credentials: { brokers: [{ name: b, type: static, secret_env: B }], grants: [{ protocol: mcp, tool: "files.*", broker: b, scope: s }] }',
      ),
      'credentials.grants[0].upstream (line 8): found nothing, for protocol mcp and tool "files.*", a name that any server may use, allowed the name of an entry of upstreams.mcp; write for example upstream: files',
    ],
    [
      'upstream of a grant for every protocol, where there are MCP servers',
      base(
        'credentials: { brokers: [{ name: b, type: static, secret_env: B }], grants: [{ tool: "files.*", broker: b, scope: s }] }\nupstreams: { mcp: [{ name: files, url: "http://127.0.0.1:1/mcp" }] }',
      ),
      'credentials.grants[0].upstream (line 8): found nothing',
    ],
    [
      'upstream of a rule with a credential',
      `${rules('[{ protocol: "{mcp,http}", tool: a, decision: allow, credential: { broker: b, scope: s } }]')}\ncredentials: { brokers: [{ name: b, type: static, secret_env: B }] }`,
      'tool_policies.rules[0].upstream (line 7): found nothing',
    ],
    [
      'upstream nobody has',
      rules('[{ protocol: mcp, upstream: fils, decision: allow }]'),
      'tool_policies.rules[0].upstream (line 7): found "fils", allowed',
    ],
    [
      'glob of a model',
      base('routes: [{ match: { model: "[" }, providers: [mock] }]'),
      'routes[0].match.model (line 8): found "[", allowed a glob',
    ],
    [
      'JSON path',
      base('evidence: { sensitive: ["$$"] }'),
      'evidence.sensitive[0] (line 8): found "$$", allowed a JSON path',
    ],
    ['no object at all', 'just text', 'the document (line 1): found "just text", allowed an object'],
  ])('%s', async (_what, text, expected) => {
    await expect(load(text)).rejects.toThrow(expected);
  });
});
test.each<Row>([
  [
    'an unknown broker in a grant',
    base('credentials: { grants: [{ tool: a, broker: b, scope: s }] }'),
    'credentials.grants[0].broker (line 8): found "b", allowed none: no brokers are configured',
  ],
  [
    'an unknown broker in a rule',
    rules('[{ tool: a, decision: allow, credential: { broker: b, scope: s } }]'),
    'tool_policies.rules[0].credential.broker (line 7): found "b"',
  ],
  [
    'an unknown broker type',
    base('credentials: { brokers: [{ name: b, type: magic }] }'),
    'brokers[0].type (line 8): found "magic", allowed static, scm_app, sts, vault, secrets_manager',
  ],
  [
    'two people of one Slack account',
    base().replace(
      '- { id: alice, role: admin }',
      '- { id: alice, slack_id: T1/U1 }\n  - { id: bob, slack_id: T1/U1 }',
    ),
    'people[1].slack_id (line 5): Slack account "T1/U1" is defined twice (entries 0 and 1)',
  ],
  [
    'two people of one login at the Git host, which knows no case',
    base().replace(
      '- { id: alice, role: admin }',
      '- { id: alice, github_login: octocat }\n  - { id: bob, github_login: OctoCat }',
    ),
    'people[1].github_login (line 5): GitHub login "octocat" or "OctoCat" is defined twice',
  ],
  [
    'a login nobody can have',
    base().replace('alice, role: admin', 'alice, github_login: "helper[bot]"'),
    'people[0].github_login (line 4): found "helper[bot]", allowed the login of a person',
  ],
  [
    'pull-request comments without a place',
    comments(''),
    'approvals.channels.github (line 8): found neither repositories nor pull_request, allowed at least one',
  ],
  [
    'a fixed pull request that is none',
    comments('pull_request: acme/web'),
    'approvals.channels.github.pull_request (line 8): found "acme/web", allowed a pull request "<owner>/<name>#<number>"',
  ],
  [
    'a channel to escalate to that is not enabled',
    comments('repositories: ["acme/*"]').replace('approvals: {', 'approvals: { escalate_to: [webhook],'),
    'approvals.escalate_to[0] (line 8): found webhook, allowed github',
  ],
  [
    'a repository pattern that cannot be read',
    comments('repositories: ["acme/{web"]'),
    'approvals.channels.github.repositories[0] (line 8): found "acme/{web", allowed a glob',
  ],
  [
    'a token that verifies deliveries too',
    comments('repositories: ["acme/*"]').replace('HOST_TOKEN', 'HOST_SECRET'),
    'approvals.channels.github.token_env (line 8): found HOST_SECRET, allowed another name than that of a webhook secret',
  ],
  [
    'what verifies deliveries, sent out',
    `${comments('repositories: ["acme/*"]')}\nproviders: [{ name: p, type: openai, api_key_env: HOST_SECRET }]`,
    'found HOST_SECRET, allowed another name: approvals.channels.github.webhook_secret_env lets callers in by it',
  ],
  [
    "the administrator's id",
    base().replace('alice, role', 'platform-admin, role'),
    'allowed another id: this one is the admin token',
  ],
  [
    'a person in an unknown tenant',
    base().replace('role: admin', 'tenants: [nowhere]'),
    'people[0].tenants[0] (line 4): found "nowhere"',
  ],
  [
    'an unknown pack',
    base().replace('pack: null', 'pack: nothing'),
    'tool_policies.pack (line 7): found "nothing", allowed a readable pack: readonly, pr-writer, coding-agent, infra-review, sql-explorer, provenance, or a path',
  ],
  [
    'a pack that is misspelt [config.did-you-mean]',
    base().replace('pack: null', 'pack: pr-writter'),
    'did you mean "pr-writer"?',
  ],
  [
    'a provider without a name',
    `${base()}\nproviders: [{ name: "", type: mock }]`,
    'found an empty text, allowed letters, digits',
  ],
])('%s fails the load', async (_what, text, expected) => {
  await expect(load(text)).rejects.toThrow(expected);
});
