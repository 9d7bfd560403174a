/**
 * The cost of policy decisions and policy analysis: the p50 of a decision with 100 and with 10,000 rules, and the
 * analysis of 200 rules.
 */
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { ToolPolicyDocument, ToolRule } from '#core/contracts/tool-policy.ts';
import { analysePolicy } from '#core/policy/rules/analysis/analyse.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { decide } from '#core/policy/rules/decide.ts';

export async function benchToolPolicy(): Promise<Record<string, number>> {
  const hundred = decisionMicros(100);
  const tenThousand = decisionMicros(10_000);
  const document = policyOf(200);
  analysePolicy(document);
  const start = performance.now();
  const analysis = analysePolicy(document);
  if (!analysis.analysed) throw new Error(`the bench policy was not analysed: ${analysis.warnings.join(' ')}`);
  return {
    decision_p50_us_100_rules: hundred,
    decision_p50_us_10000_rules: tenThousand,
    analysis_ms_200_rules: performance.now() - start,
  };
}

/**
 * Builds a policy with the same mix of rules as the packs: secrets for every tool, prefixes, literals, targets,
 * capabilities and arguments.
 */
export function policyOf(size: number): ToolPolicyDocument {
  const protocols = ['git', 'shell', 'sql', 'http', 'mcp'] as const;
  const rules: ToolRule[] = [
    { protocol: '*', tool: '*', target: '{**/,}{.env,.ssh,.aws}{,/**}', decision: 'block' },
    { protocol: '*', tool: '*', target: '..{,/**}', decision: 'block' },
  ];
  for (let i = rules.length; i < size; i++) {
    const protocol = protocols[i % protocols.length]!;
    const shape = i % 4;
    rules.push({
      protocol,
      tool: shape === 0 ? `family${i}.get_*` : `family${i}.operation`,
      ...(shape === 1 && { target: `repo${i}/**/*.{ts,md}` }),
      ...(shape === 2 && { capability: 'read' }),
      ...(shape === 3 && { arguments: { branch: { not_glob: ['main', 'release/**'] } } }),
      decision: i % 3 === 0 ? 'allow' : 'review',
    });
  }
  return { name: `bench-${size}`, default_decision: 'review', rules };
}

function decisionMicros(size: number): number {
  const policy = compilePolicy(policyOf(size));
  const calls = callsFor(policyOf(size), 200);
  const batch = 50;
  const micros: number[] = [];
  for (let round = 0; round < 4000; round++) {
    const start = performance.now();
    for (let i = 0; i < batch; i++) decide(policy, calls[(round * batch + i) % calls.length]!);
    micros.push(((performance.now() - start) * 1000) / batch);
  }
  return micros.sort((a, b) => a - b)[micros.length >> 1]!;
}

/** Builds calls spread over the whole policy; every tenth call matches no rule. */
function callsFor({ rules }: ToolPolicyDocument, count: number): ToolCall[] {
  return Array.from({ length: count }, (_, i) => {
    const rule = rules[2 + Math.floor((i * (rules.length - 2)) / count)]!;
    return {
      protocol: rule.protocol,
      tool: i % 10 === 0 ? `unknown${i}.operation` : rule.tool.replace('*', 'thing'),
      target: rule.target ? rule.target.replace('/**/*.{ts,md}', '/src/deep/file.ts') : `acme/web-${i}`,
      capability: 'read',
      parameters: { branch: 'feature/one', title: 'A change' },
    };
  });
}
