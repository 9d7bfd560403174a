/** The decision of a policy over a call and its effects: the worst of all, and review where the text is not certain. */

import { type Capability, decisions, type ToolCall } from '#core/contracts/envelope.ts';
import { remembered } from '#core/kernel/remembered.ts';
import { capabilityFromName, moreSevere } from '#core/policy/classification/classify-tool.ts';
import { type CompiledPolicy, type CompiledRule, policyOf } from '#core/policy/rules/compile.ts';
import { combineReviews, decide, type PolicyDecision } from '#core/policy/rules/decide.ts';
import { joinedParts } from '#core/policy/rules/joined-parts.ts';
import { matchesAll } from '#core/text/matching/glob.ts';
import { actionInWords } from './in-words.ts';
import type { Effects } from './ports.ts';
import { takesOrders } from './shell/orders.ts';

/** `matched_rule` of a review whose ground is that the text could not be read with certainty. */
const unclearRule = 'effects:unclear';

/**
 * Decides a call by what it would do. A call that only carries others is asked about itself by the rules that name it; by
 * all rules where its text is not certain, since then the text is all there is. Never throws: what cannot be evaluated is
 * blocked.
 */
export function decideEffects(policy: CompiledPolicy, call: ToolCall, effects: Effects): PolicyDecision {
  const { carrier } = effects;
  // What a call does, it does where the call goes.
  const parts = effects.parts.map((part) => ({ ...placeOf(call), ...part }));
  const unclear = acceptsShown(policy, effects, parts) ? undefined : effects.unclear;
  const speaksForItself = !carrier || unclear !== undefined || parts.length === 0;
  const sayings: (() => PolicyDecision | undefined)[] = [
    () => (speaksForItself ? decide(policy, call) : decideNaming(policy, call)),
    () => (unclear === undefined ? undefined : unclearDecision(policy, unclear, call)),
    ...parts.map((part) => () => ofPart(policy, decidePart(policy, part), part)),
    ...(speaksForItself ? [() => blockedAsNamed(policy, call)] : []),
    () => blockedInParts(policy, call),
  ];
  // What a line would do says more than what it looks like.
  if (carrier) sayings.push(sayings.shift()!);
  return withReason(policy, worstOf(sayings), call);
}

/**
 * A rule may name a command by its words, or by what it acts on: `delete pod x` as well as `pod/x`. What rules say of the objects
 * counts beside what they say of the words, and alone where they do not speak of those [effects.objects].
 */
function decidePart(policy: CompiledPolicy, part: ToolCall): PolicyDecision {
  const { operation, objects } = part.parameters;
  const said = decide(policy, part);
  // Of another protocol the caller may have named them.
  if (part.protocol !== 'shell' || operation === undefined || !Array.isArray(objects)) return said;
  const named = objects.map((target) => decide(policy, { ...part, target: String(target) })).filter(namesTarget);
  const speak = isCatchAll(said) && named.length === objects.length && named.every(namesTool);
  return worstOf([...(speak ? [] : [said]), ...named].map((each) => () => each));
}

/** A rule for paths of any program does not allow a command by what it acts on. */
const namesTool = ({ decision, rule }: PolicyDecision): boolean => decision !== 'allow' || !isAny(rule?.tool);

/** It was decided for the target: by a guard, or by a rule that has one. */
const namesTarget = ({ rule, matched_rule }: PolicyDecision): boolean =>
  matched_rule.startsWith('guard:') || (rule !== undefined && !isAny(rule.target));

/**
 * Contents of files that no word names are accepted by rules that say so: each effect that shows them is allowed by a rule with a
 * condition on `shows` [effects.shows]. A rule for reading in general does not.
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
 * A capability that is graver than the name's, by a claim or by an argument, does not lift a block of what the name says:
 * `get_secret` that is claimed to write still hands out a secret [action.claims-only-tighten].
 */
function blockedAsNamed(policy: CompiledPolicy, call: ToolCall): PolicyDecision | undefined {
  const named = withCapabilityOfName(call);
  const decision = named && decide(policy, named);
  return decision?.decision === 'block' && decision.matched_rule !== 'default' ? decision : undefined;
}

/** What a guard says of paths that the server may put together from several arguments [policy.guards]. */
function blockedInParts(policy: CompiledPolicy, call: ToolCall): PolicyDecision | undefined {
  if (policy.guards.length === 0 || call.protocol.trim().toLowerCase() === 'shell') return undefined;
  const paths = joinedParts(call.parameters);
  if (paths.length === 0) return undefined;
  const decision = decide(policy, { ...call, parameters: { paths } });
  return decision.matched_rule.startsWith('guard:') ? decision : undefined;
}

/** The call as its name says; undefined where the name says no less than the call. */
export function withCapabilityOfName(call: ToolCall): ToolCall | undefined {
  const capability = capabilityFromName(call.tool);
  return moreSevere(capability, call.capability as Capability) === capability ? undefined : { ...call, capability };
}

