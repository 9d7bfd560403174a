/** Metrics of one model call by OpenTelemetry's GenAI conventions: the family dashboards know, the newest one, or both. */
import type { Usage } from '#core/contracts/chat.ts';
import type { Configuration, ProviderEntry } from '#core/contracts/config.ts';
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

export interface Measured {
  /** A dotted name; each registry writes it in its own way. */
  readonly name: string;
  readonly value: number;
  readonly labels: Readonly<Record<string, string>>;
  /** A counter is for `Telemetry.count`, a histogram for `Telemetry.observe`. */
  readonly kind: 'counter' | 'histogram';
}

type Settings = Pick<Configuration['telemetry'], 'genai_metrics'>;

export function genAiMetrics({ genai_metrics }: Settings, call: ModelCall): Measured[] {
  const common = commonLabels(call);
  return [
    ...(genai_metrics === 'inference' ? [] : clientFamily(call, common)),
    ...(genai_metrics === 'client' ? [] : inferenceFamily(call, common)),
  ];
}

/** `gen_ai.client.token.usage` and its kin, as of semantic conventions 1.37 to 1.41. */
function clientFamily(call: ModelCall, common: Labels): Measured[] {
  const tokens = (type: string, value: number | undefined) =>
    histogram('gen_ai.client.token.usage', value, { ...common, 'gen_ai.token.type': type });
  return [
    ...tokens('input', inputTokens(call.usage)),
    ...tokens('output', call.usage?.output_tokens),
    ...durations('gen_ai.client.operation', call, common),
  ];
}

const usage = 'gen_ai.client.inference.usage';
const operation = 'gen_ai.client.inference.operation';

/** The conventions since they have a repository of their own. A failed call used nothing, and says so. */
function inferenceFamily(call: ModelCall, common: Labels): Measured[] {
  const used = { ...common, 'gen_ai.token.modality': 'unknown' };
  const nothing = call.errorType === undefined ? undefined : 0;
  const input = inputTokens(call.usage);
  const { output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens } = call.usage ?? {};
  return [
    ...counter(`${usage}.input_tokens`, input ?? nothing, used),
    ...counter(`${usage}.output_tokens`, output_tokens ?? nothing, used),
    ...counter(`${usage}.cache_read.input_tokens`, cache_read_tokens, used),
    ...counter(`${usage}.cache_write.input_tokens`, cache_write_tokens, used),
    ...counter(`${usage}.reasoning.output_tokens`, reasoning_tokens, used),
    ...histogram(`${operation}.input_tokens`, input, common),
    ...histogram(`${operation}.output_tokens`, output_tokens, common),
    ...durations('gen_ai.client.inference', call, common),
  ];
}

/** By convention the input holds what was read from and written to a cache; `Usage` keeps them apart. */
function inputTokens(counted: Partial<Usage> | undefined): number | undefined {
  const { input_tokens, cache_read_tokens = 0, cache_write_tokens = 0 } = counted ?? {};
  return input_tokens === undefined ? undefined : input_tokens + cache_read_tokens + cache_write_tokens;
}

function durations(family: string, call: ModelCall, common: Labels): Measured[] {
  const labels = call.errorType === undefined ? common : { ...common, 'error.type': call.errorType };
  return [
    ...histogram(`${family}.duration`, call.durationSeconds, labels),
    ...histogram(`${family}.time_to_first_chunk`, call.firstChunkSeconds, common),
  ];
}

type Labels = Measured['labels'];

const commonLabels = ({ operation, provider, model }: ModelCall): Labels => ({
  'gen_ai.operation.name': operation,
  'gen_ai.provider.name': providerNames[provider],
  'gen_ai.request.model': model,
});

const measured =
  (kind: Measured['kind']) =>
  (name: string, value: number | undefined, labels: Measured['labels']): Measured[] =>
    value === undefined ? [] : [{ name, value, labels, kind }];

const counter = measured('counter');
const histogram = measured('histogram');
