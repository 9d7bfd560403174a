/** Checks that a configuration's tool rules compile and can match. */
import { isRuleSet } from '#core/catalog/rule-sets.ts';
import type { ConfigurationFile } from '#core/contracts/config.ts';
import { capabilities } from '#core/contracts/envelope.ts';
import { gitTools, shellCarriers } from '#core/contracts/executor-tools.ts';
import { guardName } from '#core/contracts/guard-names.ts';
import type { Path, Problem } from '#core/contracts/problems.ts';
import type { ToolPack, ToolPolicyDocument, ToolRule } from '#core/contracts/tool-policy.ts';
import { profiles } from '#core/effects/shell/profiles/all.ts';
import { didYouMean, nearestWord } from '#core/kernel/did-you-mean.ts';
import { analysePolicy, type UnreachableRule } from '#core/policy/rules/analysis/analyse.ts';
import { unknownCapabilities } from '#core/policy/rules/capability-words.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { unknownProtocols } from '#core/policy/rules/protocols.ts';
import type { ResolvedPack } from '../load/pack-source.ts';
import { buildPolicyDocument, disabledGuards } from '../load/policy-document.ts';
import { checkLevels } from './level-checks.ts';
import { definedTwice, oneOf } from './name-checks.ts';
import { checkToolRules } from './organization-checks.ts';

export function checkPolicy(file: ConfigurationFile, resolved: ResolvedPack, warnings: string[]): Problem[] {
  const { pack, entries, proven } = resolved;
  const { rules } = file.tool_policies;
  const problems = [
    ...rules.flatMap((rule, index) => checkRule(rule, rulePath(index))),
    ...checkBrokers(file, pack, warnings),
    ...checkDisabled(file.tool_policies.disable_guards, pack),
    ...checkToolRules(file, [{ at: ['tool_policies', 'pack', 'rules'], rules: pack?.rules ?? [], entries }], warnings),
  ];
  if (problems.length > 0) return problems;
  const document = buildPolicyDocument({ ...file, tool_policies: { ...file.tool_policies, pack } });
  warnings.push(...disabledGuards({ tool_policies: { ...file.tool_policies, pack } }), ...unknownProtocols(document));
  warnings.push(...unknownTools(file, pack), ...rulesOfOneName(document, rules.length));
  const reach = checkReach(
    proven ? { ...document, rules } : document,
    { proven, configured: rules.length, entries },
    warnings,
  );
  return [...reach, ...checkLevels(file, pack, warnings, checkRule)];
}

/** Warns about rules with the same name, which work but confuse readers. Rules in a rule set share the set's name. */
const rulesOfOneName = ({ rules, levels = [] }: ToolPolicyDocument, own: number): string[] => [
  ...definedTwice(rules.slice(0, own), 'name', 'Rule').map(({ sentence }) => `tool_policies.rules: ${sentence}.`),
  ...definedTwice(
    rules.slice(own).filter(({ name }) => name === undefined || !isRuleSet(name)),
    'name',
    'Rule',
  ).map(({ sentence }) => `tool_policies.pack: ${sentence}.`),
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
    return [{ path, sentence: `the rule is not valid: ${message}` }];
  }
}

/** Rejects unknown guard names. A misspelt name would leave a guard active that its author believes to be disabled. */
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

/**
 * Finds rules that can never match. A configured rule may override one from the pack; any other unreachable rule is a
 * mistake.
 */
function checkReach(
  document: ToolPolicyDocument,
  { proven, configured, entries }: Pick<ResolvedPack, 'proven' | 'entries'> & { readonly configured: number },
  warnings: string[],
): Problem[] {
  const { unreachable, warnings: notAnalysed } = analysePolicy(document, { guardsProven: proven });
  warnings.push(...notAnalysed);
  const nameOf = (index: number) => {
    const { protocol, tool } = document.rules[index]!;
    const where = index < configured ? `rules[${index}]` : `pack rule ${entries[index - configured]}`;
    return `${where} (${protocol}:${tool})`;
  };
  return unreachable.flatMap(({ index, rule, covered_by, guards = [] }: UnreachableRule): Problem[] => {
    const cover = [...guards, ...covered_by.map(nameOf)];
    const why = cover.length === 0 ? 'no call can match it' : `covered by ${cover.join(', ')}`;
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
    const lifted = guards.length > 0 ? '; only tool_policies.disable_guards can lift a guard' : '';
    return [{ path, found, allowed: `rules that can match; remove it or move it up${lifted}` }];
  });
}

