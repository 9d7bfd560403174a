/** Evaluates a call and its effects. The worst decision wins; if the text is unclear, it is at least a review. */

import { type Capability, decisions, type ToolCall } from '#core/contracts/envelope.ts';
import { remembered } from '#core/kernel/remembered.ts';
import { capabilityFromName, moreSevere } from '#core/policy/classification/classify-tool.ts';
import { type CompiledPolicy, type CompiledRule, policyOf } from '#core/policy/rules/compile.ts';
import { allowedBefore, combineReviews, decide, type PolicyDecision } from '#core/policy/rules/decide.ts';
import { joinedParts } from '#core/policy/rules/joined-parts.ts';
import { matchesAll } from '#core/text/matching/glob.ts';
import { actionInWords } from './in-words.ts';
import type { Effects } from './ports.ts';
import { takesOrders } from './shell/orders.ts';

/** `matched_rule` of a review that was required because the text could not be parsed with certainty. */
const unclearRule = 'effects:unclear';

/**
 * Evaluates a call by its effects. If a call only carries other commands, only the rules that name it are applied to
 * it, or all rules if its text is unclear, because then there is only the text to check. Never throws: a call that
 * cannot be evaluated is blocked.
 */
export function decideEffects(policy: CompiledPolicy, call: ToolCall, effects: Effects): PolicyDecision {
  const { carrier } = effects;
  // Effects inherit the upstream and the sources of their call.
  const parts = effects.parts.map((part) => ({ ...provenanceOf(call), ...part }));
  const unclear = acceptsShown(policy, effects, parts) ? undefined : effects.unclear;
  const speaksForItself = !carrier || unclear !== undefined || parts.length === 0;
  const review = unclear === undefined ? undefined : unclearDecision(policy, unclear, call);
  const ofUnclear = () => review;
  const sayings: (() => PolicyDecision | undefined)[] = [
    () => (speaksForItself ? decide(policy, call) : decideNaming(policy, call)),
    ofUnclear,
    ...(effects.unreadLines ?? []).map(
      (line) => () => blockedAsLine(policy, { ...provenanceOf(call), ...lineCall(line) }),
    ),
    ...parts.map((part) => () => ofPart(policy, decidePart(policy, part), part)),
    ...(speaksForItself ? [() => blockByName(policy, call)] : []),
    () => blockedInParts(policy, call),
  ];
  // The effects of a line explain more than its text does, so they come first.
  if (carrier) sayings.push(sayings.shift()!);
  const worst = worstOf(sayings);
  // Everything else was allowed, so the credential comes from the rule that would have decided.
  const otherwise =
    review && worst.matched_rule === unclearRule ? worstOf(sayings.filter((say) => say !== ofUnclear)) : undefined;
  return withReason(policy, { ...worst, ...allowedBefore(worst, otherwise) }, call);
}

/**
 * Evaluates a part. A rule may match a command by its words or by its objects: `delete pod x` as well as `pod/x`.
 * Decisions on the objects are combined with the decision on the words, and replace it if only a catch-all rule matches
 * the words [effects.profiles].
 */
function decidePart(policy: CompiledPolicy, part: ToolCall): PolicyDecision {
  const { operation, objects } = part.parameters;
  const said = decide(policy, part);
  // In other protocols, the caller may have supplied these parameters.
  if (part.protocol !== 'shell' || operation === undefined || !Array.isArray(objects)) return said;
  const named = objects.map((target) => decide(policy, { ...part, target: String(target) })).filter(namesTarget);
  const speak = isCatchAll(said) && named.length === objects.length && named.every(namesTool);
  return worstOf([...(speak ? [] : [said]), ...named].map((each) => () => each));
}

/** Checks that a rule names a tool. A path rule for any tool does not allow a command by its objects. */
const namesTool = ({ decision, rule }: PolicyDecision): boolean => decision !== 'allow' || !isAny(rule?.tool);

/** Checks that a decision depends on the target: it was made by a guard or by a rule with a target. */
const namesTarget = ({ rule, matched_rule }: PolicyDecision): boolean =>
  matched_rule.startsWith('guard:') || (rule !== undefined && !isAny(rule.target));

/**
 * Checks whether rules allow showing files that the command does not name: a rule with a condition on `shows` must
 * allow each such effect [effects.profiles]. A general rule for reads is not enough.
 */
function acceptsShown(policy: CompiledPolicy, { shows }: Effects, parts: readonly ToolCall[]): boolean {
  if (shows === undefined) return false;
  const showing = parts.filter(({ parameters }) => parameters.shows !== undefined);
  return (
    showing.length > 0 &&
    showing.every((part) => {
      const { decision, rule } = decide(policy, part);
      return decision === 'allow' && Object.hasOwn(rule?.arguments ?? {}, 'shows');
    })
  );
}

