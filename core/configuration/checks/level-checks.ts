/**
 * Checks that the rules of organisation levels compile, can match, and are never less strict than the rules of the
 * levels above [identity.organizations].
 */

import { type Level, levelsWithRules } from '#core/configuration/identity/organization.ts';
import type { ConfigurationFile } from '#core/contracts/config.ts';
import { decisions } from '#core/contracts/envelope.ts';
import type { Path, Problem } from '#core/contracts/problems.ts';
import type { ToolPack, ToolPolicyDocument, ToolRule } from '#core/contracts/tool-policy.ts';
import { analysePolicy } from '#core/policy/rules/analysis/analyse.ts';
import {
  callOfExample,
  hasDifferingCall,
  type PairFilter,
  type Region,
  regionsOf,
} from '#core/policy/rules/analysis/diff.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { decide } from '#core/policy/rules/decide.ts';
import { buildPolicyDocument } from '../load/policy-document.ts';

/**
 * Checks the rules of all levels.
 * @param checkRule finds problems in a single rule, such as a glob that does not compile.
 */
export function checkLevels(
  file: ConfigurationFile,
  pack: ToolPack | null,
  warnings: string[],
  checkRule: (rule: ToolRule, path: Path) => Problem[],
): Problem[] {
  const levels = levelsWithRules(file);
  const malformed = levels.flatMap(({ rules, at }) => rules.flatMap((rule, index) => checkRule(rule, [...at, index])));
  if (malformed.length > 0) return malformed;
  const own = buildPolicyDocument({ ...file, tool_policies: { ...file.tool_policies, pack } });
  return levels.flatMap((level) => [...checkReach(level, warnings), ...checkTightens(level, own, warnings)]);
}

/** Returns a level as a policy document, which leaves calls without a matching rule to the other levels. */
export const levelDocument = ({ path, rules }: Pick<Level, 'path' | 'rules'>): ToolPolicyDocument => ({
  name: path,
  default_decision: 'allow',
  rules,
});

function checkReach(level: Level, warnings: string[]): Problem[] {
  const { unreachable, warnings: notAnalysed } = analysePolicy(levelDocument(level));
  warnings.push(...notAnalysed.map((warning) => `${level.path}: ${warning}`));
  return unreachable.map(({ index, rule, covered_by }) => {
    const why =
      covered_by.length === 0
        ? 'no call can match it'
        : `covered by ${covered_by.map((other) => `rules[${other}]`).join(', ')}`;
    return {
      path: [...level.at, index],
      found: `${rule}, which never matches: ${why}`,
      allowed: 'rules that can match; remove it or move it up',
    };
  });
}

/**
 * Checks that a level only tightens the rules. The calls that an allowing rule matches must also be allowed by the
 * levels above. A rule that reviews may also cover calls blocked above, since the strictest decision counts; if all its
 * calls are blocked above, it was meant to lift a block. Guards always precede rules.
 */
function checkTightens(level: Level, own: ToolPolicyDocument, warnings: string[]): Problem[] {
  const document = levelDocument(level);
  const policy = compilePolicy(document);
  const refused = new Map<number, Problem>();
  const uppers: readonly (readonly [name: string, document: ToolPolicyDocument])[] = [
    ['tool_policies', own],
    ...level.above.map((each) => [each.path, levelDocument(each)] as const),
  ];
  for (const [name, upper] of uppers) {
    const found = regionsOf(upper, document, mayLoosen);
    warnings.push(...found.warnings.map((warning) => `${level.path} under ${name}: ${warning}`));
    const open = new Set<number>();
    for (const region of found.regions) {
      const index = decide(policy, callOfExample(region.example)).rule_index;
      if (index === undefined || refused.has(index)) continue;
      if (region.to === 'review' && (open.has(index) || staysOpen(upper, document, index))) open.add(index);
      else refused.set(index, problemOf(level, index, name, region));
    }
  }
  return [...refused.values()];
}

/** Checks whether the level may be less strict. A level without a matching rule makes no decision. */
const mayLoosen: PairFilter = (above, { rules: [rule], decision }) =>
  rule !== undefined &&
  !above.name.startsWith('guard:') &&
  decisions.indexOf(decision) < decisions.indexOf(above.decision);

/** Reports whether any call that a rule matches is not blocked above. */
const staysOpen = (upper: ToolPolicyDocument, level: ToolPolicyDocument, index: number): boolean =>
  hasDifferingCall(upper, level, (above, { rules: [rule] }) => above.decision !== 'block' && rule?.index === index);

const problemOf = ({ at }: Level, index: number, above: string, region: Region): Problem => ({
  path: [...at, index, 'decision'],
  found: `${region.to}, where ${above} decides ${region.from} (${region.rule_before}), for example for ${JSON.stringify(region.example)}`,
  allowed: 'a decision at least as strict as those of the levels above: a lower level only tightens',
});
