/**
 * Metrics of one model call in OpenTelemetry's GenAI conventions: the family that dashboards support, the newest one,
 * or both.
 */
import type { Usage } from '#core/contracts/chat.ts';
import type { Configuration, ProviderEntry } from '#core/contracts/config.ts';
import { rememberedText } from '#core/kernel/remembered.ts';
import { providerNames } from './gen-ai.ts';

export interface ModelCall {
  readonly provider: ProviderEntry['type'];
  /** Requested model, after alias resolution. */
  readonly model: string;
  /** Provider's counts; absent if the call failed. */
  readonly usage?: Partial<Usage> | undefined;
  readonly durationSeconds: number;
  /** Time to the first chunk in seconds; set for streams only. */
  readonly firstChunkSeconds?: number | undefined;
  /** Reason the call failed. */
  readonly errorType?: string | undefined;
}

interface Measurement {
  /** Dotted name, which each registry formats in its own way. */
  readonly name: string;
  readonly value: number;
  readonly labels: Readonly<Record<string, string>>;
  /** Metric type: counters go to `Telemetry.count`, histograms to `Telemetry.observe`. */
  readonly kind: 'counter' | 'histogram';
}

type Settings = Pick<Configuration['telemetry'], 'genai_metrics'>;

export function genAiMetrics({ genai_metrics }: Settings, call: ModelCall): Measurement[] {
  const labels = labelsOf[call.provider](call.model);
  const measured: Measurement[] = [];
  if (genai_metrics !== 'inference') addClientFamily(measured, call, labels);
  if (genai_metrics !== 'client') addInferenceFamily(measured, call, labels);
  return measured;
}

/** Adds `gen_ai.client.token.usage` and related metrics, as of semantic conventions 1.37 to 1.41. */
function addClientFamily(to: Measurement[], call: ModelCall, labels: CallLabels): void {
  add(to, 'histogram', 'gen_ai.client.token.usage', inputTokens(call.usage), labels.input);
  add(to, 'histogram', 'gen_ai.client.token.usage', call.usage?.output_tokens, labels.output);
  addDurations(to, 'gen_ai.client.operation', call, labels);
}

/** Adds metrics from the newer conventions, which have their own repository. A failed call reports zero tokens. */
function addInferenceFamily(to: Measurement[], call: ModelCall, labels: CallLabels): void {
  const { common, used } = labels;
  const nothing = call.errorType === undefined ? undefined : 0;
  const input = inputTokens(call.usage);
  const { output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens } = call.usage ?? {};
  add(to, 'counter', 'gen_ai.client.inference.usage.input_tokens', input ?? nothing, used);
  add(to, 'counter', 'gen_ai.client.inference.usage.output_tokens', output_tokens ?? nothing, used);
  add(to, 'counter', 'gen_ai.client.inference.usage.cache_read.input_tokens', cache_read_tokens, used);
  add(to, 'counter', 'gen_ai.client.inference.usage.cache_write.input_tokens', cache_write_tokens, used);
  add(to, 'counter', 'gen_ai.client.inference.usage.reasoning.output_tokens', reasoning_tokens, used);
  add(to, 'histogram', 'gen_ai.client.inference.operation.input_tokens', input, common);
  add(to, 'histogram', 'gen_ai.client.inference.operation.output_tokens', output_tokens, common);
  addDurations(to, 'gen_ai.client.inference', call, labels);
}

/**
 * Returns the input tokens, including cache reads and writes, as the conventions require; `Usage` counts them
 * separately.
 */
function inputTokens(counted: Partial<Usage> | undefined): number | undefined {
  const { input_tokens, cache_read_tokens = 0, cache_write_tokens = 0 } = counted ?? {};
  return input_tokens === undefined ? undefined : input_tokens + cache_read_tokens + cache_write_tokens;
}

function addDurations(to: Measurement[], family: Family, call: ModelCall, { common }: CallLabels): void {
  const labels = call.errorType === undefined ? common : { ...common, 'error.type': call.errorType };
  add(to, 'histogram', `${family}.duration`, call.durationSeconds, labels);
  add(to, 'histogram', `${family}.time_to_first_chunk`, call.firstChunkSeconds, common);
}

type Family = 'gen_ai.client.operation' | 'gen_ai.client.inference';
type Labels = Measurement['labels'];

interface CallLabels {
  readonly common: Labels;
  readonly input: Labels;
  readonly output: Labels;
  readonly used: Labels;
}

/** Returns labels per model, frozen and cached, so that a registry formats them once. */
const labelsOfModels = (provider: ModelCall['provider']) =>
  rememberedText((model): CallLabels => {
    const common = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': providerNames[provider],
      'gen_ai.request.model': model,
    };
    return {
      common: Object.freeze(common),
      input: Object.freeze({ ...common, 'gen_ai.token.type': 'input' }),
      output: Object.freeze({ ...common, 'gen_ai.token.type': 'output' }),
      used: Object.freeze({ ...common, 'gen_ai.token.modality': 'unknown' }),
    };
  });

const labelsOf = {
  mock: labelsOfModels('mock'),
  openai: labelsOfModels('openai'),
  anthropic: labelsOfModels('anthropic'),
  ollama: labelsOfModels('ollama'),
  bedrock: labelsOfModels('bedrock'),
} as const;

function add(
  to: Measurement[],
  kind: Measurement['kind'],
  name: string,
  value: number | undefined,
  labels: Labels,
): void {
  if (value !== undefined) to.push({ name, value, labels, kind });
}