/**
 * Returns the block that applies to the call under the capability its name implies. A more severe capability from a
 * claim or an argument does not lift that block: `get_secret` that is claimed to write still returns a secret
 * [action.class].
 */
function blockByName(policy: CompiledPolicy, call: ToolCall): PolicyDecision | undefined {
  const named = withCapabilityOfName(call);
  const decision = named && decide(policy, named);
  return decision?.decision === 'block' && decision.matched_rule !== 'default' ? decision : undefined;
}

/**
 * Returns the block that results from matching the rules for shell lines against the text of a line that could not be
 * parsed.
 */
function blockedAsLine(policy: CompiledPolicy, line: ToolCall): PolicyDecision | undefined {
  const said = decide(policy, line);
  return said.decision === 'block' && said.matched_rule !== 'default' ? said : undefined;
}

const lineCall = (command: string): ToolCall => ({
  protocol: 'shell',
  tool: 'shell.run',
  target: '',
  capability: 'execute',
  parameters: { command },
});

/** Returns a guard's decision on paths that the server may build by joining several arguments [policy.guards]. */
function blockedInParts(policy: CompiledPolicy, call: ToolCall): PolicyDecision | undefined {
  if (policy.guards.length === 0 || call.protocol.trim().toLowerCase() === 'shell') return undefined;
  const paths = joinedParts(call.parameters);
  if (paths.length === 0) return undefined;
  const decision = decide(policy, { ...call, parameters: { paths } });
  return decision.matched_rule.startsWith('guard:') ? decision : undefined;
}

/**
 * Returns the call with the capability its name implies, or undefined if the call's own capability is not more severe.
 */
export function withCapabilityOfName(call: ToolCall): ToolCall | undefined {
  const capability = capabilityFromName(call.tool);
  return moreSevere(capability, call.capability as Capability) === capability ? undefined : { ...call, capability };
}

const provenanceOf = ({ upstream, sources, withheld }: ToolCall) => ({
  ...(upstream !== undefined && { upstream }),
  ...(withheld && { withheld }),
  ...(sources && { sources }),
});

function unclearDecision(policy: CompiledPolicy, why: string, { protocol }: ToolCall): PolicyDecision {
  const what = protocol.trim().toLowerCase() === 'shell' ? 'line' : 'call';
  return {
    decision: 'review',
    matched_rule: unclearRule,
    policy: policy.name,
    reason: `It cannot be determined what the ${what} does: ${why}.`,
  };
}

/**
 * Adds the effect that led to the decision and the reason: the one given by the rule, or that the policy does not list
 * the call.
 */
function ofPart(policy: CompiledPolicy, decision: PolicyDecision, part: ToolCall): PolicyDecision {
  const listed = part.protocol === 'shell' ? 'this command' : `this call to ${part.tool}`;
  const why = decision.reason ?? (isCatchAll(decision) ? notListed(policy, decision, listed) : undefined);
  const counts = isByCapability(decision) ? `It counts as ${part.capability}.` : undefined;
  return { ...decision, reason: [effectText(part), counts, why].filter(Boolean).join(' ') };
}

/** Checks that no rule matched, or that the matching rule names neither a tool nor a capability. */
const isCatchAll = ({ rule, matched_rule }: PolicyDecision): boolean =>
  rule === undefined ? matched_rule === 'default' : isAny(rule.tool) && isAny(rule.capability);

/** Checks that the call was refused by a rule for its capability that applies to any tool. */
const isByCapability = ({ decision, rule }: PolicyDecision): boolean =>
  decision !== 'allow' && rule?.reason !== undefined && isAny(rule.tool) && !isAny(rule.capability);

const isAny = (pattern: string | undefined): boolean => pattern === undefined || matchesAll(pattern);

/** Adds a reason to a review or block: no rule lists the call, or its capability. */
function withReason(policy: CompiledPolicy, decision: PolicyDecision, call: ToolCall): PolicyDecision {
  const { reason, rule } = decision;
  if (reason !== undefined)
    return rule?.reason === reason && isByCapability(decision)
      ? { ...decision, reason: `${call.tool} counts as ${call.capability}. ${reason}` }
      : decision;
  const why = isCatchAll(decision) ? notListed(policy, decision, `this call to ${call.tool}`) : undefined;
  return why === undefined ? decision : { ...decision, reason: why };
}

function notListed({ name }: CompiledPolicy, { decision }: PolicyDecision, what: string): string | undefined {
  if (decision === 'allow') return undefined;
  return decision === 'review'
    ? `Policy ${name} does not list ${what}, so a person checks it.`
    : `Policy ${name} does not allow ${what}.`;
}

