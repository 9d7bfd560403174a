/** Every way in which a configuration is refused, one row each; and what a good one becomes. */
import { readFileSync } from 'node:fs';
import { loadConfiguration } from '#core/configuration/load/load.ts';
import { canonicalize, sha256 } from '#core/kernel/canonical.ts';
import { base, packs } from './memory.ts';

const load = (text: string) => loadConfiguration(text, { packs });
const tenant = (fields: string) => `version: 1\ntool_policies: { pack: null }\ntenants: [{ id: t1, ${fields} }]`;
const keys = (list: string) => `
version: 1
people: [{ id: alice, tenants: [other] }, { id: bob }]
tool_policies: { pack: null }
tenants:
  - { id: t1, api_keys: ${list} }
  - { id: other, api_keys: [key-of-the-other-tenant] }`;
const rules = (list: string) => base().replace('pack: null', `pack: null, rules: ${list}`);

const comments = (more: string) =>
  base(`approvals: { channels: { github: { token_env: HOST_TOKEN, webhook_secret_env: HOST_SECRET, ${more} } } }`);

type Row = [what: string, text: string, expected: string];

describe('[config.unknown-keys] keys the schema does not know', () => {
  test.each<Row>([
    ['at the top', base('colour: red'), 'colour (line 8): found an unknown key, allowed version, server, admin'],
    [
      'in a list',
      tenant('api_keys: [a-key], colour: red'),
      'tenants[0].colour (line 3): found an unknown key, allowed id, name',
    ],
    [
      'in a key entry',
      keys('[{ key: a, rolle: admin }]'),
      'tenants[0].api_keys[0].rolle (line 6): found an unknown key, allowed key, key_env',
    ],
    [
      'in a rule',
      rules('[{ tools: x, decision: allow }]'),
      'tool_policies.rules[0].tools (line 7): found an unknown key',
    ],
    [
      'in a broker',
      base('credentials: { brokers: [{ name: b, type: static, secret_env: B, x: 1 }] }'),
      'brokers[0].x (line 8): found an unknown key, allowed name, type, secret_env',
    ],
    [
      'in a filter',
      base('policies: { input: [{ name: n, type: pii, action: warn, entities: [email], x: 1 }] }'),
      'policies.input[0].x (line 8): found an unknown key, allowed name, action, type, entities',
    ],
  ])('%s', async (_what, text, expected) => {
    await expect(load(text)).rejects.toThrow(expected);
  });
});

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
  ['an empty name', base('providers: [{ name: "", type: mock }]'), 'providers[0].name (line 8): found an empty text'],
  [
    'an empty type',
    base('providers: [{ name: a, type: "" }]'),
    'providers[0].type (line 8): found an empty text, allowed mock, openai',
  ],
  ['no type', base('providers: [{ name: a }]'), 'providers[0].type (line 8): found nothing, allowed mock, openai'],
  [
    'the same name twice',
    base('providers: [{ name: a, type: mock }, { name: A, type: mock }]'),
    'providers[1].name (line 8): found "A" again, allowed provider names used once (entry 0 has it)',
  ],
  [
    'a password in an address',
    base('providers: [{ name: a, type: openai, base_url: "https://u:hunter2@h" }]'),
    'found a string (not shown), allowed a URL without user name and password',
  ],
])('[config.provider-names] provider with %s', async (_what, text, expected) => {
  await expect(load(text)).rejects.toThrow(expected);
});

test.each<Row>([
  [
    'in providers',
    base('routes: [{ match: { model: "*" }, providers: [mock, nobody] }]'),
    'routes[0].providers[1] (line 8): found "nobody", allowed one of the providers mock',
  ],
  [
    'in regions',
    base('routes: [{ match: { model: "*" }, regions: [{ name: eu, providers: [nobody] }] }]'),
    'routes[0].regions[0].providers[0] (line 8): found "nobody"',
  ],
  [
    'neither',
    base('routes: [{ match: { model: "*" } }]'),
    'routes[0] (line 8): found none, allowed exactly one of providers, regions',
  ],
])('[config.routes-known-providers] a route naming unknown providers %s', async (_what, text, expected) => {
  await expect(load(text)).rejects.toThrow(expected);
});

