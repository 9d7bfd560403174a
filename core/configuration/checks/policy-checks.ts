/** Checks that the tool rules of a configuration compile and can match. */
import type { ConfigurationFile } from '#core/contracts/config.ts';
import { capabilities } from '#core/contracts/envelope.ts';
import type { Path, Problem } from '#core/contracts/problems.ts';
import { guardName, type ToolPack, type ToolPolicyDocument, type ToolRule } from '#core/contracts/tool-policy.ts';
import { didYouMean } from '#core/kernel/did-you-mean.ts';
import { analysePolicy, type UnreachableRule } from '#core/policy/rules/analysis/analyse.ts';
import { unknownCapabilities } from '#core/policy/rules/capability-words.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { unknownProtocols } from '#core/policy/rules/protocols.ts';
import type { ResolvedPack } from '../load/pack-source.ts';
import { buildPolicyDocument, disabledGuards } from '../load/policy-document.ts';
import { checkLevels } from './level-checks.ts';
import { definedTwice, oneOf } from './name-checks.ts';
import { checkToolRules } from './organization-checks.ts';
import { unknownTools } from './unknown-tools.ts';

export function checkPolicy(file: ConfigurationFile, { pack, proven }: ResolvedPack, warnings: string[]): Problem[] {
  const { rules } = file.tool_policies;
  const problems = [
    ...rules.flatMap((rule, index) => checkRule(rule, rulePath(index))),
    ...checkBrokers(file, pack, warnings),
    ...checkDisabled(file.tool_policies.disable_guards, pack),
    ...checkToolRules(file, [{ at: ['tool_policies', 'pack', 'rules'], rules: pack?.rules ?? [] }], warnings),
  ];
  if (problems.length > 0) return problems;
  const document = buildPolicyDocument({ ...file, tool_policies: { ...file.tool_policies, pack } });
  warnings.push(...disabledGuards({ tool_policies: { ...file.tool_policies, pack } }), ...unknownProtocols(document));
  warnings.push(...unknownTools(file, pack), ...rulesOfOneName(document, rules.length));
  const reach = checkReach(proven ? { ...document, rules } : document, { proven, configured: rules.length }, warnings);
  return [...reach, ...checkLevels(file, pack, warnings, checkRule)];
}

/** Warns about rules with the same name: they work, but readers confuse them. */
const rulesOfOneName = ({ rules, levels = [] }: ToolPolicyDocument, own: number): string[] => [
  ...definedTwice(rules.slice(0, own), 'name', 'Rule').map(({ sentence }) => `tool_policies.rules: ${sentence}.`),
  ...definedTwice(rules.slice(own), 'name', 'Rule').map(({ sentence }) => `tool_policies.pack: ${sentence}.`),
  ...levels.flatMap(({ path, rules: ofLevel }) =>
    definedTwice(ofLevel, 'name', 'Rule').map(({ sentence }) => `${path}: ${sentence}.`),
  ),
];

function checkRule(rule: ToolRule, path: Path): Problem[] {
  try {
    compilePolicy({ name: 'rule', default_decision: 'review', rules: [rule] });
    return unknownCapabilities(rule.capability).map((word) => ({
      path: [...path, 'capability'],
      found: JSON.stringify(word),
      allowed: `${capabilities.join(', ')}${didYouMean(word, capabilities)}`,
    }));
  } catch (thrown) {
    const message = (thrown as Error).message.replace(/^rules\[0\]\.?/, '');
    return [{ path, found: 'a rule that does not compile', allowed: `a rule as documented (${message})` }];
  }
}

/** Rejects unknown guard names: a misspelt one would leave a guard active that its author believes is disabled. */
function checkDisabled(disabled: readonly string[], pack: ToolPack | null): Problem[] {
  const known = [...new Set(pack?.guards.map(guardName))];
  return disabled.flatMap((name, i): Problem[] =>
    known.includes(name)
      ? []
      : [
          {
            path: ['tool_policies', 'disable_guards', i],
            found: JSON.stringify(name),
            allowed: oneOf(known, `guards of pack ${pack?.name ?? 'null'}`, name),
          },
        ],
  );
}

function checkBrokers(
  { credentials, tool_policies }: ConfigurationFile,
  pack: ToolPack | null,
  warnings: string[],
): Problem[] {
  const names = credentials.brokers.map(({ name }) => name);
  const missing = (rule: ToolRule) => rule.credential && !names.includes(rule.credential.broker);
  for (const rule of pack?.rules.filter(missing) ?? []) {
    const name = `${rule.protocol}:${rule.tool}`;
    warnings.push(`The pack's rule ${name} names the broker ${rule.credential?.broker}, which is not configured.`);
  }
  return tool_policies.rules.flatMap((rule, i): Problem[] =>
    missing(rule)
      ? [
          {
            path: [...rulePath(i), 'credential', 'broker'],
            found: JSON.stringify(rule.credential?.broker),
            allowed: oneOf(names, 'brokers', rule.credential?.broker ?? ''),
          },
        ]
      : [],
  );
}

/** Finds rules that never match. A configured rule may override the pack's; any other unreachable rule is a mistake. */
function checkReach(
  document: ToolPolicyDocument,
  { proven, configured }: { readonly proven: boolean; readonly configured: number },
  warnings: string[],
): Problem[] {
  const { unreachable, warnings: notAnalysed } = analysePolicy(document, { guardsProven: proven });
  warnings.push(...notAnalysed);
  const nameOf = (index: number) => {
    const { protocol, tool } = document.rules[index]!;
    const where = index < configured ? `rules[${index}]` : `pack rule ${index - configured}`;
    return `${where} (${protocol}:${tool})`;
  };
  return unreachable.flatMap(({ index, rule, covered_by, guards = [] }: UnreachableRule): Problem[] => {
    const cover = [...guards, ...covered_by.map(nameOf)];
    const why = cover.length === 0 ? 'no call can meet it' : `covered by ${cover.join(', ')}`;
    if (index < 0) {
      return [
        {
          path: ['tool_policies', 'pack'],
          found: `${rule}, which never matches: ${why}`,
          allowed: 'guards that can match',
        },
      ];
    }
    // A block that a guard already makes is redundant, not wrong.
    const needless = guards.length > 0 && document.rules[index]?.decision === 'block';
    if (needless || (index >= configured && covered_by.some((cover) => cover < configured))) {
      warnings.push(`${nameOf(index)} never matches: ${why}.`);
      return [];
    }
    const path: Path = index < configured ? rulePath(index) : ['tool_policies', 'pack'];
    const found =
      index < configured ? `${rule}, which never matches: ${why}` : `${nameOf(index)}, which never matches: ${why}`;
    const lifted = guards.length > 0 ? '; a guard is lifted by tool_policies.disable_guards alone' : '';
    return [{ path, found, allowed: `rules that can match; remove it or move it up${lifted}` }];
  });
}

const rulePath = (index: number): Path => ['tool_policies', 'rules', index];