/** Returns a sentence such as `The line would run rm on /.` or `Would run: kubectl -n shop get pods.` */
function effectText({ protocol, tool, target, capability, parameters }: ToolCall): string {
  const cut = target.length > shownCharacters ? `${target.slice(0, shownCharacters)}…` : target;
  // The full stop after a path must not look like part of it: `on ..` would be the parent folder.
  const where = cut.endsWith('.') ? `"${cut}"` : cut;
  if (protocol !== 'shell') return `The call would run ${tool}${where && ` on ${where}`}.`;
  const action = actionInWords({ protocol, tool, target, capability, parameters });
  if (action !== undefined) return `${tool.slice('shell.'.length)} ${action}.`;
  if (tool === 'shell.redirect') return `The line would ${capability === 'read' ? 'read from' : 'write to'} ${where}.`;
  const program = tool.slice('shell.'.length);
  if (parameters.operation !== undefined || isOrder({ program, target, capability, argv: parameters.argv }))
    return `Would run: ${program} ${where}.`;
  return `The line would run ${program}${where && ` on ${where}`}.`;
}

interface ProgramCall extends Pick<ToolCall, 'target' | 'capability'> {
  readonly program: string;
  readonly argv: unknown;
}

/** Checks whether the target repeats the program's arguments, as in `git status`, instead of naming a place. */
function isOrder({ program, target, capability, argv }: ProgramCall): boolean {
  if (!Array.isArray(argv) || target === '') return false;
  const words = argv.slice(1).join(' ');
  if (takesOrders(program)) return words.replace(/^(?:-C \S+ )+/, '').startsWith(target);
  return words === target && (target.includes(' ') || !takesPlaces.has(capability));
}

/** Capabilities of commands whose only argument is usually a place. */
const takesPlaces: ReadonlySet<string> = new Set(['read', 'write', 'delete']);
const shownCharacters = 120;

/** Returns the worst decision; among equals, the first with a reason. Stops at a block that has one. */
function worstOf(sayings: readonly (() => PolicyDecision | undefined)[]): PolicyDecision {
  let worst: PolicyDecision | undefined;
  for (const say of sayings) {
    const next = say();
    if (next === undefined) continue;
    const worse = worst === undefined ? 1 : decisions.indexOf(next.decision) - decisions.indexOf(worst.decision);
    const before = worst;
    if (worse > 0) worst = next;
    // Among equal decisions, one made by a rule takes precedence.
    else if (worse === 0 && worst?.rule === undefined && next.rule !== undefined) {
      // The reason why the text is unclear is more specific than a rule's reason.
      const reason = worst?.matched_rule === unclearRule ? worst.reason : (next.reason ?? worst?.reason);
      worst = { ...next, ...(reason !== undefined && { reason }) };
    }
    // Keep the rule that decided: it determines the approval timeout and the credential.
    else if (worse === 0 && worst?.reason === undefined && next.reason !== undefined)
      worst = { ...worst!, reason: next.reason };
    if (before && worse === 0) worst = combineReviews(worst!, worst?.rule === before.rule ? next : before);
    if (worst?.decision === 'block' && worst.reason !== undefined) break;
  }
  return worst!;
}

/** Returns the decision of the rules that name a carrier, or undefined if none does. */
function decideNaming(policy: CompiledPolicy, call: ToolCall): PolicyDecision | undefined {
  const decision = decide(namingPolicy(policy, call), call);
  // A rule with an unclear source condition determines the decision even if no rule matches.
  return decision.rule !== undefined || decision.decision !== 'allow' ? decision : undefined;
}

/**
 * Returns the policy with only the rules that name a carrier: by tool, by capability, or by a protocol other than
 * shell. The other rules search raw text or apply to the whole protocol, so they check each part instead.
 */
const namingPolicy = (policy: CompiledPolicy, call: ToolCall): CompiledPolicy =>
  (call.protocol.trim().toLowerCase() === 'shell' ? namingShell : namingOther)(policy);

const namingShell = remembered((policy: CompiledPolicy) => namingRules(policy, true));
const namingOther = remembered((policy: CompiledPolicy) => namingRules(policy, false));

function namingRules(policy: CompiledPolicy, isShell: boolean): CompiledPolicy {
  const rules = policy.rules.filter((rule) => names(rule, isShell));
  const guards = policy.guards.filter((guard) => names(guard, isShell) || looksAtNames(guard));
  const levels = (policy.levels ?? []).map((level) =>
    policyOf(
      level.name,
      'allow',
      [],
      level.rules.filter((rule) => names(rule, isShell)),
    ),
  );
  return { ...policyOf(policy.name, 'allow', guards, rules), levels };
}

/**
 * Checks for conditions on named parameters. Parameters other than the parsed text, such as a working directory, are
 * not in any part.
 */
const looksAtNames = ({ target, arguments: conditions }: CompiledRule): boolean =>
  target === undefined && conditions.some(({ path: { anywhere } }) => anywhere !== undefined && anywhere !== 'all');

const names = ({ tool, capability, protocol }: CompiledRule, isShell: boolean): boolean =>
  tool !== undefined || capability !== undefined || (protocol !== undefined && !isShell);
