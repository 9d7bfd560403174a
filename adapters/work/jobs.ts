/**
 * A worker thread's jobs: filters over large text, large calls and results, and configurations. Each kind of job is
 * loaded on first use.
 */
import { packFiles } from '#adapters/files/pack-files.ts';
import { systemIds } from '#adapters/system/ids.ts';
import type { DiffJob, Evaluation, EvaluationJob, RedactionJob } from '#core/actions/call-work.ts';
import type { LoadedConfiguration } from '#core/configuration/load/load.ts';
import type { OwnPrograms } from '#core/contracts/config/catalog.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { Effects } from '#core/effects/ports.ts';
import type { GuardSettings, InspectedResult } from '#core/guard/results.ts';
import { type ErrorCode, GatewayError } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';
import type { CheckedTexts, TextJob } from '#core/models/content-policy/text-work.ts';
import type { PolicyDiff } from '#core/policy/rules/analysis/diff.ts';
import type { CompiledPolicy } from '#core/policy/rules/compile.ts';
import type { PolicyDecision } from '#core/policy/rules/decide.ts';
import type { RuleTrace } from '#core/policy/rules/explain.ts';
import type { Redaction } from '#core/text/secrets/redact.ts';

/** Input and result of each kind of job. */
export interface Jobs {
  readonly texts: { readonly given: TextJob; readonly answer: CheckedTexts };
  readonly effects: { readonly given: EffectsJob; readonly answer: Effects };
  readonly evaluate: { readonly given: EvaluationJob; readonly answer: Evaluation };
  readonly decide: {
    readonly given: Pick<EvaluationJob, 'call' | 'policy'>;
    readonly answer: PolicyDecision;
  };
  readonly explain: { readonly given: Pick<EvaluationJob, 'call' | 'policy'>; readonly answer: RuleTrace[] };
  readonly diff: { readonly given: DiffJob; readonly answer: PolicyDiff };
  readonly redact: { readonly given: RedactionJob; readonly answer: Redaction };
  readonly result: { readonly given: LookOverJob; readonly answer: InspectedResult };
  readonly configuration: { readonly given: ConfigurationJob; readonly answer: LoadedConfiguration };
}

interface EffectsJob {
  readonly call: ToolCall;
  readonly programs: OwnPrograms | undefined;
}

interface LookOverJob {
  readonly outcome: JsonObject;
  readonly secrets: readonly string[];
  readonly guard: GuardSettings | undefined;
}

interface ConfigurationJob {
  readonly text: string;
  /** Folder of the shipped packs. */
  readonly packs: string;
  /** Name of the file that the text comes from. */
  readonly file?: string;
}

export type JobKind = keyof Jobs;
export type Job = { readonly [Kind in JobKind]: { readonly kind: Kind; readonly given: Jobs[Kind]['given'] } }[JobKind];

export type JobResult =
  | { readonly value: unknown }
  /** `code` of the refusal that the caller receives. */
  | { readonly error: string; readonly code?: ErrorCode; readonly data?: GatewayError['data'] };

export async function runJob(job: Job): Promise<JobResult> {
  try {
    return { value: await jobResult(job) };
  } catch (thrown) {
    if (thrown instanceof GatewayError) return { error: thrown.message, code: thrown.code, data: thrown.data };
    return { error: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

async function jobResult({ kind, given }: Job): Promise<Jobs[JobKind]['answer']> {
  switch (kind) {
    case 'texts':
      return (await import('#core/models/content-policy/check-texts.ts')).checkTexts(given);
    case 'effects':
      return (await import('../sql/effect-reader.ts')).readCallEffects(given.call, given.programs);
    case 'evaluate':
      return (await import('#core/actions/call-work.ts')).evaluation(
        given,
        await compiledPolicy(given.policy),
        randomHex,
      );
    case 'decide':
      return (await import('#core/policy/rules/decide.ts')).decide(await compiledPolicy(given.policy), given.call);
    case 'explain':
      return (await import('#core/policy/rules/explain.ts')).explain(await compiledPolicy(given.policy), given.call);
    case 'diff':
      return (await import('#core/policy/rules/analysis/diff.ts')).diffPolicies(
        JSON.parse(given.before),
        JSON.parse(given.after),
      );
    case 'redact':
      return (await import('#core/actions/call-work.ts')).redaction(given, randomHex);
    case 'result':
      return (await import('#core/mcp/tools/inspect-result.ts')).inspectResult(
        given.outcome,
        given.secrets,
        given.guard,
      );
    case 'configuration':
      return (await import('#features/load-configuration.ts')).loadConfiguration(given.text, {
        packs: packFiles(given.packs),
        file: given.file,
      });
  }
}

const randomHex = (bytes: number): string => systemIds.randomHex(bytes);

/** Policies of recent calls: the active one, and those that simulations named. */
const policies = new RecentMap<string, CompiledPolicy>({ max: 4 });

async function compiledPolicy(text: string): Promise<CompiledPolicy> {
  const known = policies.get(text);
  if (known) return known;
  const { compilePolicy } = await import('#core/policy/rules/compile.ts');
  const policy = compilePolicy(JSON.parse(text));
  policies.set(text, policy);
  return policy;
}
