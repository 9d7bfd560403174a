/** Why an action was decided as it was: the rules, each effect of the call, and what else had a say [policy.why]. */

import { isLarge, policyText, sentOf } from '#core/actions/call-work.ts';
import { type FindPlace, placesOfVersion } from '#core/configuration/store/places.ts';
import { policyOfTenant } from '#core/configuration/store/tenant-policy.ts';
import type { Decision, ToolCall } from '#core/contracts/envelope.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { withCapabilityOfName } from '#core/effects/decide-effects.ts';
import { notFound } from '#core/kernel/errors.ts';
import { type CompiledPolicy, compilePolicy, levelPrefix } from '#core/tool-policy/compile.ts';
import { decide } from '#core/tool-policy/decide.ts';
import { explain, type RuleTrace } from '#core/tool-policy/explain.ts';
import { assertOwn, type Call, type Operation } from './operation.ts';
import { citedVersion } from './policy-version.ts';

interface EffectView {
  readonly tool: string;
  readonly target: string;
  readonly capability: string;
  readonly decision: Decision;
  readonly matched_rule: string;
  readonly place?: string;
  readonly reason?: string;
  /** For an effect that is not allowed: the guards and rules up to the one that decided. */
  readonly trace?: readonly PlacedTrace[];
}

/** With where the rule stands, as `file:line` [policy-version.places]. */
interface PlacedTrace extends RuleTrace {
  readonly place?: string;
}

/** As many effects as an answer explains. */
const maxEffects = 50;

/**
 * Which source decided an action, and the first condition at which each guard and rule failed: for the call as it was written, and for
 * each effect that is not allowed. A call whose parameters are redacted is not read again; `not_replayed` names them.
 */
export const why: Operation = async (call) => {
  const entry = await decisionEntry(call, call.params.envelope_id ?? '');
  const { policy_version, matched_rule, policy, withheld, rule, reason } = entry.body;
  const { configuration } = await citedVersion(call, String(policy_version));
  const { protocol, tool, target, capability, upstream, parameters, sent_with } = entry.body as unknown as ToolCall;
  const toolCall: ToolCall = {
    protocol,
    tool,
    target,
    capability,
    upstream,
    parameters,
    ...(sent_with && { sent_with }),
  };
  const document = policyOfTenant(configuration, call.principal.tenant);
  const compiled = compilePolicy(document);
  const { calls } = call.ports;
  const traced = (asked: ToolCall) =>
    calls && isLarge(sentOf(asked))
      ? calls.explain({ call: asked, policy: policyText(document) })
      : explain(compiled, asked);
  const decides = (trace: readonly RuleTrace[]): boolean =>
    trace.some((step) => step.matched && step.rule === matched_rule);
  const place = await placesOfVersion(call.ports, Number(policy_version));
  const asMade = await traced(toolCall);
  const named = decides(asMade) ? undefined : withCapabilityOfName(toolCall);
  const asNamed = named && (await traced(named));
  const trace = asNamed && decides(asNamed) ? asNamed : asMade;
  const effects = withheld === undefined ? await effectsOf(call, compiled, toolCall, place) : { effects: [] };
  const decider = String(matched_rule);
  const placed = withPlaces(trace, place);
  const queued = await call.ports.approvals.get(call.principal.tenant, entry.envelope_id);
  const index = queued?.rule_index;
  const at =
    index === undefined
      ? (placeOfDecider(decider, placed, effects.effects) ?? place({ rule: decider }))
      : place({ index, rule: decider });
  // Several rules have one name: the request that waits knows which of them asked for a person.
  const ofEffect =
    index !== undefined &&
    placed.some((step) => step.matched && step.index !== index) &&
    effects.effects.some((effect) => effect.matched_rule === decider && effect.place === at);
  return {
    body: {
      envelope_id: entry.envelope_id,
      decision: entry.kind,
      matched_rule,
      decided_by: ofEffect ? 'effect' : decidedBy(decider, trace, effects.effects),
      ...(reason !== undefined && { reason }),
      ...(rule !== undefined && { rule }),
      ...(at !== undefined && { place: at }),
      policy,
      policy_version,
      call: toolCall,
      trace: placed,
      ...effects,
      ...(withheld !== undefined && { not_replayed: withheld }),
    },
  };
};

