/** Packs refer to catalog guards by name. */

import { liftedGuards } from '#core/configuration/compare.ts';
import { buildPolicyDocument } from '#core/configuration/load/policy-document.ts';
import { catalogGuards } from '#core/contracts/guard-names.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { decide } from '#core/policy/rules/decide.ts';
import { parsePack } from '#core/policy/rules/pack.ts';

const pack = (guards: readonly unknown[]) =>
  parsePack({ name: 'test', default_decision: 'allow', guards, rules: [] }, 'test.yaml');
const policies = (guards: readonly unknown[], disable_guards: string[] = []) => ({
  tool_policies: { pack: pack(guards), rules: [], disable_guards, require_signed: false },
});
const own = { name: 'own-files', paths: ['**.own'], reason: 'Own files.' };

const matched = (guards: readonly unknown[], path: string, disabled: string[] = []): string =>
  decide(compilePolicy(buildPolicyDocument(policies(guards, disabled))), {
    protocol: 'mcp',
    tool: 'read_file',
    target: '',
    capability: 'read',
    parameters: { path },
  }).matched_rule;

describe('[policy.guards]', () => {
  test('a name refers to the catalog guard, and the pack’s own guards apply as well', () => {
    const guards = ['secret-files', own];
    expect(matched(guards, '.env')).toBe('guard:secret-files');
    expect(matched(guards, 'a.own')).toBe('guard:own-files');
    expect(matched(guards, 'server.pem')).toBe('default');
    expect(matched(guards, 'README.md')).toBe('default');
  });

  test.each(catalogGuards)('%s compiles', (name) => {
    expect(compilePolicy(pack([name])).guards.every((guard) => guard.name === `guard:${name}`)).toBe(true);
    expect(compilePolicy(pack([name])).guards.length).toBeGreaterThan(0);
  });

  test('disable_guards disables only the named guard, and a diff reports it', () => {
    const guards = ['secret-files', 'key-files'];
    expect(matched(guards, '.env', ['secret-files'])).toBe('default');
    expect(matched(guards, 'server.pem', ['secret-files'])).toBe('guard:key-files');
    expect(liftedGuards(policies(guards), policies(guards, ['secret-files']))).toEqual(['secret-files']);
  });

  test('a document stores the guard’s name, not its patterns', () => {
    expect(buildPolicyDocument(policies(['secret-files', own])).guards).toEqual(['secret-files', own]);
  });

  test('an unknown guard name is refused with a list of existing names', () => {
    expect(() => pack(['secret-file'])).toThrow(/guards\[0\].*secret-file.*secret-files, key-files/s);
  });
});
