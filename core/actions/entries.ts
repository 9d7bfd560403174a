/** Builds an action's decision and result entries, with short bodies and sensitive values withheld. */
import { federatedActor } from '#core/configuration/identity/principal.ts';
import type { ExecutionOutcome, KeptResult, ResultReason } from '#core/contracts/approval.ts';
import type { BehaviorNote } from '#core/contracts/behavior.ts';
import type { CredentialRecord } from '#core/contracts/credential.ts';
import type { EntryKind } from '#core/contracts/entry-kinds.ts';
import type { ActionEnvelope } from '#core/contracts/envelope.ts';
import type { EntryDraft, EvidenceEntry } from '#core/contracts/evidence.ts';
import type { Change } from '#core/evidence/ports.ts';
import { provenanceOf } from '#core/execution/credentials/entries.ts';
import { withoutSecrets } from '#core/execution/credentials/redact-values.ts';
import type { Classification } from '#core/guard/classifier/ports.ts';
import type { ResultFinding } from '#core/guard/results.ts';
import { canonicalize, digestOf } from '#core/kernel/canonical.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { ruleName } from '#core/policy/rules/compile.ts';
import { ruleDigest } from '#core/policy/rules/rule-digest.ts';
import { followRisk } from '#core/session/risk/assess.ts';
import { taskNote } from '#core/session/tasks/decide-manifests.ts';
import { withheldTexts, withoutWithheld } from '#core/text/secrets/masked.ts';
import { type Redaction, redact, type Salt } from '#core/text/secrets/redact.ts';
import { isLarge, redaction } from './call-work.ts';
import type { GovernedAction } from './governed.ts';
import type { GovernPorts } from './ports.ts';
import { programPaths, secretsInPrograms } from './program-texts.ts';

/** The parts of a call that may contain secrets, with secrets replaced by salted digests. */
export interface RedactedCall {
  readonly target: string;
  readonly justification: string;
  readonly parameters: Record<string, unknown>;
  readonly sent_with?: Record<string, unknown>;
  /** Effects and drift, from which later drift and risk are computed. */
  readonly task: Record<string, unknown>;
  readonly withheld: readonly string[];
  /** Masks withheld values in strings derived from the call [evidence.secrets-redacted]. */
  readonly hide: (text: string) => string;
  readonly changes: readonly Change[];
}

/** Returns the parts of a call that its entry contains. */
export const recordedParts = ({ target, justification, parameters, sent_with }: ActionEnvelope) => ({
  target,
  justification,
  parameters,
  ...(sent_with && { sent_with }),
});

/**
 * Returns the target for traces, in full or not at all, since traces have no salts [trace.no-content].
 * @param redaction the redaction of `recordedParts`, if a worker made it.
 */
export function shownTarget(
  envelope: ActionEnvelope,
  { configuration }: GovernedAction['snapshot'],
  redaction: Redaction | undefined,
): string {
  const { target } = envelope;
  const sensitivePaths = configuration.evidence.sensitive;
  const { withheld } =
    redaction ?? redact({ target }, { sensitivePaths, programs: programPaths(envelope), randomHex: () => '' });
  return withheld.includes('$.target') ? '[withheld]' : target;
}

/**
 * Withholds a call's secrets. Salts are written to their own table in the same transaction as the entry that uses them.
 */
export function withhold(ports: Pick<GovernPorts, 'ids'>, action: GovernedAction): RedactedCall {
  const { envelope } = action;
  // Effects would repeat refused text piece by piece.
  const shown = secretsInPrograms(envelope).length === 0 ? action.effects : undefined;
  const options = redactOptions(ports, action);
  const call = action.redaction ?? redact(recordedParts(envelope), options);
  const hide = withoutWithheld(
    call.withheld.length === 0 ? [] : [...withheldTexts(recordedParts(envelope), call.value)],
  );
  // Fields redacted from the call are also redacted from its effects, and listed only once.
  const { value: noted, salts: ofTask } = redact(
    { task: shown ? taskNote(shown, action.decision.drift, action.firstRequest) : {} },
    options,
  );
  const salts = [...call.salts, ...ofTask];
  if (salts.length > maxSalts)
    throw new GatewayError(
      'payload_too_large',
      `The call contains ${salts.length} sensitive values; at most ${maxSalts} can be withheld individually. Send fewer.`,
    );
  const { task } = noted as Pick<RedactedCall, 'task'>;
  return {
    ...(call.value as ReturnType<typeof recordedParts>),
    task: call.withheld.length === 0 ? task : taskWithout(task, hide),
    withheld: call.withheld,
    hide,
    changes: saltChanges(envelope, envelope.envelope_id, salts),
  };
}

