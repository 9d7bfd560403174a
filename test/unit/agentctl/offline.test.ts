/** Commands that work on files without a gateway: configurations, policies and decision tables. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home, serverOf } from './support.ts';

const home = new Home();
const server = serverOf(home);

const configuration = (policies: string, more = '', key = `{ key_sha256: ${'a'.repeat(64)} }`) =>
  `version: 1\nproviders: [{ name: mock, type: mock, enabled: true, models: [mock] }]\n` +
  `tenants: [{ id: default, api_keys: [${key}${more}] }]\ntool_policies: ${policies}\n`;
const strict = home.write('strict.yaml', configuration('{ pack: pr-writer }'));
const loose = home.write(
  'loose.yaml',
  configuration(
    '{ pack: pr-writer, disable_guards: [key-files], rules: [{ protocol: mcp, tool: deploy, decision: allow }] }',
    ', another-secret-key',
  ),
);
/** Configuration for the same comparison without a pack, because comparing packs takes a moment. */
const closed = home.write('closed.yaml', configuration('{ pack: null, default_decision: block }'));
const opened = home.write(
  'opened.yaml',
  configuration('{ pack: null, default_decision: block, rules: [{ protocol: mcp, tool: deploy, decision: allow }] }'),
);
const run = async (...args: string[]) => {
  const ran = await home.run(args);
  expect(server.seen).toEqual([]);
  return ran;
};
const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).out);

describe('[cli.config-check] config check', () => {
  test('a valid file is reported as valid with its warnings; with --strict, warnings fail the check', async () => {
    const plain = home.write('plain.yaml', configuration('{ pack: readonly }'));
    const valid = await run('config', 'check', plain, '--strict');
    expect([valid.code, valid.out.split('\n')[0]]).toEqual([0, `${plain} is valid`]);
    const warned = await run('config', 'check', loose, '--strict');
    expect([warned.code, warned.out]).toEqual([1, expect.stringContaining('The guard key-files of pack pr-writer')]);
    expect((await run('config', 'check', loose)).code).toBe(0);
  });

  test('each problem is reported with its line and a suggested spelling', async () => {
    const file = home.write(
      'bad.yaml',
      'version: 1\ntool_policys: {}\nproviders: [{ name: a, type: moc, models: [] }]\n',
    );
    const { code, err } = await run('config', 'check', file);
    expect([code, err]).toEqual([1, expect.stringContaining('tool_policys (line 2): found an unknown key')]);
    expect(err).toContain('did you mean "tool_policies"?');
    expect(err).toContain('did you mean "mock"?');
    expect((await json('config', 'check', file)).problems).toEqual(
      expect.arrayContaining([expect.stringContaining('providers[0].type (line 3): found "moc"')]),
    );
  });

  test('a pack is found in the same folder as the configuration file', async () => {
    home.write('packs/own.yaml', 'name: own\ndefault_decision: block\nrules: []\n');
    const file = home.write('packs/gateway.yaml', configuration('{ pack: ./own.yaml }'));
    expect((await run('config', 'check', file)).code).toBe(0);
  });

  test('a secret without a value causes a warning that --strict ignores', async () => {
    const provider =
      '{ name: hosted, type: openai, enabled: true, base_url: "https://models.example/v1", api_key_env: HOSTED_API_KEY, models: [m] }';
    const text = configuration('{ pack: readonly }').replace('providers: [', `providers: [${provider}, `);
    const file = home.write('secret.yaml', text);
    const { code, out, err } = await run('config', 'check', file, '--strict');
    expect([code, out, err]).toEqual([0, expect.stringContaining('HOSTED_API_KEY is not set'), '']);
  });
});

