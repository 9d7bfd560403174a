/** Explains a decision: the rules, each effect of the call, and other sources [policy.simulate]. */

import { judges } from '#core/actions/judges.ts';
import { neededWords } from '#core/actions/needed-approvals.ts';
import { placesOfVersion } from '#core/configuration/store/places.ts';
import { policyOfTenant } from '#core/configuration/store/tenant-policy.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { withCapabilityOfName } from '#core/effects/decide-effects.ts';
import { namesOfRows, type RowPlace } from '#core/evidence/entry-text.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { notFound } from '#core/kernel/not-found.ts';
import { compilePolicy, levelPrefix } from '#core/policy/rules/compile.ts';
import type { RuleTrace } from '#core/policy/rules/explain.ts';
import { type EffectView, effectsOf, type PlacedTrace, traceOf, withPlaces } from './explained.ts';
import { assertOwn, type Call, type Operation } from './operation.ts';
import { citedVersion } from './policy-version.ts';

/**
 * Returns the source of the decision on an action. Adds the first failed condition of each guard and rule, for the call
 * as written and for each effect that is not allowed. A call with redacted parameters is not replayed; `not_replayed`
 * names them.
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
    parameters: parameters ?? {},
    ...(sent_with && { sent_with }),
  };
  const document = policyOfTenant(configuration, call.principal.tenant);
  const compiled = compilePolicy(document);
  const traced = traceOf(call.ports, compiled, document);
  const decides = (trace: readonly RuleTrace[]): boolean =>
    trace.some((step) => step.matched && step.rule === matched_rule);
  const place = await placesOfVersion(call.ports, Number(policy_version));
  const asMade = await traced(toolCall);
  const named = decides(asMade) ? undefined : withCapabilityOfName(toolCall);
  const asNamed = named && (await traced(named));
  const trace = asNamed && decides(asNamed) ? asNamed : asMade;
  const effects =
    withheld === undefined
      ? await effectsOf(call.ports, compiled, toolCall, { place, catalog: configuration.catalog })
      : { effects: [] };
  const decider = String(matched_rule);
  const placed = withPlaces(trace, place);
  const queued = await call.ports.approvals.get(call.principal.tenant, entry.envelope_id);
  const needs = queued && neededWords(queued.requires ?? [], queued.require_passkey);
  const index = queued?.rule_index;
  const at =
    index === undefined
      ? (placeOfDecider(decider, placed, effects.effects) ?? place({ rule: decider }))
      : place({ index, rule: decider });
  // Several rules may have the same name. The pending request contains the one that requires a person.
  const ofEffect =
    index !== undefined &&
    placed.some((step) => step.matched && step.index !== index) &&
    effects.effects.some((effect) => effect.matched_rule === decider && effect.place === at);
  return {
    body: {
      envelope_id: entry.envelope_id,
      decision: entry.kind,
      matched_rule,
      decided_by: ofEffect ? 'effect' : decidedBy(call.ports, decider, trace, effects.effects),
      ...(reason !== undefined && { reason }),
      ...(rule !== undefined && { rule }),
      ...(needs !== undefined && { needs }),
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

/** Returns the location of the rule that matched the call or, failing that, of the one that matched an effect. */
const placeOfDecider = (
  matched: string,
  trace: readonly PlacedTrace[],
  effects: readonly EffectView[],
): string | undefined =>
  trace.find((step) => step.matched && step.rule === matched)?.place ??
  effects.find(({ matched_rule }) => matched_rule === matched)?.place;

/** Lists the prefixes of matched rules that are not policy rules, each with its source. */
const sources = ({ judges: added }: Pick<Call['ports'], 'judges'>): (readonly [prefix: string, source: string])[] => [
  ['approved:', 'approval'],
  ['denied:', 'approval'],
  ['provenance:', 'provenance'],
  ['effects:', 'effects'],
  ['guard:', 'guard'],
  [levelPrefix, 'level'],
  ...[...judges, ...added].flatMap(({ rules, name }) => (rules === undefined ? [] : [[rules, name] as const])),
];

/**
 * Returns the kind of source that made the decision: a rule on the call, a rule on one of its effects, or another
 * source.
 */
function decidedBy(
  ports: Pick<Call['ports'], 'judges'>,
  matched: string,
  trace: readonly RuleTrace[],
  effects: readonly EffectView[],
): string {
  const named = sources(ports).find(([prefix]) => matched.startsWith(prefix));
  const onCall = trace.find((step) => step.matched)?.rule ?? 'default';
  const onEffect = onCall !== matched && effects.some(({ matched_rule }) => matched_rule === matched);
  if (named && !(onEffect && named[1] === 'guard')) return named[1];
  if (onEffect) return 'effect';
  return matched === 'default' ? 'default' : 'rule';
}

/**
 * Finds a decision by its envelope id, using the session in its approval row. If there is no such row, searches the
 * last week of the audit log.
 */
async function decisionEntry(call: Call, id: string): Promise<EvidenceEntry> {
  const { ports, principal } = call;
  const isDecision = (entry: EvidenceEntry) =>
    entry.envelope_id === id && ['allow', 'review', 'block'].includes(entry.kind);
  const row = await ports.approvals.get(principal.tenant, id);
  const unreadable: RowPlace[] = [];
  const note = (place: RowPlace) => void unreadable.push(place);
  const found = row
    ? await findFirst(ports.evidence.entries(principal.tenant, row.session_id, 0, note), isDecision)
    : await inAudit(call, isDecision, note);
  if (!found && unreadable.length > 0 && principal.kind !== 'agent')
    throw new GatewayError(
      'not_found',
      `There is no action ${id} among the entries that can be read. Rows of evidence near it cannot be read, and one of them may hold it: ${namesOfRows(unreadable.slice(0, 10))}. Run \`agentctl audit verify\`.`,
    );
  if (!found) throw notFound({ noun: 'action' }, id);
  if (principal.kind === 'agent') assertOwn(call, found.actor.key_id, { noun: 'action' }, id);
  return found;
}

async function findFirst<T>(items: AsyncIterable<T>, wanted: (item: T) => boolean): Promise<T | undefined> {
  for await (const item of items) if (wanted(item)) return item;
  return undefined;
}

const week = 7 * 24 * 3_600_000;

/** Searches the audit log. Envelope ids are UUIDv7, whose first 48 bits are the time, so the hour is known. */
async function inAudit(
  { ports, principal, params }: Call,
  wanted: (entry: EvidenceEntry) => boolean,
  unreadable: (row: RowPlace) => void,
) {
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
      unreadable,
      ...(cursor !== undefined && { cursor }),
    });
    const found = page.items.find(wanted);
    if (found) return found;
    cursor = page.cursor;
  } while (cursor !== undefined);
  return undefined;
}
