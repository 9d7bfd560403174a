/** The console's bundled playground engine gives the same results as `POST simulate`. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix, resolve } from 'node:path';
import { build } from 'esbuild';
import fc from 'fast-check';
import { parse } from 'yaml';
import type { ToolCall } from '#core/contracts/envelope.ts';
import { sqlEffects } from '#core/effects/sql.ts';
import { shippedPacks } from '#core/policy/rules/pack.ts';
import { Buffer as InBrowser } from '../../console/evidence/buffer.ts';
import type * as engines from '../../console/policies/engine.ts';
import * as paths from '../../console/policies/node-path.ts';
import { caller } from '../support/call-endpoint.ts';
import { casesOf, runs } from '../support/extent.ts';
import type { Loose } from '../support/loose.ts';
import { type TestPorts, testPorts } from '../support/ports.ts';

const root = resolve(__dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'console-engine-'));
let engineOf: typeof engines.engineOf;

/** Builds the engine as `console/build.mjs` does, and loads it here. */
beforeAll(async () => {
  const outfile = join(folder, 'engine.cjs');
  await build({
    absWorkingDir: root,
    entryPoints: ['console/policies/engine.ts'],
    outfile,
    bundle: true,
    format: 'cjs',
    platform: 'browser',
    logLevel: 'silent',
    tsconfig: 'console/tsconfig.json',
    alias: { 'node:crypto': './console/evidence/node-crypto.ts', 'node:path': './console/policies/node-path.ts' },
    inject: ['console/evidence/buffer.ts'],
  });
  ({ engineOf } = require(outfile));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let gateway: TestPorts | undefined;
afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
});

async function beside(configuration: string, tenant = 'default') {
  gateway = await testPorts({ configuration });
  const call = caller(gateway.ports);
  const base = (await call('GET', '/admin/v1/policy-versions/1', { key: 'alice-key-1' })).body;
  const simulate = async (body: object) =>
    (await call('POST', '/admin/v1/simulate', { key: 'alice-key-1', body: { ...body, explain: true } })).body;
  return { base, engine: engineOf({ ...base, tenant }), simulate };
}

const configuration = (policies: string, more = '') => `version: 1
people: [{ id: alice, role: admin, tenants: ["*"] }]
tenants:
  - id: default
    api_keys: [{ key: alice-key-1, kind: human, person: alice, role: admin, platform: true }]
${more}tool_policies: ${policies}
`;

type Row = Omit<ToolCall, 'parameters'> & { readonly parameters?: Record<string, unknown> };

const rowsOf = (pack: string): Row[] =>
  (parse(readFileSync(join(root, 'policies', `${pack}.cases.yaml`), 'utf8')) as Row[]).map(
    ({ protocol, tool, target, capability, parameters = {} }) => ({ protocol, tool, target, capability, parameters }),
  );

/**
 * Checks whether reading a call needs the SQL grammar: its protocol has no reader of its own, and it contains SQL or
 * text that may be SQL.
 */
function needsGrammar(call: ToolCall): boolean {
  if (['shell', 'http', 'git'].includes(call.protocol)) return false;
  let needed = false;
  sqlEffects(() => {
    needed = true;
    throw new Error('not here');
  })(call);
  return needed;
}

describe.each(shippedPacks)('pack %s', (pack) => {
  test('[console.playground] every row of its table gets the same decision and explanation as on the gateway, before and after a change', async () => {
    const { base, engine, simulate } = await beside(configuration(`{ pack: ${pack} }`));
    const changed = {
      ...base.configuration.tool_policies,
      default_decision: 'block',
      rules: [{ protocol: 'shell', tool: 'shell.run', target: 'ci', decision: 'block', reason: 'Nothing runs here.' }],
    };
    const calls = [...casesOf(rowsOf(pack), 10)].filter((row) => !needsGrammar({ parameters: {}, ...row }));
    expect(calls.length).toBeGreaterThan(0);
    const told = (await engine({ calls, policies: changed })) as { before: Loose; after: Loose };
    const expected = await simulate({ calls });
    expect(told.before.results).toEqual(expected.results);
    expect(told.before.policy_version).toBe(1);
    expect(told.after).toEqual(await simulate({ calls, tool_policies: changed }));
  });
});