describe('[cli.config-check] config diff', () => {
  test('[policy.diff] shows changed keys, removed guards, own rules with the rules they override, and calls with a different decision, but never an API key', async () => {
    const { code, out } = await run('config', 'diff', strict, loose);
    expect(code).toBe(0);
    expect(out).toContain('tool_policies\n');
    expect(out).toContain('  ~ tool_policies.disable_guards: ');
    expect(out).toContain('lifted guard: key-files');
    expect(out).not.toContain('secret-key');
    expect(out).toMatch(
      /\nyour rule mcp:deploy \(tool_policies\.rules\[0\], loose\.yaml:\d+\) decides on calls that were held back by\n/,
    );
    expect(out).toMatch(/\n {2}block → allow {2}guard:key-files \(policies\/[a-z-]+\.yaml:\d+\)\n {4}example: \{/);
    expect(out).toMatch(/\n {2}review → allow {2}default\n {4}example: \{"protocol":"mcp","tool":"deploy"/);
    expect(out).toMatch(/\nloosened: \d+, of them [1-9]\d* by your rules, as above\n/);
    expect(out.split('\n').filter((line) => /^ {2}block → \w+ {2}guard:key-files → /.test(line)).length).toBeLessThan(
      3,
    );
  });

  test('--fail-on loosened fails for a looser file and passes for a stricter one', async () => {
    expect((await run('config', 'diff', closed, opened, '--fail-on', 'loosened')).code).toBe(1);
    expect((await run('config', 'diff', opened, closed, '--fail-on', 'loosened')).code).toBe(0);
    expect((await run('config', 'diff', closed, closed, '--fail-on', 'lifted')).code).toBe(0);
  });

  test('a single file is compared with the active configuration', async () => {
    const { configuration: served } = await loaded(opened);
    server.on('GET /admin/v1/config', { version: 3, configuration: served });
    const { code, out } = await home.run(['config', 'diff', closed]);
    expect([code, out]).toEqual([0, expect.stringContaining('loosened: 0')]);
    expect(out).toMatch(/tightened: [1-9]/);
    expect(server.seen.map(({ path }) => path)).toEqual(['/admin/v1/config']);
  });
});

/** Loads a file as a gateway would serve it. */
async function loaded(file: string) {
  const { loadConfiguration } = await import('#features/load-configuration.ts');
  const packs = (name: string) => readFileSync(join(process.cwd(), 'policies', `${name}.yaml`), 'utf8');
  const files = { prices: () => readFileSync('config/prices.yaml', 'utf8'), module: async () => new Uint8Array() };
  return loadConfiguration(readFileSync(file, 'utf8'), { packs, files });
}

describe('[cli.config-check] policy test', () => {
  const rows = (decision: string) =>
    `- { why: "tests <run>", protocol: shell, tool: shell.run, target: "", capability: execute, parameters: { command: pytest -q }, decision: allow }
- { protocol: mcp, tool: deploy, target: "", capability: execute, decision: ${decision}, matched_rule: "mcp:deploy" }\n`;

  test('succeeds if all rows in the table pass; shell lines are parsed as the gateway parses them', async () => {
    const cases = home.write('good.cases.yaml', rows('allow'));
    expect(await run('policy', 'test', loose, cases)).toMatchObject({ code: 0, out: '2 of 2 cases passed\n' });
  });

  test('a row with a different decision fails with its line number and appears in the JUnit file', async () => {
    const cases = home.write('bad.cases.yaml', rows('block'));
    const report = join(home.folder, 'junit.xml');
    const { code, out } = await run('policy', 'test', loose, cases, '--junit', report);
    expect([code, out]).toEqual([1, expect.stringContaining(`FAIL ${cases}:2  mcp deploy → block`)]);
    expect(out).toContain('expected block, got allow by mcp:deploy');
    const xml = readFileSync(report, 'utf8');
    expect(xml).toContain('tests="2" failures="1"');
    expect(xml).toContain('name="tests &lt;run&gt;: shell shell.run → allow"/>');
    expect(xml).toContain('<failure message="expected block, got allow by mcp:deploy">');
  });

  test('[cli.policy-tools] a failed test shows the call’s effects and the deciding rule; --explain shows every rule', async () => {
    const server = 'upstreams: { mcp: [{ name: hub, url: "https://hub.example/mcp" }] }\n';
    const policies = '{ pack: readonly, rules: [{ protocol: mcp, tool: push_files, upstream: hub, decision: allow }] }';
    const file = home.write('hub.yaml', configuration(policies) + server);
    const cases = home.write(
      'hub.cases.yaml',
      '- { protocol: mcp, tool: push_files, upstream: hub, target: acme/web, capability: write, parameters: { owner: acme, repo: web }, decision: allow }\n',
    );
    const { out } = await run('policy', 'test', file, cases);
    expect(out).toMatch(
      /expected allow, got block by \*:\* \(policies\/readonly\.yaml:\d+\)\n {2}what the call would do:\n/,
    );
    expect(out).toMatch(/- block {2}git push_files on acme\/web \(write\): \*:\* \(policies\/readonly\.yaml:\d+\)\n/);
    expect(out).not.toContain('rule 0');
    const whole = /rule 0 allow mcp:push_files \(hub\.yaml:\d+\) {2}no: protocol is git, not mcp\n/;
    expect((await run('policy', 'test', file, cases, '--explain')).out).toMatch(whole);
    const call = '--protocol mcp --tool push_files --upstream hub --target acme/web --capability write'.split(' ');
    const parameters = ['--param', 'owner=acme', '--param', 'repo=web'];
    const simulated = await run('simulate', '--policy', file, ...call, ...parameters, '--explain');
    expect(simulated.out).toMatch(whole);
    expect(simulated.out).toMatch(/rule 0 allow mcp:push_files \(hub\.yaml:\d+\) {2}matched\n/);
    expect((await run('simulate', '--policy', file, ...call, ...parameters)).out).not.toContain('rule 0');
  });

  test('a pack can be tested without a configuration', async () => {
    const pack = home.write(
      'own.yaml',
      'name: own\ndefault_decision: block\nrules: [{ protocol: mcp, tool: deploy, decision: allow }]\n',
    );
    const cases = home.write(
      'own.cases.yaml',
      '- { protocol: mcp, tool: deploy, target: "", capability: execute, decision: allow }\n',
    );
    expect((await run('policy', 'test', pack, cases)).code).toBe(0);
  });

  test.each([
    ['an unknown member', '- { protocol: mcp, tool: a, target: "", capability: read, decision: allow, wy: x }\n'],
    ['an unknown decision', '- { protocol: mcp, tool: a, target: "", capability: read, decision: alow }\n'],
    ['no rows', '[]\n'],
  ])('%s in the table is an error rather than a pass, and no report is written', async (name, table) => {
    const report = join(home.folder, `${name}.xml`);
    const ran = await run('policy', 'test', strict, home.write('odd.cases.yaml', table), '--junit', report);
    expect([ran.code, ran.out, existsSync(report)]).toEqual([1, '', false]);
  });
});

describe('[cli.policy-tools] policies as files', () => {
  test('diff-policy and policy diff compare two files', async () => {
    for (const words of [['diff-policy'], ['policy', 'diff']]) {
      const { loosened, tightened } = await json(...words, closed, opened);
      expect(tightened).toEqual([]);
      expect(loosened).toMatchObject([{ from: 'block', to: 'allow', rule_after: 'mcp:deploy' }]);
    }
  });

  test('[policy.diff] also shows differences in filters, approvals, limits, the tool guard and levels, none of which a pack has', async () => {
    const around = (filter: string, seconds: number, level: string, rpm: number) =>
      `${configuration('{ pack: null, default_decision: allow }')}
policies: { input: [{ name: jailbreak, type: keyword, action: ${filter}, keywords: [ignore previous] }] }
approvals: { timeout_seconds: ${seconds} }
tool_guard: { arguments: { path: ${rpm > 60 ? 'review' : 'block'} } }
transform: { system_prompt_prefix: "secret-looking ${seconds}" }
organizations:
  - id: acme
    policies: { rules: [{ protocol: mcp, tool: deploy, decision: ${level} }] }
    teams: [{ id: web, projects: [{ id: shop, environments: [{ id: production, kind: production, tenant: default }] }] }]
`;
    const before = home.write('before.yaml', around('block', 600, 'block', 60));
    const after = home.write('after.yaml', around('warn', 900, 'review', 90));
    const whole = await json('policy', 'diff', before, after);
    expect(whole.changes).toEqual(
      expect.arrayContaining([
        { section: 'policies', path: 'policies.input.jailbreak.action', from: '"block"', to: '"warn"' },
        { section: 'approvals', path: 'approvals.timeout_seconds', from: '600', to: '900' },
        { section: 'tool_guard', path: 'tool_guard.arguments.path', from: '"block"', to: '"review"' },
      ]),
    );
    expect([whole.loosened, whole.tightened]).toEqual([[], []]);
    expect(whole.levels).toMatchObject([
      { path: 'acme', tightened: [], loosened: [{ from: 'block', to: 'review', rule_after: 'mcp:deploy' }] },
    ]);
    const { out } = await run('policy', 'diff', before, after);
    expect(out).toContain('policies\n  ~ policies.input.jailbreak.action: "block" → "warn"\n');
    expect(out).toMatch(/level acme, by itself\ntightened: 0\nloosened: 1\n {2}block → review/);
    expect((await run('config', 'diff', before, after, '--fail-on', 'loosened')).code).toBe(1);
    expect((await run('config', 'diff', after, before, '--fail-on', 'loosened')).code).toBe(0);
    const pack = home.write(
      'alone.yaml',
      'name: own\ndefault_decision: block\nrules: [{ protocol: mcp, decision: allow }]\n',
    );
    const alone = await run('policy', 'diff', pack, after);
    expect(alone.err).toContain('only tool_policies, because one of the two is a pack');
    expect(alone.out).not.toContain('approvals');
  });

  test('simulate --policy evaluates calls against a file, as the route does', async () => {
    const call = ['--protocol', 'mcp', '--tool', 'deploy', '--target', '', '--capability', 'execute'];
    const [before, after] = [
      await run('simulate', '--policy', strict, ...call),
      await run('simulate', '--policy', loose, ...call),
    ];
    expect([before.code, before.out.split(' ')[0], after.code, after.out.split(' ')[0]]).toEqual([
      1,
      'review',
      0,
      'allow',
    ]);
  });

  test('a file and a version cannot be combined', async () => {
    const call = ['--protocol', 'mcp', '--tool', 'deploy', '--target', '', '--capability', 'execute'];
    expect((await run('simulate', '--policy', strict, '--policy-version', '3', ...call)).code).toBe(2);
  });
});
