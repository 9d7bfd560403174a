/** Every shipped pack against the decision table beside it, by its rules and as `agentctl policy test` decides. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Decision, ToolCall } from '#core/contracts/envelope.ts';
import { callOfCase, mismatch, parseCases, sourcesOfCase } from '#core/policy/rules/cases.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { decide } from '#core/policy/rules/decide.ts';
import { parsePack, shippedPacks } from '#core/policy/rules/pack.ts';
import { readPolicyFile, simulator } from '../../bin/agentctl/policy-file.ts';

const unclearSourceRule = 'provenance:unclear';

interface Row extends Omit<ToolCall, 'parameters'> {
  readonly why: string;
  readonly parameters?: Record<string, unknown>;
  readonly from?: Readonly<Record<string, string | readonly string[]>>;
  readonly decision: Decision;
  readonly matched_rule?: string;
}

const folder = join(process.cwd(), 'policies');
/** Rows of the rules alone: what a text does is no part of them. */
const alone = parse(readFileSync(join(__dirname, 'rules-alone.yaml'), 'utf8')) as Record<string, Row[]>;
const read = (file: string): unknown => parse(readFileSync(join(folder, file), 'utf8'));

describe.each(shippedPacks)(
  '[pack.readonly] [pack.pr-writer] [pack.coding-agent] [pack.infra-review] [pack.sql-explorer] [pack.provenance] pack %s',
  (name) => {
    const pack = parsePack(read(`${name}.yaml`), `policies/${name}.yaml`);
    const policy = compilePolicy(pack);
    const shipped = read(`${name}.cases.yaml`) as Row[];

    test.each([...shipped, ...(alone[name] ?? [])])('$why: $protocol $tool $target → $decision', (row) => {
      const { why: _, decision, matched_rule, parameters = {}, from, ...call } = row;
      const decided = decide(policy, { ...call, parameters, ...sourcesOfCase({ parameters, from }) });
      expect(decided.decision).toBe(decision);
      if (decided.matched_rule !== unclearSourceRule) expect(decided.reason).toBe(decided.rule?.reason);
      if (matched_rule !== undefined) expect(decided.matched_rule).toBe(matched_rule);
    });

    test('[cli.policy-test] its table holds for what the calls do, too', async () => {
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
