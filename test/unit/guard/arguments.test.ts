/** Suspicious content in arguments. */

import * as z from 'zod';
import { toolGuard } from '#core/contracts/config/tool-guard.ts';
import type { Decision } from '#core/contracts/envelope.ts';
import { checkArguments } from '#core/guard/arguments.ts';
import { argumentVerdict } from '#core/guard/decide-arguments.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { addVerdict, type Verdict } from '#core/policy/rules/verdict.ts';
import { object, readCases, rows, text } from '../../support/yaml.ts';

const kinds = (parameters: Record<string, unknown>) => [...new Set(checkArguments(parameters).map(({ kind }) => kind))];
/** Parameters in which `TOKEN` is replaced with an invented token. */
const parametersOf = object.transform(
  (value) => JSON.parse(JSON.stringify(value).replaceAll('TOKEN', `ghp_${'a1B2'.repeat(9)}`)) as JsonObject,
);
const cases = readCases(
  'test/unit/guard/arguments.yaml',
  z.strictObject({ found: rows(text, parametersOf, text), harmless: rows(text, parametersOf) }),
);
const guard = { actions: toolGuard.parse({}).arguments, check: checkArguments };

describe('[guard.arguments] found are', () => {
  test.each(cases.found)('%s', (_what, parameters, kind) => {
    expect(kinds(parameters)).toContain(kind);
  });

  test.each([...cases.harmless, ['a long text', { note: 'a'.repeat(70_000) }]] as const)(
    '%s is not',
    (_what, parameters) => {
      expect(kinds(parameters)).toEqual([]);
    },
  );
});

describe('[guard.arguments] the decision', () => {
  const call = { protocol: 'mcp', tool: 'get', target: '', capability: 'read', parameters: { path: 'a;rm -rf /' } };
  test('follows the most severe finding, but an equally strict rule is kept', () => {
    const found = argumentVerdict(call, guard)!;
    expect(found).toMatchObject({ decision: 'review', matched_rule: 'tool_guard:command' });
    const blocks = { ...guard, actions: { ...guard.actions, command: 'block' } } as const;
    expect(argumentVerdict(call, blocks)).toMatchObject({ decision: 'block' });
    const ofRule = (decision: Decision) => ({ decision, matched_rule: 'mcp:get', reason: 'of the rule' });
    const guards = [{ kind: 'command' }];
    expect(addVerdict<Verdict>(ofRule('review'), found)).toMatchObject({ ...ofRule('review'), guard: guards });
    expect(addVerdict<Verdict>(ofRule('allow'), found)).toMatchObject({ ...found, guard: guards });
  });

  test('is left to the protocol’s grammar if there is one', () => {
    expect(argumentVerdict({ ...call, protocol: 'Shell' }, guard)).toBeUndefined();
  });

  test('[guard.fails-closed] is review for arguments nested too deeply to check', () => {
    let deep: unknown = 'x';
    for (let level = 0; level < 100; level++) deep = { deep };
    expect(argumentVerdict({ ...call, parameters: { deep } }, guard)).toMatchObject({
      decision: 'review',
      matched_rule: 'tool_guard:unread',
    });
  });
});