test.each<Row>([
  [
    'without keys',
    tenant('api_keys: []'),
    'tenants[0].api_keys (line 3): found an empty list, allowed at least one API key',
  ],
  [
    'without the list',
    'version: 1\ntenants: [{ id: t1 }]',
    'tenants[0].api_keys (line 2): found nothing, allowed a list',
  ],
  [
    'of one id',
    'version: 1\ntool_policies: { pack: null }\ntenants: [{ id: a, api_keys: [k-1] }, { id: a, api_keys: [k-2] }]',
    'tenants[1].id (line 3): found "a" again, allowed tenant ids used once',
  ],
  ['none at all', 'version: 1\ntenants: []', 'tenants (line 2): found an empty list, allowed at least one tenant'],
  [
    'budget of an unknown one',
    base('budgets: { tenants: { nobody: { monthly_usd: 1 } } }'),
    'budgets.tenants.nobody (line 8): found tenant "nobody", allowed one of the tenants default',
  ],
])('[config.tenants] tenants %s', async (_what, text, expected) => {
  await expect(load(text)).rejects.toThrow(expected);
});

test.each<Row>([
  [
    'requests',
    tenant('api_keys: [k], rate_limit: { requests_per_minute: -1 }'),
    'tenants[0].rate_limit.requests_per_minute (line 3): found -1, allowed a whole number, at least 0',
  ],
  ['tokens', tenant('api_keys: [k], rate_limit: { tokens_per_minute: -5 }'), 'tokens_per_minute (line 3): found -5'],
  [
    "a tenant's body",
    tenant('api_keys: [k], max_body_bytes: -1'),
    'tenants[0].max_body_bytes (line 3): found -1, allowed a whole number of bytes, at least 1',
  ],
  ["the server's body", base('server: { max_body_bytes: -1 }'), 'server.max_body_bytes (line 8): found -1'],
  [
    'a grant beyond an hour',
    base('credentials: { grants: [{ tool: a, broker: b, scope: s, ttl_seconds: 3601 }] }'),
    'found 3601, allowed a whole number of seconds from 1 to 3600',
  ],
])('[config.limits-not-negative] %s', async (_what, text, expected) => {
  await expect(load(text)).rejects.toThrow(expected);
});

describe('[config.keys] key entries', () => {
  test.each<Row>([
    [
      'empty text',
      keys('[""]'),
      'tenants[0].api_keys[0] (line 6): found an empty text, allowed a key of at least one character',
    ],
    ['empty key', keys('[{ key: "" }]'), 'tenants[0].api_keys[0].key (line 6): found an empty text'],
    ['a key with blanks', keys('["two words"]'), 'a key of visible ASCII characters'],
    ['twice', keys('[k-1, k-1]'), 'tenants[0].api_keys[1] (line 6): found the key of tenants[0].api_keys[0] again'],
    [
      'twice, once by digest',
      keys(`[k-1, { key_sha256: ${sha256('k-1')} }]`),
      'found the key of tenants[0].api_keys[0] again',
    ],
    [
      'in two tenants',
      keys('[key-of-the-other-tenant]'),
      'tenants[1].api_keys[0] (line 7): found the key of tenants[0].api_keys[0] again',
    ],
    [
      'one variable twice',
      keys('[{ key_env: K }, { key_env: K, role: admin }]'),
      'tenants[0].api_keys[1] (line 6): found the key of',
    ],
    [
      'key beside key_env',
      keys('[{ key: a, key_env: K }]'),
      'found key and key_env, allowed exactly one of key, key_env, key_sha256',
    ],
    ['no key at all', keys('[{ role: admin }]'), 'found none, allowed exactly one of key, key_env, key_sha256'],
    [
      'neither text nor entry',
      keys('[7]'),
      'tenants[0].api_keys[0] (line 6): found a number (not shown), allowed a text or an object',
    ],
    [
      'an unknown person',
      keys('[{ key: a, kind: human, person: carol }]'),
      'api_keys[0].person (line 6): found "carol", allowed one of the people alice, bob',
    ],
    ['an unknown owner', keys('[{ key: a, owner: carol }]'), 'api_keys[0].owner (line 6): found "carol"'],
    [
      'a person on an agent',
      keys('[{ key: a, person: bob }]'),
      'found a key of kind agent, allowed person on keys of kind human',
    ],
    [
      'a person of another tenant',
      keys('[{ key: a, kind: human, person: alice }]'),
      'found "alice", allowed a person of this tenant (alice has other)',
    ],
  ])('%s', async (_what, text, expected) => {
    await expect(load(text)).rejects.toThrow(expected);
  });
});

