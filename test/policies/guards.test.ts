/** Guards of the shipped packs: blocks that no rule lifts, and similar everyday calls. */
import * as z from 'zod';
import { readCallEffects } from '#adapters/sql/effect-reader.ts';
import { buildPolicyDocument } from '#core/configuration/load/policy-document.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import { guardName } from '#core/contracts/guard-names.ts';
import type { ToolRule } from '#core/contracts/tool-policy.ts';
import { decideEffects } from '#core/effects/decide-effects.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { shippedPacks } from '#core/policy/rules/pack.ts';
import { callOfLine } from '../support/decide-line.ts';
import { object, readCases, rows, text, texts } from '../support/yaml.ts';
import { mcp, packs } from './guarded-paths.ts';

const everything: ToolRule = { protocol: '*', tool: '*', decision: 'allow' };
/** Compiled policies, cached because a pack has hundreds of patterns and this file makes thousands of calls. */
const compiled = new Map<string, ReturnType<typeof compilePolicy>>();
/** Compiles a pack to which a first rule that allows every call has been added. */
function openPolicy(pack: string, disable_guards: string[]): ReturnType<typeof compilePolicy> {
  const key = [pack, ...disable_guards].join(' ');
  const known = compiled.get(key);
  if (known) return known;
  const tool_policies = { pack: packs.get(pack)!, rules: [everything], disable_guards, require_signed: false };
  const policy = compilePolicy(buildPolicyDocument({ tool_policies }));
  compiled.set(key, policy);
  return policy;
}
const decidedOpen = async (pack: string, call: ToolCall, disable_guards: string[] = []) =>
  decideEffects(openPolicy(pack, disable_guards), call, await readCallEffects(call));
