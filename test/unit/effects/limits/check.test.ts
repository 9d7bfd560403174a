/** Limits on effects: each limit, met and exceeded, and defaults that have no effect. `check.yaml` lists the calls. */
import * as z from 'zod';
import { type SqlGrammar, sqlGrammar } from '#adapters/sql/grammar.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import { sandboxSchema } from '#core/contracts/sandbox.ts';
import { gitEffects } from '#core/effects/git.ts';
import { httpEffects } from '#core/effects/http.ts';
import { checkEffectLimits } from '#core/effects/limits/check.ts';
import { sandboxGlobs } from '#core/effects/limits/globs.ts';
import { readEffects } from '#core/effects/read.ts';
import { shellEffects } from '#core/effects/shell.ts';
import { sqlEffects } from '#core/effects/sql.ts';
import { object, readCases, text } from '../../../support/yaml.ts';

const callOf = (protocol: string, tool: string, target: string, parameters: Record<string, unknown>): ToolCall => ({
  protocol,
  tool,
  target,
  capability: 'write',
  parameters,
});
const kind = z.literal;
const call = z.union([
  z.tuple([kind('sql'), text]).transform(([, sql]) => callOf('sql', 'sql.query', 'shop', { sql })),
  z
    .tuple([kind('http'), text, text.default('GET')])
    .transform(([, url, method]) => callOf('http', 'http.request', url, { method })),
  z
    .tuple([kind('shell'), text, text.optional()])
    .transform(([, command, cwd]) => callOf('shell', 'shell.run', '', { command, ...(cwd && { cwd }) })),
  z
    .tuple([kind('git'), text, object, text.default('acme/web')])
    .transform(([, tool, parameters, target]) => callOf('git', `scm.${tool}`, target, parameters)),
  z.tuple([kind('call'), text, text, text, object]).transform(([, ...of]) => callOf(...of)),
]);
const cases = readCases(
  'test/unit/effects/limits/check.yaml',
  z.array(
    z.strictObject({
      title: text,
      settings: object,
      /** Calls, keyed by the limit they exceed. */
      breaks: z.record(text, z.array(call)).default({}),
      keeps: z.array(call).default([]),
    }),
  ),
);

let grammar: SqlGrammar;
beforeAll(async () => {
  grammar = await sqlGrammar();
});

test.each(cases)('[action.sandbox-rules] $title', ({ settings, breaks, keeps }) => {
  const read = readEffects({ shell: shellEffects, sql: sqlEffects(grammar), http: httpEffects, git: gitEffects });
  const check = (asked: ToolCall) => {
    const { parts } = read(asked);
    return checkEffectLimits(sandboxSchema.parse(settings), parts.length > 0 ? parts : [asked]);
  };
  for (const asked of keeps) expect([asked, check(asked)]).toEqual([asked, undefined]);
  for (const [rule, calls] of Object.entries(breaks))
    for (const asked of calls) {
      const block = { decision: 'block', matched_rule: `sandbox:${rule}`, reason: expect.stringMatching(/\.$/) };
      expect([asked, check(asked)]).toEqual([asked, expect.objectContaining(block)]);
    }
});

test('unknown keys are refused', () => {
  expect(() => sandboxSchema.parse({ sql: { require_were: true } })).toThrow('require_were');
  expect(() => sandboxSchema.parse({ ssh: {} })).toThrow('ssh');
});

test('a call is blocked if its limits cannot be checked', () => {
  const settings = sandboxSchema.parse({ sql: { blocked_tables: ['{'] } });
  const part = callOf('sql', 'sql.select', 'users', { object: 'table', schema: 'public' });
  expect(checkEffectLimits(settings, [part])).toMatchObject({ matched_rule: 'sandbox:unchecked' });
  expect(checkEffectLimits(settings, [{ ...part, parameters: null as never }])?.decision).toBe('block');
});

test('the configuration checks cover every list of globs', () => {
  const lists = sandboxGlobs(sandboxSchema.parse({ http: { allowed_hosts: ['a'], allowed_methods: ['GET'] } }));
  expect(lists).toContainEqual({ path: ['sandbox', 'http', 'allowed_hosts'], patterns: ['a'] });
  expect(lists).toContainEqual({ path: ['sandbox', 'git', 'protected_files'], patterns: [] });
  expect(lists.map(({ path }) => path.at(-1))).not.toContain('allowed_methods');
});

test('[action.sandbox-rules] the reason names the pattern and the protected branch that it may match', () => {
  const reasonOf = (branch_pattern: string) =>
    checkEffectLimits(sandboxSchema.parse({ git: { protected_branches: ['main', 'release/*'] } }), [
      callOf('git', 'scm.push', '', { branch_pattern }),
    ])?.reason;
  expect(reasonOf('refs/heads/rel*')).toBe(
    'The pattern refs/heads/rel* may match the branch release/*, which is protected or the default one.',
  );
  expect(reasonOf('refs/heads/agent/*')).toBeUndefined();
});