const placeOf = ({ upstream, sources, withheld }: ToolCall) => ({
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

/** Names the effect that decided, and why: the reason of its rule, or that the policy lists no such call. */
function ofPart(policy: CompiledPolicy, decision: PolicyDecision, part: ToolCall): PolicyDecision {
  const listed = part.protocol === 'shell' ? 'this command' : `this call of ${part.tool}`;
  const why = decision.reason ?? (isCatchAll(decision) ? notListed(policy, decision, listed) : undefined);
  const counts = isByCapability(decision) ? `It counts as ${part.capability}.` : undefined;
  return { ...decision, reason: [effectText(part), counts, why].filter(Boolean).join(' ') };
}

/** No rule decided, or one that names neither a tool nor a capability. */
const isCatchAll = ({ rule, matched_rule }: PolicyDecision): boolean =>
  rule === undefined ? matched_rule === 'default' : isAny(rule.tool) && isAny(rule.capability);

/** A rule refused the call for its capability, whatever its tool. */
const isByCapability = ({ decision, rule }: PolicyDecision): boolean =>
  decision !== 'allow' && rule?.reason !== undefined && isAny(rule.tool) && !isAny(rule.capability);

const isAny = (pattern: string | undefined): boolean => pattern === undefined || matchesAll(pattern);

/** A call that no rule names is reviewed or blocked for that reason, or for its capability. */
function withReason(policy: CompiledPolicy, decision: PolicyDecision, call: ToolCall): PolicyDecision {
  const { reason, rule } = decision;
  if (reason !== undefined)
    return rule?.reason === reason && isByCapability(decision)
      ? { ...decision, reason: `${call.tool} counts as ${call.capability}. ${reason}` }
      : decision;
  const why = isCatchAll(decision) ? notListed(policy, decision, `this call of ${call.tool}`) : undefined;
  return why === undefined ? decision : { ...decision, reason: why };
}

function notListed({ name }: CompiledPolicy, { decision }: PolicyDecision, what: string): string | undefined {
  if (decision === 'allow') return undefined;
  return decision === 'review'
    ? `Policy ${name} does not list ${what}, so a person checks it.`
    : `Policy ${name} does not allow ${what}.`;
}

/** `The line would run rm on /.`, `Would run: kubectl -n shop get pods.` */
function effectText({ protocol, tool, target, capability, parameters }: ToolCall): string {
  const cut = target.length > shownCharacters ? `${target.slice(0, shownCharacters)}…` : target;
  // The full stop of the sentence must not make another path of it: `on ..` is the folder above.
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

/** Whether the target repeats the arguments of the program, as in `git status`, and is not a place. */
function isOrder({ program, target, capability, argv }: ProgramCall): boolean {
  if (!Array.isArray(argv) || target === '') return false;
  const words = argv.slice(1).join(' ');
  if (takesOrders(program)) return words.replace(/^(?:-C \S+ )+/, '').startsWith(target);
  return words === target && (target.includes(' ') || !takesPlaces.has(capability));
}

/** Of commands with these capabilities one word is more often a place than an order. */
const takesPlaces: ReadonlySet<string> = new Set(['read', 'write', 'delete']);
const shownCharacters = 120;

/** The worst, where a block ends the matter; among equals the first that says why. */
function worstOf(sayings: readonly (() => PolicyDecision | undefined)[]): PolicyDecision {
  let worst: PolicyDecision | undefined;
  for (const say of sayings) {
    const next = say();
    if (next === undefined) continue;
    const worse = worst === undefined ? 1 : decisions.indexOf(next.decision) - decisions.indexOf(worst.decision);
    const before = worst;
    if (worse > 0) worst = next;
    // Of two that say the same the one that a rule said.
    else if (worse === 0 && worst?.rule === undefined && next.rule !== undefined) {
      // Why the text is not certain says more than what the rule says of texts like it.
      const reason = worst?.matched_rule === unclearRule ? worst.reason : (next.reason ?? worst?.reason);
      worst = { ...next, ...(reason !== undefined && { reason }) };
    }
    // The rule that decided stays: its approval's time and its credential hang on it.
    else if (worse === 0 && worst?.reason === undefined && next.reason !== undefined)
      worst = { ...worst!, reason: next.reason };
    if (before && worse === 0) worst = combineReviews(worst!, worst?.rule === before.rule ? next : before);
    if (worst?.decision === 'block' && worst.reason !== undefined) break;
  }
  return worst!;
}

/** What the rules say that name a carrier; undefined where none does. */
function decideNaming(policy: CompiledPolicy, call: ToolCall): PolicyDecision | undefined {
  const decision = decide(namingPolicy(policy, call), call);
  // A rule whose condition on a source is unclear decides without being named.
  return decision.rule !== undefined || decision.decision !== 'allow' ? decision : undefined;
}

/**
 * The rules that name a carrier: by its tool, by its capability, or by a protocol its parts do not have. What is left out
 * looks for words in raw text, or speaks of the protocol in general, and is asked about each part.
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

/** Parameters beside the text that is read, such as a working directory, are in no part. */
const looksAtNames = ({ target, arguments: conditions }: CompiledRule): boolean =>
  target === undefined && conditions.some(({ path: { anywhere } }) => anywhere !== undefined && anywhere !== 'all');

const names = ({ tool, capability, protocol }: CompiledRule, isShell: boolean): boolean =>
  tool !== undefined || capability !== undefined || (protocol !== undefined && !isShell);
