/**
 * Jobs and results for large calls that the main thread hands to workers [limit.hostile]: their inputs, outputs and
 * size limits.
 */
import type { Configuration } from '#core/contracts/config.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { ToolPolicyDocument } from '#core/contracts/tool-policy.ts';
import type { Effects } from '#core/effects/ports.ts';
import { withoutSecrets } from '#core/execution/credentials/redact-values.ts';
import type { ArgumentSettings } from '#core/guard/decide-arguments.ts';
import type { GuardSettings, InspectedResult } from '#core/guard/results.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { remembered } from '#core/kernel/remembered.ts';
import { suggestAlternative } from '#core/policy/rules/alternative.ts';
import type { PolicyDiff } from '#core/policy/rules/analysis/diff.ts';
import type { CompiledPolicy } from '#core/policy/rules/compile.ts';
import type { PolicyDecision } from '#core/policy/rules/decide.ts';
import type { RuleTrace } from '#core/policy/rules/explain.ts';
import { type Redaction, redact } from '#core/text/secrets/redact.ts';
import type { CallVerdict, JudgementTime } from './judge.ts';
import { ask, textJudges } from './judges.ts';
import { type ProgramPlace, programTexts } from './program-texts.ts';

export interface RedactionJob {
  readonly value: unknown;
  /** The `evidence.sensitive` setting of the configuration. */
  readonly sensitivePaths: readonly string[];
  /** Paths of executable text. */
  readonly programs: readonly string[];
  /** Secrets from the call's credential, which are removed first. */
  readonly secrets: readonly string[];
}

export interface EvaluationJob {
  readonly call: ToolCall;
  readonly effects: Effects;
  /** The policy document as JSON; a worker compiles each distinct document once. */
  readonly policy: string;
  readonly sandbox: Configuration['sandbox'];
  readonly guard?: ArgumentSettings | undefined;
  readonly when: JudgementTime;
  /** The parts of the call that its entry will contain; absent if no entry will be written. */
  readonly recorded?: { readonly value: unknown; readonly sensitivePaths: readonly string[] };
}

export interface DiffJob {
  readonly before: string;
  readonly after: string;
}

export interface Evaluation {
  /** Verdict of the judges that need only the call itself. */
  readonly verdict: CallVerdict;
  /** Suggested alternative permitted by the policy. */
  readonly alternative: string;
  readonly programs: readonly ProgramPlace[];
  readonly redaction?: Redaction;
}

/** Jobs that worker threads run. */
export interface CallWork {
  /**
   * Evaluates a call using the text judges.
   * @throws GatewayError `payload_too_large` if the call takes longer than allowed, `service_unavailable` if no worker
   * becomes free. No decision is made on the call in these cases.
   */
  evaluate(job: EvaluationJob): Promise<Evaluation>;
  /** Makes the decision on a call based only on the rules. @throws GatewayError as above. */
  decide(job: Pick<EvaluationJob, 'call' | 'policy'>): Promise<PolicyDecision>;
  /** Explains how each rule of a policy evaluated a call. @throws GatewayError as above. */
  explain(job: Pick<EvaluationJob, 'call' | 'policy'>): Promise<RuleTrace[]>;
  /** Returns the differences between two policies, given as `policyText`. @throws GatewayError as above. */
  diff(job: DiffJob): Promise<PolicyDiff>;
  /** Redacts a value. @throws GatewayError as above. */
  redact(job: RedactionJob): Promise<Redaction>;
  /** Removes secrets from an MCP server's response and applies the guard. @throws GatewayError as above. */
  lookOver(outcome: JsonObject, secrets: readonly string[], guard: GuardSettings | undefined): Promise<InspectedResult>;
}

/** Performs `evaluate` in a worker. @param randomHex source of salts. */
export async function evaluation(
  { call, effects, sandbox, guard, when, recorded }: Omit<EvaluationJob, 'policy'>,
  policy: CompiledPolicy,
  randomHex: (bytes: number) => string,
): Promise<Evaluation> {
  const verdict = await ask(textJudges, { call, effects, policy, sandbox, guard }, when);
  const programs = programTexts(call);
  const alternative = suggestAlternative(policy, call);
  const paths = new Set(programs.map(({ path }) => path));
  return {
    verdict,
    alternative,
    programs,
    ...(recorded && {
      redaction: redact(recorded.value, { sensitivePaths: recorded.sensitivePaths, programs: paths, randomHex }),
    }),
  };
}

/** Performs `redact` in a worker. */
export const redaction = (
  { value, sensitivePaths, programs, secrets }: RedactionJob,
  randomHex: (bytes: number) => string,
): Redaction => redact(withoutSecrets(value, secrets), { sensitivePaths, programs: new Set(programs), randomHex });

/** Returns a policy as a string for jobs; cached per document. */
export const policyText = remembered((document: ToolPolicyDocument): string => JSON.stringify(document));

/** Rules and secret patterns take about a millisecond on input of this size. */
const inlineCharacters = 16 * 1024;

/** Returns all values that a call sends. */
export const sentOf = ({ parameters, sent_with }: ToolCall): unknown =>
  sent_with === undefined ? parameters : [parameters, sent_with];

/**
 * Checks whether a value is large enough for a worker. @param most maximum number of characters; any value that is not
 * a string counts as one.
 */
export function isLarge(value: unknown, most = inlineCharacters): boolean {
  let characters = 0;
  const add = (item: unknown): boolean => {
    characters += typeof item === 'string' ? item.length : 1;
    if (characters > most) return true;
    if (Array.isArray(item)) return item.some(add);
    if (typeof item !== 'object' || item === null) return false;
    return Object.entries(item).some(([name, member]) => {
      characters += name.length;
      return add(member);
    });
  };
  return add(value);
}