/** Masks withheld values in effects and drift, both of which quote the call. */
function taskWithout(task: Record<string, unknown>, hide: (text: string) => string): Record<string, unknown> {
  const { effects, unclear, drift } = task as ReturnType<typeof taskNote>;
  return {
    ...task,
    ...(effects && { effects: effects.map((each) => ({ ...each, x: hide(each.x) })) }),
    ...(unclear !== undefined && { unclear: hide(unclear) }),
    ...(drift && { drift: drift.map((each) => ({ ...each, found: hide(each.found) })) }),
  };
}

interface ActionOutcome {
  readonly result?: unknown;
  readonly error?: string | undefined;
}

/** Maximum number of salts that fit into one item of the salt table. */
const maxSalts = 2_000;
/** Maximum length of an error message from another system; longer ones are truncated. */
const errorCharacters = 4_096;

interface WithheldOutcome {
  readonly value: ActionOutcome;
  readonly changes: readonly Change[];
  readonly result_withheld?: Extract<ResultReason, 'not_json' | 'too_many_secrets' | 'not_redacted'> | undefined;
}

/**
 * Redacts an execution's outcome for evidence and callers. A result that cannot be redacted is withheld entirely.
 * @param secrets the secrets of the action's credential, which are removed first.
 */
export async function withholdOutcome(
  ports: Pick<GovernPorts, 'ids' | 'calls'>,
  action: GovernedAction,
  { result, error }: ActionOutcome,
  secrets: readonly string[],
): Promise<WithheldOutcome> {
  const fit = async (outcome: ActionOutcome): Promise<WithheldOutcome | undefined> => {
    const { value, salts } = await redactedOutcome(ports, action, outcome, secrets);
    const changes = saltChanges(action.envelope, `${action.envelope.envelope_id}#result`, salts);
    return salts.length > maxSalts ? undefined : { value: { ...value, ...shortenError(value) }, changes };
  };
  const said: ActionOutcome =
    error === undefined ? {} : { error: String(withoutSecrets(error, secrets)).toWellFormed() };
  const without = async (result_withheld: WithheldOutcome['result_withheld']): Promise<WithheldOutcome> => ({
    ...((await fit(said)) ?? {
      value: { error: 'The outcome contains more sensitive values than can be withheld individually.' },
      changes: [],
    }),
    ...(result !== undefined && { result_withheld }),
  });
  try {
    return (await fit({ ...said, ...(result !== undefined && { result }) })) ?? (await without('too_many_secrets'));
  } catch (fault) {
    if (fault instanceof RangeError) return without('not_json'); // nested too deeply to walk
    if (fault instanceof GatewayError) return without('not_redacted');
    throw fault;
  }
}

async function redactedOutcome(
  { ids, calls }: Pick<GovernPorts, 'ids' | 'calls'>,
  action: GovernedAction,
  value: ActionOutcome,
  secrets: readonly string[],
): Promise<Redaction & { readonly value: ActionOutcome }> {
  const { sensitivePaths, programs, randomHex } = redactOptions({ ids }, action);
  const job = { value, sensitivePaths, programs: [...programs], secrets };
  const found = calls && isLarge(value) ? await calls.redact(job) : redaction(job, randomHex);
  return found as Redaction & { readonly value: ActionOutcome };
}

const shortenError = ({ error }: ActionOutcome): ActionOutcome =>
  typeof error === 'string' && error.length > errorCharacters
    ? { error: `${error.slice(0, errorCharacters - 1)}…`.toWellFormed() }
    : {};

const redactOptions = ({ ids }: Pick<GovernPorts, 'ids'>, { envelope, snapshot }: GovernedAction) => ({
  sensitivePaths: snapshot.configuration.evidence.sensitive,
  programs: programPaths(envelope),
  randomHex: (bytes: number) => ids.randomHex(bytes),
});

const saltChanges = ({ tenant }: ActionEnvelope, id: string, salts: readonly Salt[]): readonly Change[] =>
  salts.length === 0 ? [] : [{ type: 'salts.put', tenant, id, salts }];

export function decisionDraft(
  ports: Pick<GovernPorts, 'ids' | 'clock'>,
  action: GovernedAction,
  kind: 'allow' | 'block' | 'review',
  extra: Record<string, unknown> = {},
  safe: RedactedCall = withhold(ports, action),
): { draft: EntryDraft; changes: readonly Change[] } {
  const { envelope, decision, snapshot, call_digest } = action;
  const { protocol, tool, capability, upstream, upstream_tool, definition } = envelope;
  const { target, justification, task, hide } = safe;
  const { withheld, ...parameters } = recordedParameters(action, kind, safe);
  const body = {
    protocol,
    tool,
    target,
    capability,
    ...(upstream !== undefined && { upstream }),
    ...(upstream_tool !== undefined && { upstream_tool }),
    ...(definition !== undefined && { definition }),
    ...parameters,
    ...(withheld.length > 0 && { withheld }),
    matched_rule: decision.matched_rule,
    ...ruleNote(decision),
    policy: decision.policy,
    policy_version: snapshot.version,
    call_digest,
    ...(decision.reason !== undefined && { reason: hide(decision.reason) }),
    ...(decision.provenance && { provenance: decision.provenance.notes }),
    ...(decision.guard && { guard: decision.guard.map(({ kind, where, action }) => ({ kind, where, action })) }),
    ...(justification !== '' && { justification }),
    ...(snapshot.configuration.policies.break_glass && { break_glass: true }),
    ...task,
    ...(decision.behavior && { behavior: noteWithout(decision.behavior, safe) }),
    ...extra,
  };
  return { draft: draftOf(ports, action, kind, envelope.envelope_id, body), changes: safe.changes };
}