const rulePath = (index: number): Path => ['tool_policies', 'rules', index];

type ToolNames = Pick<ConfigurationFile, 'tool_policies' | 'upstreams' | 'executors'> &
  Partial<Pick<ConfigurationFile, 'catalog'>>;

const httpMethods = ['get', 'head', 'options', 'post', 'put', 'patch', 'delete'];
const sqlVerbs = [
  ...['select', 'insert', 'update', 'delete', 'merge', 'truncate', 'create', 'alter', 'drop', 'grant', 'revoke'],
  ...['explain', 'describe', 'call', 'do', 'copy', 'load', 'lock', 'query', 'execute', 'set', 'show', 'other'],
  ...['comment', 'vacuum', 'analyze', 'cluster', 'reindex', 'refresh', 'begin', 'commit', 'rollback', 'drop_table'],
];

/**
 * Returns warnings rather than errors, because MCP servers and executors added later may have tools with any name.
 * Names with wildcards are skipped.
 */
export function unknownTools(file: ToolNames, pack: ToolPack | null): string[] {
  const known = knownTools(file, pack);
  return file.tool_policies.rules.flatMap(({ protocol, tool }, index) => {
    const ofProtocol = known.get(protocol.trim().toLowerCase());
    if (!ofProtocol || /[*?{[\\]/.test(tool) || ofProtocol.has(tool.toLowerCase())) return [];
    const meant = nearestTool(tool.toLowerCase(), [...ofProtocol]);
    return meant === undefined || (protocol.trim().toLowerCase() === 'shell' && mayBeProgram(tool))
      ? []
      : [
          `tool_policies.rules[${index}]: no tool of protocol ${protocol} is known as "${tool}"; did you mean "${meant}"?`,
        ];
  });
}

/**
 * Reports whether a name may be an unlisted program. Short names often differ in a single letter, so they are not
 * checked.
 */
const mayBeProgram = (tool: string): boolean => parts(tool)[1].length < 5;

/**
 * Finds the nearest known tool. Family and operation are compared separately, so that a long family does not allow more
 * differences in the operation.
 */
function nearestTool(tool: string, known: readonly string[]): string | undefined {
  const [family, operation] = parts(tool);
  const meantFamily = nearestWord(family, [...new Set(known.map((name) => parts(name)[0]))]);
  if (meantFamily === undefined) return undefined;
  const operations = known.map(parts).filter(([name]) => name === meantFamily);
  const meant = nearestWord(
    operation,
    operations.map(([, name]) => name),
  );
  return meant === undefined ? undefined : `${meantFamily}.${meant}`;
}

const parts = (tool: string): readonly [family: string, operation: string] => {
  const dot = tool.indexOf('.');
  return dot < 0 ? [tool, ''] : [tool.slice(0, dot), tool.slice(dot + 1)];
};

/** Returns the known tool names by protocol, in lower case: those of executors, effect readers and the pack. */
function knownTools({ upstreams, executors, catalog }: ToolNames, pack: ToolPack | null): Map<string, Set<string>> {
  const of = (family: string, names: readonly string[]) => names.map((name) => `${family}.${name}`);
  const tools: Readonly<Record<string, readonly string[]>> = {
    git: gitTools,
    http: ['http', ...upstreams.http.map(({ name }) => name)].flatMap((family) => of(family, httpMethods)),
    sql: of('sql', sqlVerbs),
    // Effects of a shell line other than running programs have names of their own.
    shell: of('shell', [
      ...profiles.keys(),
      ...Object.keys(catalog?.programs ?? {}),
      ...executors.shell.allowed_binaries,
      ...shellCarriers,
      'redirect',
    ]),
  };
  const ofPack = (protocol: string) =>
    (pack?.rules ?? [])
      .filter((rule) => rule.protocol === protocol && !/[*?{[\\]/.test(rule.tool))
      .map(({ tool }) => tool);
  return new Map(
    Object.entries(tools).map(([protocol, names]) => [
      protocol,
      new Set([...names, ...ofPack(protocol)].map((name) => name.toLowerCase())),
    ]),
  );
}