test('[console.playground] level, sandbox and MCP server rules apply as on the gateway', async () => {
  const more = `organizations:
  - id: acme
    policies: { rules: [{ protocol: git, tool: scm.delete_*, decision: block, reason: Acme deletes nothing. }] }
    teams: [{ id: web, projects: [{ id: shop, environments: [{ id: live, kind: production, tenant: default }] }] }]
sandbox: { shell: { blocked_binaries: [rm] } }
upstreams: { mcp: [{ name: books, url: "https://books.example/mcp", tools: ["ledger.*"] }] }
`;
  const policies = '{ pack: null, default_decision: review, rules: [{ protocol: "*", decision: allow }] }';
  const { base, engine, simulate } = await beside(configuration(policies, more));
  const calls = [
    { protocol: 'git', tool: 'scm.delete_repo', target: 'acme/site', capability: 'delete' },
    { protocol: 'shell', tool: 'shell.run', capability: 'execute', parameters: { command: 'rm /srv/a' }, target: '' },
    { protocol: 'mcp', tool: 'ledger.post', target: 'books', capability: 'write', upstream: 'books' },
    { protocol: 'http', tool: 'http.get', target: 'https://a.example/', capability: 'read' },
  ];
  const tried = { ...base.configuration.tool_policies, rules: [] };
  const told = (await engine({ calls, policies: tried })) as { before: Loose; after: Loose };
  expect(told.before.results).toEqual((await simulate({ calls })).results);
  expect(told.after).toEqual(await simulate({ calls, tool_policies: tried }));
  expect(told.before.results[0]).toMatchObject({ decision: 'block', reason: 'Acme deletes nothing.' });
});

test('[console.playground] line numbers of rules match those on the gateway', async () => {
  const { base, simulate } = await beside(configuration('{ pack: null, rules: [{ protocol: git, decision: allow }] }'));
  const calls = [{ protocol: 'git', tool: 'scm.get_file', target: 'acme/site', capability: 'read' }];
  const places = { rules: ['gateway.yaml:7'], guards: {}, levels: {} };
  const told = (await engineOf({ ...base, places, tenant: 'default' })({
    calls,
    policies: base.configuration.tool_policies,
  })) as { before: Loose };
  expect(told.before.results[0].place).toBe('gateway.yaml:7');
  expect((await simulate({ calls })).results[0].decision).toBe(told.before.results[0].decision);
});

test('[console.playground] errors are worded as on the gateway; questions that only the gateway can answer are sent to it', async () => {
  const { base, engine, simulate } = await beside(configuration('{ pack: readonly }'));
  const { tool_policies } = base.configuration;
  const call = { protocol: 'git', tool: 'scm.get_file', target: 'acme/site', capability: 'read' };
  const rule = { protocol: 'git', tool: 'scm.*', decision: 'perhaps' };
  for (const policies of [
    { ...tool_policies, rules: [rule] },
    { ...tool_policies, rules: [{ ...rule, decision: 'allow', unknown: 1 }] },
    { ...tool_policies, disable_guards: ['no-such-guard'] },
    {
      ...tool_policies,
      rules: [
        { protocol: 'git', decision: 'allow' },
        { protocol: 'git', decision: 'review' },
      ],
    },
    { pack: null, rules: 'none' },
  ]) {
    const { error } = await simulate({ calls: [call], tool_policies: policies });
    expect(await engine({ calls: [call], policies })).toEqual({ fault: error.message });
  }
  for (const calls of [[], [{ ...call, capability: 7 }], [{ tool: 'x' }], 'none'])
    expect(await engine({ calls, policies: tool_policies })).toEqual({
      fault: (await simulate({ calls, tool_policies })).error.message,
    });
  const sql = {
    protocol: 'sql',
    tool: 'sql.query',
    target: 'shop',
    capability: 'read',
    parameters: { query: 'select 1' },
  };
  expect(await engine({ calls: [sql], policies: tool_policies })).toEqual({ gateway: expect.stringContaining('SQL') });
  for (const policies of [
    { ...tool_policies, pack: 'coding-agent' },
    { ...tool_policies, require_signed: true },
  ])
    expect(await engine({ calls: [call], policies })).toEqual({ gateway: expect.any(String) });
  const odd = { ...base, configuration: { version: 1, tool_policies, of_the_future: true }, tenant: 'default' };
  expect(await engineOf(odd)({ calls: [call], policies: tool_policies })).toEqual({
    gateway: 'This browser cannot read the stored version.',
  });
});

test('[console.playground] the browser handles paths and base64 the same way as Node', () => {
  const part = fc.constantFrom('..', '.', '', 'a', 'b c', '...', 'ü');
  const path = fc
    .tuple(fc.boolean(), fc.array(part, { maxLength: 6 }))
    .map(([root, all]) => (root ? '/' : '') + all.join('/'));
  fc.assert(
    fc.property(path, path, (one, other) => {
      expect(paths.posix.normalize(one)).toBe(posix.normalize(one));
      expect(paths.posix.join(one, other)).toBe(posix.join(one, other));
      expect(paths.posix.basename(one)).toBe(posix.basename(one));
      expect(paths.posix.isAbsolute(one)).toBe(posix.isAbsolute(one));
      expect(paths.posix.relative(`/${one}`, `/${other}`)).toBe(posix.relative(`/${one}`, `/${other}`));
    }),
    { numRuns: runs(2000, 300) },
  );
  const text = fc.array(fc.constantFrom(...'Qm9va3M=+/-_ \n*é'), { maxLength: 24 }).map((all) => all.join(''));
  fc.assert(
    fc.property(text, (given) => {
      const bytes = InBrowser.from(given, 'base64');
      expect(Array.from(bytes)).toEqual(Array.from(Buffer.from(given, 'base64')));
    }),
    { numRuns: runs(2000, 300) },
  );
});
