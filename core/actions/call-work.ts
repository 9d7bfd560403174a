/**
 * Work over large calls and large results, for the thread that answers all requests to hand over [limit.heavy-call]: what a
 * worker is given, what it answers, and from which size on.
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
import type { CallVerdict, When } from './judge.ts';
import { ask, textJudges } from './judges.ts';
import { type ProgramPlace, programTexts } from './program-texts.ts';

export interface RedactionJob {
  readonly value: unknown;
  /** `evidence.sensitive` of the configuration. */
  readonly sensitivePaths: readonly string[];
  /** Paths of texts that will be executed. */
  readonly programs: readonly string[];
  /** Secrets of the call's credential: they are taken out first. */
  readonly secrets: readonly string[];
}

export interface EvaluationJob {
  readonly call: ToolCall;
  readonly effects: Effects;
  /** JSON of the policy's document: a worker compiles each text once. */
  readonly policy: string;
  readonly sandbox: Configuration['sandbox'];
  readonly guard?: ArgumentSettings | undefined;
  readonly when: When;
  /** The parts of the call that its entry holds, where it will have one. */
  readonly recorded?: { readonly value: unknown; readonly sensitivePaths: readonly string[] };
}

export interface DiffJob {
  readonly before: string;
  readonly after: string;
}

export interface Evaluation {
  /** What the judges say that need the call alone. */
  readonly verdict: CallVerdict;
  /** What the policy would let pass instead. */
  readonly alternative: string;
  readonly programs: readonly ProgramPlace[];
  readonly redaction?: Redaction;
}

/** Worker threads. */
export interface CallWork {
  /**
   * @throws GatewayError `payload_too_large` when the call takes longer than allowed, `service_unavailable` when no worker
   * becomes free. Nothing is decided then.
   */
  evaluate(job: EvaluationJob): Promise<Evaluation>;
  /** What the rules alone say of a call. @throws GatewayError as above. */
  decide(job: Pick<EvaluationJob, 'call' | 'policy'>): Promise<PolicyDecision>;
  /** How each rule of a policy saw a call. @throws GatewayError as above. */
  explain(job: Pick<EvaluationJob, 'call' | 'policy'>): Promise<RuleTrace[]>;
  /** What two policies, as `policyText` writes them, decide differently. @throws GatewayError as above. */
  diff(job: DiffJob): Promise<PolicyDiff>;
  /** @throws GatewayError as above. */
  redact(job: RedactionJob): Promise<Redaction>;
  /** An answer of an MCP server: without secrets, and guarded. @throws GatewayError as above. */
  lookOver(outcome: JsonObject, secrets: readonly string[], guard: GuardSettings | undefined): Promise<InspectedResult>;
}

/** What a worker does for `evaluate`. @param randomHex source of salts. */
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

/** What a worker does for `redact`. */
export const redaction = (
  { value, sensitivePaths, programs, secrets }: RedactionJob,
  randomHex: (bytes: number) => string,
): Redaction => redact(withoutSecrets(value, secrets), { sensitivePaths, programs: new Set(programs), randomHex });

/** A policy as jobs carry it; written once for each document. */
export const policyText = remembered((document: ToolPolicyDocument): string => JSON.stringify(document));

/** About a millisecond of rules and patterns for secrets. */
const inlineCharacters = 16 * 1024;

/** Every value of a call that goes out. */
export const sentOf = ({ parameters, sent_with }: ToolCall): unknown =>
  sent_with === undefined ? parameters : [parameters, sent_with];

/** Whether a value is large enough to be looked at elsewhere. @param most characters; each value counts as one. */
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
