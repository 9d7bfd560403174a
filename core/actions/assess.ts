/** The assessment of a call: reads its facts and runs all judges. */
import type { Principal } from '#core/configuration/identity/principal.ts';
import { assertSessionOwner } from '#core/configuration/identity/sessions.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { Drift } from '#core/contracts/drift.ts';
import type { ActionEnvelope } from '#core/contracts/envelope.ts';
import type { FirstSheet } from '#core/contracts/task-manifest.ts';
import type { RootLists } from '#core/guard/roots.ts';
import type { Probes } from '#core/session/risk/probes.ts';
import { signalContextOf } from '#core/session/risk/signal-context.ts';
import { signalsOf } from '#core/session/risk/signals.ts';
import { driftKey } from '#core/session/tasks/accepted.ts';
import { decisionOf, textFacts, textVerdict } from './assess-call.ts';
import { isLarge, sentOf } from './call-work.ts';
import type { GovernedAction } from './governed.ts';
import type { CallerFacts, CallVerdict, JudgementTime } from './judge.ts';
import type { GovernPorts, ReadCallPorts } from './ports.ts';
import { type CallerWords, withSources } from './value-sources.ts';

/**
 * Reads the facts of a new or approved call and runs every judge.
 * @param beside runs while the facts about the caller are read; it gets the verdict on the call's text.
 * @throws GatewayError `forbidden` for a request in another key's session; `payload_too_large` and
 * `service_unavailable` if no decision could be made.
 */
export async function assess<Found = undefined>(
  ports: Pick<GovernPorts, 'keyRisks'> & ReadCallPorts,
  made: MadeCall,
  when: JudgementTime,
  beside?: (verdict: CallVerdict) => Promise<Found>,
): Promise<{ readonly action: GovernedAction; readonly found: Found | undefined }> {
  const { snapshot, principal, call_digest, recorded, words, roots } = made;
  const effects = await ports.effects(made.envelope, snapshot.configuration.catalog.programs);
  const envelope = await withSources(ports, snapshot, made.envelope, effects, words);
  // Lets other work run between the slow steps of a large call.
  const turn = async () => (isLarge(sentOf(envelope)) ? ports.pause(0) : undefined);
  await turn();
  const facts = await textFacts(ports, snapshot, envelope, effects, roots);
  const { verdict, redaction } = await textVerdict(ports, snapshot, facts, when, recorded ? envelope : undefined);
  await turn();
  const [caller, found] = await Promise.all([callerFacts(ports, made, envelope, when), beside?.(verdict)]);
  const decision = await decisionOf(ports, { ...facts, caller }, when, verdict);
  await turn();
  const { head = null, standing, firstRequest } = caller;
  const given = { envelope, principal, snapshot, call_digest, effects, redaction };
  return { action: { ...given, head, standing, firstRequest, decision }, found };
}

/** A call with its caller, before its facts are read. */
interface MadeCall {
  readonly snapshot: Snapshot;
  readonly principal: Principal;
  readonly envelope: ActionEnvelope;
  readonly call_digest: string;
  /** True if an entry will record the call; dry runs are not recorded. */
  readonly recorded: boolean;
  readonly words?: CallerWords;
  /**
   * Roots declared by the client [guard.roots]. Approved calls omit them: they were checked before the approval was
   * requested.
   */
  readonly roots?: RootLists;
  /** The key's dry runs and simulations, reported by this call. */
  readonly probes?: Probes | undefined;
  /**
   * Drift shown in the approval of this call. If another approval accepts the same drift, this call is still assessed
   * with it.
   */
  readonly shownDrift?: readonly Drift[] | undefined;
}

/**
 * Reads the stored facts about the caller, its key and its session.
 * @param envelope contains the sources of its values.
 * @throws GatewayError `forbidden` for a request in another key's session.
 */
async function callerFacts(
  ports: Pick<GovernPorts, 'evidence' | 'judges' | 'keyRisks' | 'tasks' | 'clock' | 'provenance'>,
  { snapshot: { configuration, policy }, principal, call_digest: callDigest, words, probes, shownDrift = [] }: MadeCall,
  envelope: ActionEnvelope,
  when: JudgementTime,
): Promise<CallerFacts> {
  const { tenant, key_id, actor, manifest_id } = envelope;
  // Only agents' keys are scored, not those of people experimenting.
  const scored = principal.kind === 'agent';
  const named = { session: actor.session, key_id, ...(manifest_id !== undefined && { named: manifest_id }) };
  const [head, key, attached, sourceNotes] = await Promise.all([
    ports.evidence.head(tenant, actor.session),
    scored ? ports.keyRisks.of(tenant, key_id) : undefined,
    ports.tasks.attached(tenant, named),
    envelope.sources && ports.provenance?.notes(policy, envelope),
  ]);
  if (when === 'requested') assertSessionOwner(head, principal);
  const nowMs = ports.clock.now();
  const { behavior } = configuration;
  const windowMs = behavior.window_minutes * 60_000;
  const probed = scored ? probes?.take(tenant, key_id, behavior.repeated_escalation.probes, nowMs, windowMs) : 0;
  const shown = shownDrift.map(driftKey);
  return {
    envelope,
    callDigest,
    configuration,
    head,
    attached,
    scored,
    probed: probed ?? 0,
    nowMs,
    acceptedDrift: head?.accepted_drift?.filter((accepted) => !shown.includes(accepted)),
    firstRequest: head?.first_request ? undefined : await firstSheet(ports, configuration, words?.prompt),
    standing: { session: head?.risk, key },
    signals: (effects) => signalsOf(envelope, effects, 'allow', signalContextOf(configuration)),
    sourceNotes,
  };
}

/** Returns a task sheet made from the call's prompt, if a judge makes one. */
async function firstSheet(
  { judges }: Pick<GovernPorts, 'judges'>,
  configuration: Snapshot['configuration'],
  prompt: string | undefined,
): Promise<FirstSheet | undefined> {
  if (!prompt) return undefined;
  const sheets = await Promise.all(judges.map((judge) => judge.firstSheet?.(configuration, prompt)));
  return sheets.find((sheet) => sheet !== undefined);
}
