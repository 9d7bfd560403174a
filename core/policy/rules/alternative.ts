/** The `suggested_alternative` for a refused call: the nearest call that the active policy would not block. */
import type { Decision, ToolCall } from '#core/contracts/envelope.ts';
import { exampleOf } from '#core/text/matching/glob-example.ts';
import type { CompiledPolicy, CompiledRule } from './compile.ts';
import { argumentHolds, decide, type PolicyDecision, worstReading } from './decide.ts';
import type { NormalCall } from './normalise.ts';

/** A changed call with a description of the changes. */
interface Attempt {
  readonly rule: CompiledRule;
  readonly call: ToolCall;
  readonly changes: readonly string[];
  /** Distance from the original call; smaller is nearer. */
  readonly distance: number;
}

const maxAttempts = 64;

/** Returns a suggestion. Never throws: if the search fails, the result is a general suggestion for this policy. */
export function suggestAlternative(policy: CompiledPolicy, call: ToolCall): string {
  const decided = decide(policy, call);
  if (decided.rule?.suggested_alternative !== undefined) return decided.rule.suggested_alternative;
  // The call is blocked by an effect, a limit or a task, so another name or target would not help.
  if (decided.decision !== 'block') return blockedForOthers(policy, call);
  try {
    return nearestAlternative(policy, call) ?? nothingNear(policy, call, decided);
  } catch {
    return nothingNear(policy, call, decided);
  }
}

function nearestAlternative(policy: CompiledPolicy, call: ToolCall): string | undefined {
  const reading = worstReading(policy, call);
  for (const wanted of ['allow', 'review'] as const) {
    const attempts = policy.rules
      .filter((rule) => rule.rule.decision === wanted && (rule.protocol?.matches(reading.protocol) ?? true))
      .flatMap((rule) => [attemptFor(rule, call, reading, false), attemptFor(rule, call, reading, true)])
      .filter((attempt) => attempt !== undefined)
      .sort((a, b) => a.distance - b.distance || a.rule.index - b.rule.index)
      .slice(0, maxAttempts);
    const found = attempts.find((attempt) => decide(policy, attempt.call).decision === wanted);
    if (found) return describe(found, wanted);
  }
  return undefined;
}

/**
 * Returns the call, changed to meet every condition of the rule, or undefined if it would become a different action.
 * With `moved`, also replaces a target that matches the rule, because another rule may refuse that target.
 */
function attemptFor(rule: CompiledRule, call: ToolCall, reading: NormalCall, moved: boolean): Attempt | undefined {
  const changed: { -readonly [K in keyof ToolCall]: ToolCall[K] } = { ...call };
  const changes: string[] = [];
  let distance = 0;
  for (const field of ['tool', 'capability', 'target'] as const) {
    const glob = rule[field];
    if (!glob || (glob.matches(reading[field]) && !(moved && field === 'target'))) continue;
    changed[field] = exampleOf(glob);
    changes.push(`${field} ${glob.literal ?? `like ${changed[field]} (${glob.source})`}`);
    distance += field === 'tool' ? distanceOf(reading.tool, changed.tool) : 1;
  }
  // A call of another tool on another target, or without the call's main parameters, is a different action rather than
  // an alternative.
  const otherTool = changed.tool !== call.tool;
  if (otherTool && (distance >= foreign || changed.target !== call.target)) return undefined;
  // Removing parameters is the only change to them that does not require invented values.
  const failing = rule.arguments.filter((argument) => !argumentHolds(argument, reading));
  const keys = failing
    .map(({ path }) => path.steps[0])
    .map((step) => (typeof step === 'object' ? step.key : undefined));
  if (failing.some(({ predicate }) => !predicate.missingPasses)) return undefined;
  if (keys.length > 0) {
    changed.parameters = Object.fromEntries(Object.entries(call.parameters).filter(([key]) => !keys.includes(key)));
    changes.push(`no parameter ${keys.join(', ')}`);
    distance += 1;
  }
  return changes.length === 0 || (otherTool && keys.length > 0)
    ? undefined
    : { rule, call: changed, changes, distance };
}

const foreign = 8;

/**
 * Returns how far apart two tool names are. Tools in the same family that share other words are close: the more shared
 * words, the closer.
 */
function distanceOf(asked: string, offered: string): number {
  const words = (tool: string): string[] => tool.split(/[._/-]/);
  const shared = words(asked).filter((word) => words(offered).includes(word)).length;
  const family = asked.split('.')[0] === offered.split('.')[0];
  return family && shared > 1 ? 4 - Math.min(shared, 3) : foreign;
}

const outcome: Readonly<Record<Decision, string>> = {
  allow: 'would be allowed',
  review: 'would go to a human for approval',
  block: 'would be blocked',
};

const describe = ({ rule, changes }: Attempt, wanted: Decision): string =>
  `With ${changes.join(' and ')} the call ${outcome[wanted]} (rule ${rule.name}).`;

const blockedForOthers = (policy: CompiledPolicy, call: ToolCall): string =>
  `Policy ${policy.name} does not block ${call.tool} itself, but what this call would do with it, as the reason says. Make the call without that, or ask a person to do this step.`;

function nothingNear(policy: CompiledPolicy, call: ToolCall, { matched_rule, rule }: PolicyDecision): string {
  // Several rules may allow the tool itself, so the message does not mention rules.
  if (matched_rule.startsWith('guard:'))
    return `The guard ${matched_rule.slice('guard:'.length)} blocks something that this call names, and no rule can override a guard. Make the call without it, or ask a person to do this step.`;
  // The default allows calls, so a rule blocked this one.
  if (policy.defaultDecision === 'allow')
    return `Policy ${policy.name} blocks this call with its own rule (${matched_rule}); a call that no rule matches is allowed. Ask a person to do this step.`;
  if (rule?.target !== undefined || Object.keys(rule?.arguments ?? {}).length > 0)
    return `Policy ${policy.name} blocks what this call does or names (rule ${matched_rule}), not ${call.tool} itself. Make the call without that, or ask a person to do this step.`;
  return `Policy ${policy.name} has no rule that allows ${call.protocol} tool ${call.tool} or a similar call. ${coverage(policy)} Ask a person to do this step.`;
}

const protocolWords: ReadonlyMap<string, string> = new Map([
  ['mcp', 'MCP'],
  ['http', 'HTTP'],
  ['git', 'Git'],
  ['sql', 'SQL'],
  ['shell', 'shell'],
]);

/** Returns a sentence such as `It covers MCP, HTTP, Git and shell.` */
function coverage({ rules }: CompiledPolicy): string {
  const passing = rules.filter(({ rule }) => rule.decision !== 'block');
  if (passing.length === 0) return 'It allows nothing.';
  const words = [...protocolWords]
    .filter(([name]) => passing.some(({ protocol }) => protocol?.matches(name) ?? true))
    .map(([, word]) => word);
  if (words.length === protocolWords.size) return 'It covers all protocols.';
  return words.length === 0 ? 'It covers other protocols.' : `It covers ${joinWithAnd(words)}.`;
}

const joinWithAnd = (words: readonly string[]): string =>
  words.length === 1 ? words[0]! : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
