/** The table of bypasses against the packs: each line is read by its grammar, and the worst of its effects counts. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { ToolCall } from '#core/contracts/envelope.ts';
import { decideEffects } from '#core/effects/decide-effects.ts';
import { shellEffects } from '#core/effects/shell.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { parsePack } from '#core/policy/rules/pack.ts';
import { type Bypass, bypasses } from './bypasses.ts';

const policyOf = (name: Bypass['pack']) =>
  compilePolicy(parsePack(parse(readFileSync(join(process.cwd(), 'policies', `${name}.yaml`), 'utf8')), name));
const policies = { 'pr-writer': policyOf('pr-writer'), readonly: policyOf('readonly') };

const callOf = ({ line, call }: Bypass): ToolCall => ({
  protocol: 'shell',
  tool: 'shell.run',
  target: '',
  capability: 'execute',
  parameters: line === undefined ? {} : { command: line },
  ...call,
});

const titled = bypasses.map((row) => ({ ...row, shown: JSON.stringify(row.line ?? row.call) }));

describe('[effects.bypasses] bypasses', () => {
  test.each(titled)('$pack: $shown → $becomes ($why)', (row) => {
    const call = callOf(row);
    const effects = shellEffects(call);
    const { decision, matched_rule, reason } = decideEffects(policies[row.pack], call, effects);
    expect({ decision, matched_rule, reason, effects }).toMatchObject({ decision: row.becomes });
  });

  test('[action.normalisers] the table holds what it promises', () => {
    const harmless = bypasses.filter((row) => row.becomes === 'allow');
    expect(harmless.length).toBeGreaterThanOrEqual(25);
    expect(bypasses.length - harmless.length).toBeGreaterThanOrEqual(90);
    expect(new Set(titled.map((row) => `${row.pack} ${row.shown}`)).size).toBe(bypasses.length);
  });
});