const tool = z.tuple([object], text);
const cases = readCases(
  'test/policies/guards.yaml',
  z.strictObject({
    lines: rows(text, text),
    harmlessLines: texts,
    anyName: rows(object, text),
    inParts: rows(object, text),
    clusterKinds: z.array(object),
    clusterAddresses: rows(text, text),
    sentWith: rows(text, object, text),
    parameterNames: texts,
    /** Paths, keyed by the guard that blocks them. */
    paths: z.record(z.string(), texts),
    secretTools: texts,
    harmlessCalls: z.array(tool),
    harmlessTools: z.array(tool),
  }),
);
const paths = Object.entries(cases.paths).flatMap(([guard, all]) => all.map((path) => [path, guard] as const));
describe.each(shippedPacks)('[policy.guards] %s', (pack) => {
  const guardOf = async (call: ToolCall): Promise<string> => {
    const { decision, matched_rule } = await decidedOpen(pack, call);
    return decision === 'block' ? matched_rule : decision;
  };

  test.each(cases.parameterNames)(
    'a secret file is blocked in the parameter %s, including inside lists and objects',
    async (name) => {
      for (const value of ['.env', ['README.md', '.env'], { deep: [{ [name]: '/srv/.ssh/id_rsa' }] }]) {
        expect([value, await guardOf(mcp({ [name]: value }))]).toEqual([value, 'guard:secret-files']);
      }
    },
  );

  test.each(paths)('%s is blocked by %s as a target, a parameter and a key', async (path, guard) => {
    for (const call of [
      mcp({ path }),
      mcp({ whatever: path }),
      mcp({ file_paths: ['a.md', path] }),
      mcp({ uris: [path] }),
      mcp({ files: { [path]: 'x' } }, 'write_files'),
      mcp({}, 'read_file', path),
      { ...mcp({ path }, 'scm.get_file_contents', 'acme/web'), protocol: 'git' },
      { ...mcp({ path }), protocol: 'of-its-own' },
    ]) {
      expect([call, await guardOf(call)]).toEqual([call, guard]);
    }
  });

  test.each(cases.lines)('the command line %s is blocked by %s', async (line, guard) => {
    expect(await guardOf(callOfLine(line))).toBe(guard);
    expect(await guardOf(mcp({ command: line }, 'run_command'))).toBe(guard);
  });

  test.each(cases.harmlessLines)('the similar but harmless command line %s is not guarded', async (line) => {
    expect((await decidedOpen(pack, callOfLine(line))).matched_rule).not.toMatch(/^guard:/);
  });

  test.each([
    mcp({ pattern: 'KEY', include_pattern: '.env' }, 'grep_search'),
    mcp({ query: 'KEY', includePattern: 'config/.env' }, 'grep_search'),
    mcp({ pattern: 'KEY', glob: '.env' }, 'grep'),
    mcp({ q: 'KEY', file_pattern: '**/.env' }, 'grep'),
  ])('a search restricted to secret files is guarded: %j', async (call) => {
    expect(await guardOf(call)).toBe('guard:secret-files');
  });

  test.each(cases.anyName)(
    'a path split into parts is recognised in any parameter: %j becomes %s',
    async (parameters, becomes) => {
      expect(await guardOf(mcp(parameters))).toBe(becomes);
    },
  );

  test('other parameters of a call with a command are also checked', async () => {
    expect(await guardOf(mcp({ command: 'ls', cwd: '/root/.ssh' }, 'run_command'))).toBe('guard:secret-files');
    expect(await guardOf(mcp({ command: 'ls', env_file: '.env' }, 'run_command'))).toBe('guard:secret-files');
    expect(await guardOf(mcp({ command: 'cat', args: ['.env'] }, 'run_command'))).toBe('guard:secret-files');
  });

  test.each([
    ...cases.secretTools.map((name) => [name, 'read']),
    // A claim of a more severe capability does not override the tool's name.
    ['get_secret', 'write'],
    ['read_db_password', 'execute'],
  ])('the tool %s is guarded because it returns a secret', async (tool, capability) => {
    const guard = await guardOf({ ...mcp({ name: 'prod-db' }, tool), capability });
    expect(guard).toMatch(
      pack === 'infra-review' ? /^guard:(?:secret-tools|platform-secrets)$/ : /^guard:secret-tools$/,
    );
  });

  test.each(cases.harmlessCalls)('the similar but harmless path %j is not guarded', async (...call) => {
    const { matched_rule } = await decidedOpen(pack, mcp(...call));
    expect(matched_rule).not.toMatch(/^guard:/);
  });

  test.each(cases.harmlessTools)('a call to the tool %s with %j is not guarded', async (...call) => {
    const { matched_rule } = await decidedOpen(pack, mcp(...call));
    if (pack !== 'infra-review') expect(matched_rule).not.toMatch(/^guard:/);
  });

  test.each(cases.inParts)('a path given in parts is treated as a path: %j', async (parameters, guard) => {
    expect(await guardOf(mcp(parameters, 'get_thing'))).toBe(guard);
  });

  test.each(cases.clusterKinds)(
    'secrets of a cluster are guarded, whatever the tool is called: %j',
    async (parameters) => {
      expect(await guardOf(mcp(parameters, 'resources_get'))).toMatch(/^guard:(?:cluster|platform)-secrets$/);
    },
  );

  test.each(cases.clusterAddresses)(
    'a cluster API address is guarded like the object it refers to: %s',
    async (path, guard) => {
      expect(await guardOf(mcp({ path }, 'kubernetes.get'))).toBe(guard);
    },
  );

  test.each(cases.sentWith)(
    '[policy.sent-with] values sent outside the parameters are guarded: %s',
    async (_, sent_with, guard) => {
      expect(await guardOf({ ...mcp({ path: 'README.md' }, 'run_step'), sent_with })).toBe(guard);
    },
  );

  test.each<Record<string, unknown>>([
    { _meta: { 'com.acme/cost-centre': 'A-17' } },
    { inputResponses: { a: { action: 'accept', content: { colour: 'blue', body: 'see .env' } } } },
    { requestState: 'eyJhbGciOiJIUzI1NiJ9.e30.abc' },
  ])('[policy.sent-with] the harmless value %j outside the parameters is not guarded', async (sent_with) => {
    expect(await guardOf({ ...mcp({ path: 'README.md' }, 'run_step'), sent_with })).toBe('allow');
  });

  test('[policy.guards] only disable_guards disables a guard, and only the guards it names', async () => {
    const secret = mcp({ path: '.env' });
    expect((await decidedOpen(pack, secret)).decision).toBe('block');
    expect((await decidedOpen(pack, secret, ['secret-files'])).decision).toBe('allow');
    expect((await decidedOpen(pack, mcp({ path: '/etc/shadow' }), ['secret-files'])).decision).toBe('block');
  });
});
test('[policy.guards] guards shared by several packs are identical in all of them', () => {
  const shared = (pack: string) => packs.get(pack)!.guards.filter((guard) => guardName(guard) !== 'platform-secrets');
  for (const pack of shippedPacks) expect(shared(pack)).toEqual(shared('readonly'));
});
