/** Every shipped pack compared with its decision table, by the engine and by `agentctl policy test`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Decision, ToolCall } from '#core/contracts/envelope.ts';
import { callOfCase, mismatch, parseCases, sourcesOfCase } from '#core/policy/rules/cases.ts';
import { decide } from '#core/policy/rules/decide.ts';
import { shippedPacks } from '#core/policy/rules/pack.ts';
import { readPolicyFile, simulator } from '../../bin/agentctl/policy-file.ts';
import { shippedPack, shippedPolicy } from '../support/decide-line.ts';

const unclearSourceRule = 'provenance:unclear';

interface Row extends Omit<ToolCall, 'parameters'> {
  readonly why: string;
  readonly parameters?: Record<string, unknown>;
  readonly from?: Readonly<Record<string, string | readonly string[]>>;
  readonly decision: Decision;
  readonly matched_rule?: string;
}

const folder = join(process.cwd(), 'policies');
/** Rows that test the rules on their own: the effects of text are not considered. */
const alone = parse(readFileSync(join(__dirname, 'rules-alone.yaml'), 'utf8')) as Record<string, Row[]>;
const read = (file: string): unknown => parse(readFileSync(join(folder, file), 'utf8'));

describe.each(shippedPacks)(
  '[pack.shipped] [pack.coding-agent] [pack.sql-explorer] [pack.provenance] pack %s',
  (name) => {
    const pack = shippedPack(name);
    const policy = shippedPolicy(name);
    const shipped = read(`${name}.cases.yaml`) as Row[];

    test.each([...shipped, ...(alone[name] ?? [])])('$why: $protocol $tool $target → $decision', (row) => {
      const { why: _, decision, matched_rule, parameters = {}, from, ...call } = row;
      const decided = decide(policy, { ...call, parameters, ...sourcesOfCase({ parameters, from }) });
      expect(decided.decision).toBe(decision);
      if (decided.matched_rule !== unclearSourceRule) expect(decided.reason).toBe(decided.rule?.reason);
      if (matched_rule !== undefined) expect(decided.matched_rule).toBe(matched_rule);
    });

    test('[cli.config-check] the effects of the calls also match its table of cases', async () => {
      const simulated = simulator(await readPolicyFile(join(folder, `${name}.yaml`)));
      const wrong: string[] = [];
      for (const row of parseCases(shipped, name)) {
        const found = mismatch(row, await simulated(callOfCase(row)));
        if (found !== undefined) wrong.push(`${row.why}: ${found}`);
      }
      expect(wrong).toEqual([]);
    });

    test('bears its name', () => expect(pack.name).toBe(name));
  },
);