/**
 * Names the policy rule that made the decision; an approval, a judge, a level or the default does not count as a rule.
 */
const ruleNote = ({ rule, matched_rule }: GovernedAction['decision']): { readonly rule_sha256?: string } =>
  rule !== undefined && matched_rule === ruleName(rule) ? { rule_sha256: ruleDigest(rule) } : {};

/**
 * A blocked call's longer parameters are truncated to `headCharacters`, so that repeated calls cannot fill the
 * evidence.
 */
const wholeBlockCharacters = 4_096;
const headCharacters = 1_024;

/** Returns the parameters as recorded in the entry, and the paths that it omits [evidence.block-bounded]. */
function recordedParameters(
  { envelope, privateParameters }: GovernedAction,
  kind: 'allow' | 'block' | 'review',
  { parameters, sent_with, withheld }: RedactedCall,
) {
  const sent = { ...(sent_with && { sent_with }) };
  if (privateParameters) return { parameters_sha256: digestOf(envelope.parameters), ...sent, withheld };
  const text = kind === 'block' ? canonicalize({ parameters, ...sent }) : '';
  if (text.length <= wholeBlockCharacters) return { parameters, ...sent, withheld };
  return {
    parameters_sha256: digestOf(parameters),
    parameters_head: canonicalize(parameters).slice(0, headCharacters).toWellFormed(),
    withheld: [...withheld, '$.parameters', ...(sent_with ? ['$.sent_with'] : [])],
  };
}

/** Masks withheld values in a note. Signals about refused attempts contain only a class, so they need no masking. */
const noteWithout = (note: BehaviorNote, { withheld, hide }: RedactedCall): BehaviorNote =>
  withheld.length === 0
    ? note
    : { ...note, signals: note.signals.map((each) => (each.s === 'refused' ? each : { ...each, x: hide(each.x) })) };

/** Reports the alerts raised by a recorded decision and counts the decision against its key. */
export const follow = (
  ports: Pick<GovernPorts, 'keyRisks' | 'telemetry'>,
  { standing, principal }: GovernedAction,
  entry: EvidenceEntry,
): Promise<void> =>
  followRisk(ports, entry, { before: standing?.session, key: standing?.key, scored: principal.kind === 'agent' });

/** The recorded facts of an execution, without secrets. */
export interface ExecutionRecord {
  readonly outcome: ExecutionOutcome;
  readonly error?: string;
  /** The key that cancelled the execution. */
  readonly aborted_by?: string;
  /** Whole milliseconds that the executor took. */
  readonly latency_ms?: number;
  /** True if the upstream was unavailable or did not respond properly. */
  readonly upstream_down?: true;
  /** The tool guard's findings in the result: kinds and locations [guard.fails-closed]. */
  readonly guard?: readonly Pick<ResultFinding, 'kind' | 'where' | 'severity' | 'action'>[];
  /** The classifier that scored the result, with its score or its error. */
  readonly guard_classifier?: Classification;
  /** True if no credential was issued: the tool was not called, and the approval is released. */
  readonly approval_returned?: boolean;
}

/**
 * Drafts the `result` entry of an allowed action with the provenance of its credential, never the credential's value.
 */
export function resultDraft(
  ports: Pick<GovernPorts, 'clock'>,
  action: GovernedAction,
  approvalId: string | undefined,
  outcome: ExecutionRecord & KeptResult & { readonly behavior?: BehaviorNote },
  credential: CredentialRecord | undefined,
): EntryDraft {
  const { tool, upstream } = action.envelope;
  const body = {
    tool,
    ...(upstream !== undefined && { upstream }),
    ...outcome,
    ...(approvalId !== undefined && { approval_ref: approvalId }),
    ...(credential && { credential: provenanceOf(credential) }),
  };
  return draftOf(ports, action, 'result', action.envelope.envelope_id, body);
}

function draftOf(
  ports: Pick<GovernPorts, 'clock'>,
  { envelope, principal }: GovernedAction,
  kind: EntryKind,
  envelope_id: string,
  body: Record<string, unknown>,
): EntryDraft {
  return {
    tenant: envelope.tenant,
    session_id: envelope.actor.session,
    timestamp: isoTime(ports.clock.now()),
    kind,
    envelope_id,
    actor: { key_id: envelope.key_id, agent: envelope.actor.agent, ...federatedActor(principal) },
    body,
  };
}
