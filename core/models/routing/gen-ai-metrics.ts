/** Metrics of one model call by OpenTelemetry's GenAI conventions: the family dashboards know, the newest one, or both. */
import type { Usage } from '#core/contracts/chat.ts';
import type { Configuration, ProviderEntry } from '#core/contracts/config.ts';
import { rememberedText } from '#core/kernel/remembered.ts';
import { providerNames } from './gen-ai.ts';

export interface ModelCall {
  readonly provider: ProviderEntry['type'];
  /** As it was asked for, aliases resolved. */
  readonly model: string;
  readonly operation: 'chat';
  /** What the provider counted; absent where the call came to nothing. */
  readonly usage?: Partial<Usage> | undefined;
  readonly durationSeconds: number;
  /** Of a stream. */
  readonly firstChunkSeconds?: number | undefined;
  /** Why the call failed. */
  readonly errorType?: string | undefined;
}

interface Measured {
  /** A dotted name; each registry writes it in its own way. */
  readonly name: string;
  readonly value: number;
  readonly labels: Readonly<Record<string, string>>;
  /** A counter is for `Telemetry.count`, a histogram for `Telemetry.observe`. */
  readonly kind: 'counter' | 'histogram';
}

type Settings = Pick<Configuration['telemetry'], 'genai_metrics'>;

export function genAiMetrics({ genai_metrics }: Settings, call: ModelCall): Measured[] {
  const labels = labelsOf[call.operation][call.provider](call.model);
  const measured: Measured[] = [];
  if (genai_metrics !== 'inference') addClientFamily(measured, call, labels);
  if (genai_metrics !== 'client') addInferenceFamily(measured, call, labels);
  return measured;
}

/** `gen_ai.client.token.usage` and its kin, as of semantic conventions 1.37 to 1.41. */
function addClientFamily(to: Measured[], call: ModelCall, labels: CallLabels): void {
  add(to, 'histogram', 'gen_ai.client.token.usage', inputTokens(call.usage), labels.input);
  add(to, 'histogram', 'gen_ai.client.token.usage', call.usage?.output_tokens, labels.output);
  addDurations(to, 'gen_ai.client.operation', call, labels);
}

/** The conventions since they have a repository of their own. A failed call used nothing, and says so. */
function addInferenceFamily(to: Measured[], call: ModelCall, labels: CallLabels): void {
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

/** By convention the input holds what was read from and written to a cache; `Usage` keeps them apart. */
function inputTokens(counted: Partial<Usage> | undefined): number | undefined {
  const { input_tokens, cache_read_tokens = 0, cache_write_tokens = 0 } = counted ?? {};
  return input_tokens === undefined ? undefined : input_tokens + cache_read_tokens + cache_write_tokens;
}

function addDurations(to: Measured[], family: Family, call: ModelCall, { common }: CallLabels): void {
  const labels = call.errorType === undefined ? common : { ...common, 'error.type': call.errorType };
  add(to, 'histogram', `${family}.duration`, call.durationSeconds, labels);
  add(to, 'histogram', `${family}.time_to_first_chunk`, call.firstChunkSeconds, common);
}

type Family = 'gen_ai.client.operation' | 'gen_ai.client.inference';
type Labels = Measured['labels'];

interface CallLabels {
  readonly common: Labels;
  readonly input: Labels;
  readonly output: Labels;
  readonly used: Labels;
}

/** Frozen and kept for each model: a registry writes them once. */
const labelsOfModels = (operation: ModelCall['operation'], provider: ModelCall['provider']) =>
  rememberedText((model): CallLabels => {
    const common = {
      'gen_ai.operation.name': operation,
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
  chat: {
    mock: labelsOfModels('chat', 'mock'),
    openai: labelsOfModels('chat', 'openai'),
    anthropic: labelsOfModels('chat', 'anthropic'),
    ollama: labelsOfModels('chat', 'ollama'),
    bedrock: labelsOfModels('chat', 'bedrock'),
  },
} as const;

function add(to: Measured[], kind: Measured['kind'], name: string, value: number | undefined, labels: Labels): void {
  if (value !== undefined) to.push({ name, value, labels, kind });
}