test.each<Row>([
  ['of the cloud', keys('[{ key_env: AWS_SECRET_ACCESS_KEY }]'), 'allowed a name of your own, outside AWS_*'],
  ['of the process', keys('[{ key_env: PATH }]'), 'a name of your own'],
  [
    'of the runtime',
    base('admin: { token_env: NODE_OPTIONS }'),
    'admin.token_env (line 8): found a string (not shown)',
  ],
  ['in lower case', keys('[{ key_env: my_key }]'), 'the name of an environment variable'],
  ['that is a secret by mistake', base('admin: { token_env: "s3cr3t-value" }'), 'found a string (not shown)'],
  [
    'that lets callers in, sent out',
    base('providers: [{ name: p, type: openai, api_key_env: GATEWAY_ADMIN_TOKEN }]'),
    'providers[0].api_key_env (line 8): found GATEWAY_ADMIN_TOKEN, allowed another name: admin.token_env lets callers in by it',
  ],
  [
    'of a tenant, for the administrator',
    keys('[{ key_env: GATEWAY_ADMIN_TOKEN }]'),
    'allowed another name: admin.token_env',
  ],
])('[auth.secret-env-allow-list] a secret under a name %s', async (_what, text, expected) => {
  await expect(load(text)).rejects.toThrow(expected);
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
    'people[1].slack_id (line 5): found "T1/U1" again',
  ],
  [
    'two people of one login at the Git host, which knows no case',
    base().replace(
      '- { id: alice, role: admin }',
      '- { id: alice, github_login: octocat }\n  - { id: bob, github_login: OctoCat }',
    ),
    'people[1].github_login (line 5): found "OctoCat" again',
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

describe('[cors.origins] origins of pages', () => {
  const origins = (...list: string[]) => base(`server: { cors: { allowed_origins: ${JSON.stringify(list)} } }`);

  test.each([
    'app.example',
    'https://app.example/',
    'https://App.example',
    'https://app.example:443',
    'https://app.example/page',
    'https://*.app.example',
    'https://user@app.example',
    'https://app.example, https://b.example',
    'null',
  ])('%s, which no browser sends, fails the load', async (origin) => {
    await expect(load(origins('https://ok.example', origin))).rejects.toThrow(
      `server.cors.allowed_origins[1] (line 8): found ${JSON.stringify(origin)}, allowed "*", or an origin as browsers send it`,
    );
  });

  test('as browsers send them are taken', async () => {
    const list = [
      '*',
      'https://app.example',
      'http://localhost:5173',
      'http://[::1]:3000',
      'chrome-extension://abcdef',
    ];
    const { configuration } = await load(origins(...list));
    expect(configuration.server.cors.allowed_origins).toEqual(list);
  });
});

describe('[policy.shadowed-rule] rules that never match', () => {
  test('name the rules that cover them', async () => {
    const text = rules('[{ tool: "scm.*", decision: allow }, { tool: scm.push, decision: block }]');
    await expect(load(text)).rejects.toThrow(
      'tool_policies.rules[1] (line 7): found *:scm.push, which never matches: covered by rules[0] (*:scm.*)',
    );
  });

  test('of a pack are refused when its own rules cover them, and only warned of when configured rules do', async () => {
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

describe('[policy.guards.disable] guards of a pack', () => {
  const guarded = (more: string) =>
    base().replace(
      'pack: null',
      `pack: { name: mine, default_decision: review, guards: [{ name: secrets, paths: ["**.env"], reason: secret }], rules: [] }${more}`,
    );

  test('are out of force when named, with a warning', async () => {
    const { warnings, configuration } = await load(guarded(', disable_guards: [secrets]'));
    expect(configuration.tool_policies.disable_guards).toEqual(['secrets']);
    expect(warnings).toEqual([expect.stringContaining('The guard secrets of pack mine is disabled')]);
  });

  test('of another name fail the load, with the names there are', async () => {
    await expect(load(guarded(', disable_guards: [secret]'))).rejects.toThrow(
      'tool_policies.disable_guards[0] (line 7): found "secret", allowed one of the guards of pack mine secrets',
    );
  });

  test('take the calls of a rule that allows only what they block: it is refused', async () => {
    const rule = '{ tool: x, target: "a.env", decision: allow }';
    await expect(load(guarded(`, rules: [${rule}]`))).rejects.toThrow(
      'found *:x, which never matches: covered by guard:secrets',
    );
    const { warnings } = await load(guarded(`, rules: [${rule.replace('allow', 'block')}]`));
    expect(warnings).toEqual(['rules[0] (*:x) never matches: covered by guard:secrets.']);
  });

  test('beside a rule that allows more than they block load without a word', async () => {
    const { warnings } = await load(guarded(', rules: [{ tool: x, target: "src/**", decision: allow }]'));
    expect(warnings).toEqual([]);
  });
});

test.each([
  ['reed', '"reed"'],
  ['{read,fly}', '"fly"'],
  ['{re,de}ad', '"dead"'],
  ['x*', '"x*"'],
])('[policy.capability-words] the capability %s fails the load', async (capability, found) => {
  await expect(load(rules(`[{ tool: a, capability: "${capability}", decision: allow }]`))).rejects.toThrow(
    `tool_policies.rules[0].capability (line 7): found ${found}, allowed read, write, execute, delete`,
  );
});

test('[policy.capability-words] patterns over the known words load', async () => {
  const list = ['read', 'READ', '{write,execute}', '*e'];
  const { configuration } = await load(
    rules(`[${list.map((word, i) => `{ tool: t${i}, capability: "${word}", decision: allow }`).join(', ')}]`),
  );
  expect(configuration.tool_policies.rules).toHaveLength(list.length);
});

test('[policy.unknown-protocol-warns] an unknown protocol is stored and warned of', async () => {
  const { warnings, configuration } = await load(rules('[{ protocol: carrier-pigeon, decision: block }]'));
  expect(warnings.join()).toContain('carrier-pigeon');
  expect(configuration.tool_policies.rules).toHaveLength(1);
});

test('every problem is listed at once', async () => {
  const text = base('server: { max_body_bytes: -1 }\nmessages: { tool_use: maybe }\ncolour: red');
  await expect(load(text)).rejects.toMatchObject({
    code: 'invalid_request',
    data: {
      problems: [
        'server.max_body_bytes (line 8): found -1, allowed a whole number of bytes, at least 1',
        'messages.tool_use (line 9): found "maybe", allowed reject, govern, hook',
        expect.stringMatching(/^colour \(line 10\): found an unknown key/),
      ],
    },
  });
});

describe('[config.plain-key] what is stored of keys', () => {
  test('a plain text is an operator key of an agent without owner, kept by its digest alone', async () => {
    const { configuration } = await load(tenant('api_keys: [plain-string-key-1]'));
    expect(configuration.tenants[0]?.api_keys).toEqual([
      {
        key_sha256: sha256('plain-string-key-1'),
        role: 'operator',
        kind: 'agent',
        priority: 'normal',
        platform: false,
      },
    ]);
    expect(JSON.stringify(configuration)).not.toContain('plain-string-key-1');
  });

  test('the stored form loads again to itself: what GET shows may be PUT', async () => {
    const first = await load(readFileSync('config/gateway.yaml', 'utf8'));
    const again = await load(JSON.stringify(first.configuration));
    expect(again.sha256).toBe(first.sha256);
    expect(again.configuration).toEqual(first.configuration);
    expect(sha256(canonicalize(first.configuration))).toBe(first.sha256);
  });
});

test('[policy.rules-before-pack] the stored form carries its pack: name and rules', async () => {
  const { configuration } = await load(base().replace('pack: null', 'pack: sql-explorer'));
  expect(configuration.tool_policies.pack).toMatchObject({ name: 'sql-explorer' });
  expect(configuration.tool_policies.pack?.rules.length).toBeGreaterThan(3);
});

describe('model aliases', () => {
  const aliases = (models: string) => base(`aliases: { models: ${models} }`);
  const chain = (steps: number) =>
    aliases(
      `{ ${Array.from({ length: steps }, (_, i) => `a${i}: ${i + 1 < steps ? `a${i + 1}` : 'mock'}`).join(', ')} }`,
    );

  test.each<Row>([
    [
      'that lead to themselves',
      aliases('{ x: b, b: c, c: b }'),
      'aliases.models.b (line 8): found "b" → "c" → "b", allowed aliases that end at a model',
    ],
    ['that name themselves', aliases('{ a: a }'), 'aliases.models.a (line 8): found "a" → "a"'],
    [
      'of more than eight steps',
      chain(9),
      'aliases.models.a0 (line 8): found 9 steps, allowed at most 8 steps to a model',
    ],
  ])('%s are refused, each cycle once', async (_what, text, expected) => {
    const refused = await load(text).catch((error) => error);
    expect(refused.message).toContain(expected);
    expect(refused.data.problems).toHaveLength(1);
  });

  test('of eight steps are followed; one that leads to no model is warned of', async () => {
    expect((await load(chain(8))).warnings).toEqual([]);
    expect((await load(aliases('{ fast: mock-1, lost: gpt-9 }'))).warnings).toEqual([
      'aliases.models.lost: no route and no provider has the model gpt-9.',
    ]);
  });
});

test('routes to providers that are not enabled are warned of', async () => {
  const { warnings } = await load(
    base(`providers: [{ name: a, type: openai, enabled: false }, { name: b, type: mock }]
routes:
  - { match: { model: "x" }, providers: [b, a] }
  - { match: { model: "*" }, regions: [{ name: eu, providers: [a] }] }`),
  );
  expect(warnings).toEqual([
    'routes[0].providers[1]: the provider a is not enabled.',
    'routes[1].regions[0].providers[0]: the provider a is not enabled.',
  ]);
});

test.each<Row>([
  ['nobody', base('cache: { semantic: { embedder: nobody } }'), 'found "nobody", allowed none'],
  [
    'one that does not embed',
    base('providers: [{ name: a, type: anthropic }, { name: o, type: openai }]\ncache: { semantic: { embedder: a } }'),
    'cache.semantic.embedder (line 9): found "a", allowed one of the providers of type openai or bedrock o',
  ],
])('a semantic cache whose embedder is %s is refused', async (_what, text, expected) => {
  await expect(load(text)).rejects.toThrow(expected);
});

describe('[config.provider-entry] a provider entry', () => {
  test('takes name, type, enabled, base_url, api_key_env and models; hosted ones need no address of their own', async () => {
    const { configuration } = await load(
      base(`providers:
  - { name: o, type: openai, api_key_env: OPENAI_API_KEY, models: ["gpt-*"] }
  - { name: l, type: ollama, enabled: false, base_url: "http://127.0.0.1:11434", models: [llama3.2] }`),
    );
    expect(configuration.providers).toMatchObject([
      {
        name: 'o',
        type: 'openai',
        enabled: true,
        api_key_env: 'OPENAI_API_KEY',
        models: ['gpt-*'],
        timeout_ms: 60_000,
      },
      { name: 'l', type: 'ollama', enabled: false, base_url: 'http://127.0.0.1:11434', models: ['llama3.2'] },
    ]);
  });

  test('is there for mock, enabled, when none is configured', async () => {
    const { configuration } = await load(base());
    expect(configuration.providers).toMatchObject([
      { name: 'mock', type: 'mock', enabled: true, models: ['mock', 'mock-*'] },
    ]);
  });
});

test('version and tenants are enough', async () => {
  const { configuration, warnings } = await load(
    'version: 1\ntenants: [{ id: t1, api_keys: [a-key-of-16-characters] }]',
  );
  expect(configuration.tool_policies.pack?.name).toBe('pr-writer');
  expect(configuration).toMatchObject({
    admin: { token_env: 'GATEWAY_ADMIN_TOKEN' },
    providers: [{ name: 'mock', type: 'mock', enabled: true }],
    approvals: { timeout_seconds: 1800, on_approval: 'release', hold_seconds: 0 },
    messages: { tool_use: 'reject' },
  });
  expect(warnings).toEqual([
    "The pack's rule git:scm.create_pull_request names the broker scm, which is not configured.",
  ]);
});

test('short keys and human keys without a person are warned of', async () => {
  const { warnings } = await load(tenant('api_keys: [short, { key_env: H, kind: human }]'));
  expect(warnings).toEqual([
    'tenants[0].api_keys[0]: the key is shorter than 16 characters.',
    'tenants[0].api_keys[1]: a human key without person cannot vote on approvals.',
  ]);
});

test('the shipped configuration loads without a warning, and names its schema for editors', async () => {
  const text = readFileSync('config/gateway.yaml', 'utf8');
  expect(text.split('\n')[0]).toBe('# yaml-language-server: $schema=../docs/reference/gateway.schema.json');
  const { configuration, warnings } = await load(text);
  expect(warnings).toEqual([]);
  expect(configuration.credentials.grants[0]).toMatchObject({
    tool: 'scm.create_pull_request',
    broker: 'scm',
    scope: 'pull_requests:write,contents:read',
    ttl_seconds: 600,
  });
});

test('[responses.stored] only a provider of type openai keeps responses', async () => {
  const keeping = (type: string) =>
    load(base(`providers: [{ name: m, type: ${type}, models: ["*"], keeps_responses: true }]`));
  await expect(keeping('mock')).rejects.toThrow(
    'providers[0].keeps_responses (line 8): found true at a provider of type mock, allowed false, or type openai',
  );
  expect((await keeping('openai')).configuration.providers[0]?.keeps_responses).toBe(true);
});
