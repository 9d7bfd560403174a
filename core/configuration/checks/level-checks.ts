/** Rules of levels of an organisation: they compile, can match, and never decide less strictly than what stands above [identity.level-policies]. */
import type { ConfigurationFile } from '#core/contracts/config.ts';
import type { ToolPack, ToolPolicyDocument, ToolRule } from '#core/contracts/tool-policy.ts';
import { type Level, levelsWithRules } from '#core/identity/organization.ts';
import { analysePolicy } from '#core/tool-policy/analysis/analyse.ts';
import { callOfExample, diffPolicies, type Region } from '#core/tool-policy/analysis/diff.ts';
import { compilePolicy } from '#core/tool-policy/compile.ts';
import { decide } from '#core/tool-policy/decide.ts';
import { buildPolicyDocument } from '../load/policy-document.ts';
import type { Path, Problem } from './problems.ts';

/** @param checkRule what is wrong with one rule by itself, such as a glob that does not compile. */
export function checkLevels(
  file: ConfigurationFile,
  pack: ToolPack | null,
  warnings: string[],
  checkRule: (rule: ToolRule, path: Path) => Problem[],
): Problem[] {
  const levels = levelsWithRules(file);
  const malformed = levels.flatMap(({ rules, at }) => rules.flatMap((rule, index) => checkRule(rule, [...at, index])));
  if (malformed.length > 0) return malformed;
  const own = buildPolicyDocument({ tool_policies: { ...file.tool_policies, pack } });
  return levels.flatMap((level) => [...checkReach(level, warnings), ...checkTightens(level, own, warnings)]);
}

/** What no rule of a level matches, the level leaves to the others. */
const documentOf = ({ path, rules }: Pick<Level, 'path' | 'rules'>): ToolPolicyDocument => ({
  name: path,
  default_decision: 'allow',
  rules,
});

function checkReach(level: Level, warnings: string[]): Problem[] {
  const { unreachable, warnings: notAnalysed } = analysePolicy(documentOf(level));
  warnings.push(...notAnalysed.map((warning) => `${level.path}: ${warning}`));
  return unreachable.map(({ index, rule, covered_by }) => {
    const why =
      covered_by.length === 0
        ? 'no call can meet it'
        : `covered by ${covered_by.map((other) => `rules[${other}]`).join(', ')}`;
    return {
      path: [...level.at, index],
      found: `${rule}, which never matches: ${why}`,
      allowed: 'rules that can match; remove it or move it up',
    };
  });
}

/**
 * A rule that allows must find its calls allowed above. A rule that reviews may cover calls that are blocked above as well, since the
 * worst decides; where all of its calls are blocked above, it was meant to lift a block. Guards are known to stand before every rule.
 */
function checkTightens(level: Level, own: ToolPolicyDocument, warnings: string[]): Problem[] {
  const document = documentOf(level);
  const policy = compilePolicy(document);
  const refused = new Map<number, Problem>();
  const uppers: readonly (readonly [name: string, document: ToolPolicyDocument])[] = [
    ['tool_policies', own],
    ...level.above.map((each) => [each.path, documentOf(each)] as const),
  ];
  for (const [name, upper] of uppers) {
    const diff = diffPolicies(upper, document);
    warnings.push(...diff.warnings.map((warning) => `${level.path} under ${name}: ${warning}`));
    const ruleOf = ({ example }: Region) => decide(policy, callOfExample(example)).rule_index;
    const tightening = new Set(diff.tightened.map(ruleOf));
    for (const region of diff.loosened) {
      const index = ruleOf(region);
      // Without a rule the level has said nothing.
      if (index === undefined || region.rule_before.startsWith('guard:') || refused.has(index)) continue;
      if (region.to === 'review' && (tightening.has(index) || repeats(upper, level, index))) continue;
      refused.set(index, problemOf(level, index, name, region));
    }
  }
  return [...refused.values()];
}

/** Whether some call of a rule that reviews is reviewed above as well. */
function repeats(upper: ToolPolicyDocument, { path, rules }: Level, index: number): boolean {
  const allowing = documentOf({ path, rules: rules.with(index, { ...rules[index]!, decision: 'allow' }) });
  const policy = compilePolicy(allowing);
  return diffPolicies(upper, allowing).loosened.some(
    ({ from, example }) => from === 'review' && decide(policy, callOfExample(example)).rule_index === index,
  );
}

const problemOf = ({ at }: Level, index: number, above: string, region: Region): Problem => ({
  path: [...at, index, 'decision'],
  found: `${region.to}, where ${above} decides ${region.from} (${region.rule_before}), for example for ${JSON.stringify(region.example)}`,
  allowed: 'what is as strict as the levels above, or stricter: a lower level only tightens',
});
