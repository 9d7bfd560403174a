/** Every shipped pack against the decision table beside it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Decision, ToolCall } from '#core/contracts/envelope.ts';
import { analysePolicy } from '#core/tool-policy/analysis/analyse.ts';
import { sourcesOfCase } from '#core/tool-policy/cases.ts';
import { compilePolicy } from '#core/tool-policy/compile.ts';
import { decide, unclearSourceRule } from '#core/tool-policy/decide.ts';
import { parsePack, shippedPacks } from '#core/tool-policy/pack.ts';

interface Row extends Omit<ToolCall, 'parameters'> {
  readonly why: string;
  readonly parameters?: Record<string, unknown>;
  readonly from?: Readonly<Record<string, string | readonly string[]>>;
  readonly decision: Decision;
  readonly matched_rule?: string;
}

const folder = join(process.cwd(), 'policies');
const read = (file: string): unknown => parse(readFileSync(join(folder, file), 'utf8'));

describe.each(shippedPacks)(
  '[pack.readonly] [pack.pr-writer] [pack.coding-agent] [pack.infra-review] [pack.sql-explorer] [pack.provenance] pack %s',
  (name) => {
    const pack = parsePack(read(`${name}.yaml`), `policies/${name}.yaml`);
    const policy = compilePolicy(pack);
    const rows = read(`${name}.cases.yaml`) as Row[];

    test.each(rows)('$why: $protocol $tool $target → $decision', (row) => {
      const { why: _, decision, matched_rule, parameters = {}, from, ...call } = row;
      const decided = decide(policy, { ...call, parameters, ...sourcesOfCase({ parameters, from }) });
      expect(decided.decision).toBe(decision);
      if (decided.matched_rule !== unclearSourceRule) expect(decided.reason).toBe(decided.rule?.reason);
      if (matched_rule !== undefined) expect(decided.matched_rule).toBe(matched_rule);
    });

    test('bears its name', () => expect(pack.name).toBe(name));

    test('has no rule that can never match', () => {
      expect(analysePolicy(pack)).toEqual({ analysed: true, unreachable: [], warnings: [] });
    });
  },
);
