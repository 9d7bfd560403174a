/**
 * Traces the sources of a call's values if a rule for its tool needs them.
 */
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { ActionEnvelope, ToolCall } from '#core/contracts/envelope.ts';
import type { Effects } from '#core/effects/ports.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { type CompiledPolicy, hasSourceCondition } from '#core/policy/rules/compile.ts';
import { readingsOf } from '#core/policy/rules/normalise.ts';
import type { SourcePorts } from './ports.ts';

/** Text that the caller's host sends with a call. */
export interface CallerWords {
  /** The person's request. */
  readonly prompt?: string | undefined;
  /** For a person's key, the justification counts as that person's own words. */
  readonly justification?: string | undefined;
  readonly conversation?: JsonObject | undefined;
}

type PolicyInForce = Pick<Snapshot, 'policy' | 'configuration'>;
/**
 * Returns the call with the sources of its values. Without sources, conditions on them are unclear, so a failing store
 * does not let calls through [provenance.rules].
 */
export async function withSources<Call extends Pick<ActionEnvelope, keyof ToolCall | 'tenant' | 'actor' | 'key_id'>>(
  ports: SourcePorts,
  { policy }: PolicyInForce,
  call: Call,
  effects: Pick<Effects, 'parts'>,
  { prompt, justification, conversation }: CallerWords = {},
): Promise<Call> {
  const { provenance } = ports;
  if (!provenance || !policy.readsSources || ![call, ...effects.parts].some((each) => asksFor(policy, each)))
    return call;
  const name = { tenant: call.tenant, session: call.actor.session };
  try {
    const words = [prompt, justification, ...(await declaredValues(ports, call))].filter(
      (text) => text !== undefined && text !== '',
    ) as string[];
    const isNew = async () => (await ports.evidence.head(name.tenant, name.session)) === undefined;
    const sources = await provenance.trace(name, call, { words, conversation }, isNew);
    return { ...call, sources };
  } catch (fault) {
    ports.telemetry.log('warn', 'values of a call were not traced', {
      tenant: name.tenant,
      error: (fault as Error).message,
    });
    return call;
  }
}

/**
 * Returns the values that a person declared for the session or key. A task named only by the call does not count, since
 * the caller chose it.
 */
async function declaredValues(
  { tasks, clock }: SourcePorts,
  { tenant, actor: { session }, key_id }: Pick<ActionEnvelope, 'tenant' | 'actor' | 'key_id'>,
): Promise<string[]> {
  const { manifests } = await tasks.attached(tenant, { session, key_id });
  return manifests.flatMap(({ values = [], expires_at }) => (Date.parse(expires_at) > clock.now() ? values : []));
}

/**
 * Stores the person's request for later calls in the session that have none. Failures are only logged, since a missing
 * prompt only lowers trust.
 */
export async function keepPrompt(
  ports: SourcePorts,
  { policy, configuration }: PolicyInForce,
  { tenant, actor }: ActionEnvelope,
  prompt: string | undefined,
): Promise<void> {
  const { provenance } = ports;
  if (!prompt || !provenance || !policy.readsSources) return;
  try {
    await provenance.keepWords({ tenant, session: actor.session }, prompt, configuration);
  } catch (fault) {
    ports.telemetry.log('warn', 'the text of a request was not stored', { tenant, error: (fault as Error).message });
  }
}

/**
 * Stores a call's result for rules on later calls [provenance.session].
 * @throws GatewayError `service_unavailable` if it cannot be stored; in that case the result must not be returned.
 */
export async function keepResultSeen(
  { provenance }: SourcePorts,
  { policy, configuration }: PolicyInForce,
  envelope: ActionEnvelope,
  result: unknown,
): Promise<void> {
  if (result === undefined || !provenance || !policy.readsSources) return;
  const name = { tenant: envelope.tenant, session: envelope.actor.session };
  await provenance.keepResult(name, envelope, result, configuration);
}

/** Checks whether a rule for the tool has a source condition. */
const asksFor = (policy: CompiledPolicy, call: Parameters<typeof readingsOf>[0]): boolean =>
  [policy, ...(policy.levels ?? [])].some(({ index }) =>
    readingsOf(call, false).some(({ protocol, tool }) => index.candidates(protocol, tool).some(hasSourceCondition)),
  );
