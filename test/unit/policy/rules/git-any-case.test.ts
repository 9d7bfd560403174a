/** Repository names in any case: a different spelling neither evades a block nor gains permission. */
import { readCallEffects } from '#adapters/sql/effect-reader.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { ToolRule } from '#core/contracts/tool-policy.ts';
import { decideEffects } from '#core/effects/decide-effects.ts';
import { analysePolicy } from '#core/policy/rules/analysis/analyse.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';

const documentOf = (rules: readonly ToolRule[]) => ({ name: 'x', default_decision: 'review' as const, rules });
const rule = (more: Partial<ToolRule>): ToolRule => ({ protocol: 'git', tool: '*', decision: 'block', ...more });
const git = (target: string): ToolCall => ({
  protocol: 'git',
  tool: 'scm.get_file_contents',
  capability: 'read',
  target,
  parameters: { path: 'a' },
});
const mcp = (owner: string, repo: string): ToolCall => ({
  protocol: 'mcp',
  tool: 'github.get_file_contents',
  capability: 'read',
  target: `${owner}/${repo}`,
  parameters: { owner, repo, path: 'a' },
});

async function decided(rules: readonly ToolRule[], call: ToolCall) {
  return decideEffects(compilePolicy(documentOf(rules)), call, await readCallEffects(call)).decision;
}

describe('[policy.case-folding]', () => {
  const open = rule({ protocol: '*', decision: 'allow' });

  test.each(['acme/payroll', 'Acme/Payroll', 'ACME/PAYROLL', 'acme/PayRoll.git', 'https://github.com/ACME/payroll'])(
    'a block on acme/payroll also applies to %s, and so does a block on Acme/PAYROLL',
    async (target) => {
      for (const written of ['acme/payroll', 'Acme/PAYROLL', '{Acme,other}/pay*'])
        expect([written, await decided([rule({ target: written }), open], git(target))]).toEqual([written, 'block']);
    },
  );

  test('the block also applies to Git host tools called over MCP', async () => {
    expect(await decided([rule({ target: 'acme/payroll' }), open], mcp('Acme', 'Payroll'))).toBe('block');
    expect(await decided([rule({ target: 'acme/payroll' }), open], mcp('acme', 'web'))).toBe('allow');
  });

  test('other repositories stay allowed, and allow rules and other protocols are case-sensitive', async () => {
    expect(await decided([rule({ target: 'acme/payroll' }), open], git('acme/payroll-docs'))).toBe('allow');
    const allowed = rule({ target: 'acme/web', decision: 'allow' });
    expect([await decided([allowed], git('acme/web')), await decided([allowed], git('Acme/web'))]).toEqual([
      'allow',
      'review',
    ]);
    const file = rule({ protocol: 'shell', target: 'README' });
    const call = { ...git('readme'), protocol: 'shell', tool: 'shell.cat', parameters: {} };
    expect(await decided([file, open], call)).toBe('allow');
  });

  test('the analysis reports a second block that differs only in case as unreachable', () => {
    const twice = [rule({ target: 'acme/payroll' }), rule({ target: 'ACME/payroll' })];
    expect(analysePolicy(documentOf(twice))).toMatchObject({ unreachable: [{ index: 1 }] });
  });
});
