/** Runs the judges on a call: in this thread if it is small, in a worker if it is large [limit.hostile]. */
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { ActionEnvelope, ToolCall } from '#core/contracts/envelope.ts';
import type { Effects } from '#core/effects/ports.ts';
import { argumentSettings, withLinks } from '#core/guard/decide-arguments.ts';
import type { RootLists } from '#core/guard/roots.ts';
import { decide, type PolicyDecision } from '#core/policy/rules/decide.ts';
import type { Redaction } from '#core/text/secrets/redact.ts';
import { rememberAlternative } from './answers.ts';
import { isLarge, policyText, sentOf } from './call-work.ts';
import { recordedParts } from './entries.ts';
import type { CallDecision, CallFacts, CallVerdict, Judge, JudgementTime, TextFacts } from './judge.ts';
import { ask, judges, textJudges } from './judges.ts';
import type { GovernPorts } from './ports.ts';
import { rememberPrograms } from './program-texts.ts';

/** The policy and configuration used for the decision: the current version, another version, or a draft. */
type PolicySnapshot = Pick<Snapshot, 'policy' | 'policyDocument' | 'configuration'>;

/** Makes the decision on a call that is simulated or not yet placed. @throws GatewayError as `assess`. */
export async function assessCall(
  ports: Pick<GovernPorts, 'calls' | 'judges' | 'links'>,
  evaluated: PolicySnapshot,
  call: ToolCall,
  effects: Effects,
): Promise<CallDecision> {
  const facts = await textFacts(ports, evaluated, call, effects);
  const { verdict } = await textVerdict(ports, evaluated, facts, 'requested', undefined);
  return decisionOf(ports, facts, 'requested', verdict);
}

function callerJudges(added: readonly Judge[]): Judge[] {
  const own = judges.filter((judge) => !textJudges.some((ofText) => ofText === judge));
  return [...own.slice(0, -1), ...added, ...own.slice(-1)];
}

/** Runs the judges that `textVerdict` has not run. */
export async function decisionOf(
  { judges: added }: Pick<GovernPorts, 'judges'>,
  facts: CallFacts,
  when: JudgementTime,
  verdict: CallVerdict,
): Promise<CallDecision> {
  const { decision, matched_rule, ...said } = await ask(callerJudges(added), facts, when, verdict);
  if (decision === undefined || matched_rule === undefined) throw new Error('no judge returned a decision on the call');
  return { decision, matched_rule, policy: facts.policy.name, ...said };
}

/** Makes the decision on a call based only on the rules, without its effects. @throws GatewayError as `assess`. */
export async function decideCall(
  { calls }: Pick<GovernPorts, 'calls'>,
  { policy, policyDocument }: Pick<Snapshot, 'policy' | 'policyDocument'>,
  call: ToolCall,
): Promise<PolicyDecision> {
  if (!calls || !isLarge(sentOf(call))) return decide(policy, call);
  return calls.decide({ call: policyFields(call), policy: policyText(policyDocument) });
}

/**
 * Returns the verdict on a call's text. Caches a worker's other findings for later steps.
 * @param recorded the envelope whose entry will be written.
 */
export async function textVerdict(
  { calls }: Pick<GovernPorts, 'calls'>,
  { policyDocument, configuration }: PolicySnapshot,
  facts: TextFacts,
  when: JudgementTime,
  recorded: ActionEnvelope | undefined,
): Promise<{ readonly verdict: CallVerdict; readonly redaction?: Redaction | undefined }> {
  const { call, policy } = facts;
  if (!calls || !isLarge(sentOf(call))) return { verdict: await ask(textJudges, facts, when) };
  const { verdict, alternative, programs, redaction } = await calls.evaluate({
    ...facts,
    call: policyFields(call),
    policy: policyText(policyDocument),
    when,
    ...(recorded && {
      recorded: { value: recordedParts(recorded), sensitivePaths: configuration.evidence.sensitive },
    }),
  });
  rememberPrograms(call, programs);
  rememberAlternative(policy, call, alternative);
  return { verdict, redaction };
}

const policyFields = ({
  protocol,
  tool,
  target,
  capability,
  upstream,
  parameters,
  sent_with,
  sources,
  withheld,
}: ToolCall): ToolCall => ({
  protocol,
  tool,
  target,
  capability,
  upstream,
  parameters,
  sent_with,
  sources,
  withheld,
});

/** Reads the facts that do not depend on the caller. */
export async function textFacts(
  { links }: Pick<GovernPorts, 'links'>,
  { policy, configuration }: PolicySnapshot,
  call: ToolCall,
  effects: Effects,
  roots?: RootLists,
): Promise<TextFacts> {
  const guard = await withLinks(argumentSettings(configuration, call, roots), configuration, call, links);
  return { call, effects, policy, sandbox: configuration.sandbox, guard };
}