/** What the call would do, read again, and what the policy of then says of each part. */
async function effectsOf({ ports }: Call, policy: CompiledPolicy, call: ToolCall, place: FindPlace) {
  const { parts, unclear } = await ports.effects(call);
  const effects = parts.slice(0, maxEffects).map((part): EffectView => {
    const placed = { ...(call.upstream !== undefined && { upstream: call.upstream }), ...part };
    const { tool, target, capability } = part;
    const { decision, matched_rule, reason, rule_index: index } = decide(policy, placed);
    const at = place({ index, rule: matched_rule });
    return {
      ...{ tool, target, capability, decision, matched_rule },
      ...(at !== undefined && { place: at }),
      ...(reason !== undefined && { reason }),
      ...(decision !== 'allow' && { trace: withPlaces(explain(policy, placed), place) }),
    };
  });
  return {
    effects,
    ...(parts.length > maxEffects && { more_effects: parts.length - maxEffects }),
    ...(unclear !== undefined && { unclear }),
  };
}

function withPlaces(trace: readonly RuleTrace[], place: FindPlace): PlacedTrace[] {
  return trace.map((step) => {
    const at = place(step);
    return at === undefined ? step : { ...step, place: at };
  });
}

/** Of the rule that matched the call, else of the one that matched an effect. */
const placeOfDecider = (
  matched: string,
  trace: readonly PlacedTrace[],
  effects: readonly EffectView[],
): string | undefined =>
  trace.find((step) => step.matched && step.rule === matched)?.place ??
  effects.find(({ matched_rule }) => matched_rule === matched)?.place;

const sources: readonly (readonly [prefix: string, source: string])[] = [
  ['approved:', 'approval'],
  ['denied:', 'approval'],
  ['manifest:', 'task'],
  ['behavior:', 'risk'],
  ['sandbox:', 'sandbox'],
  ['provenance:', 'provenance'],
  ['effects:', 'effects'],
  ['guard:', 'guard'],
  [levelPrefix, 'level'],
];

/** The kind of source that decided: a rule on the call itself, a rule on one of its effects, or another source. */
function decidedBy(matched: string, trace: readonly RuleTrace[], effects: readonly EffectView[]): string {
  const named = sources.find(([prefix]) => matched.startsWith(prefix));
  const onCall = trace.find((step) => step.matched)?.rule ?? 'default';
  const onEffect = onCall !== matched && effects.some(({ matched_rule }) => matched_rule === matched);
  if (named && !(onEffect && named[1] === 'guard')) return named[1];
  if (onEffect) return 'effect';
  return matched === 'default' ? 'default' : 'rule';
}

/** Finds a decision by its envelope: an approval row knows the session, else the audit log of the last week does. */
async function decisionEntry(call: Call, id: string): Promise<EvidenceEntry> {
  const { ports, principal } = call;
  const isDecision = (entry: EvidenceEntry) =>
    entry.envelope_id === id && ['allow', 'review', 'block'].includes(entry.kind);
  const row = await ports.approvals.get(principal.tenant, id);
  const found = row
    ? await first(ports.evidence.entries(principal.tenant, row.session_id), isDecision)
    : await inAudit(call, isDecision);
  if (!found) throw notFound(`Action ${id}`);
  if (principal.kind === 'agent') assertOwn(call, found.actor.key_id, `Action ${id}`);
  return found;
}

async function first<T>(items: AsyncIterable<T>, wanted: (item: T) => boolean): Promise<T | undefined> {
  for await (const item of items) if (wanted(item)) return item;
  return undefined;
}

const week = 7 * 24 * 3_600_000;

/** Envelope ids are UUIDv7: their first 48 bits are the time, so the hour to look in is known. */
async function inAudit({ ports, principal, params }: Call, wanted: (entry: EvidenceEntry) => boolean) {
  const id = params.envelope_id ?? '';
  const bornMs = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
  const now = ports.clock.now();
  const born = Number.isSafeInteger(bornMs) && bornMs <= now + 60_000 ? bornMs : now;
  let cursor: string | undefined;
  do {
    const page = await ports.evidence.audit({
      tenant: principal.tenant,
      from: Math.max(born - 60_000, now - 52 * week),
      to: born + 600_000,
      limit: 200,
      ...(cursor !== undefined && { cursor }),
    });
    const found = page.items.find(wanted);
    if (found) return found;
    cursor = page.cursor;
  } while (cursor !== undefined);
  return undefined;
}
