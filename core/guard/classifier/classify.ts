/** Runs the configured classifier on text, within limits on size and time. Never throws [guard.classifier]. */
import type { ClassifierSettings } from '#core/contracts/config/tool-guard-classifier.ts';
import type { Configuration, ContentFilter } from '#core/contracts/config.ts';
import { moduleOf } from '#core/models/content-policy/wasm-modules.ts';
import { scoredByModel } from './model.ts';
import {
  type Classification,
  type ClassificationRequest,
  type ClassifierError,
  ClassifierFault,
  type ClassifierPorts,
  type Scorer,
} from './ports.ts';

/**
 * Classifies text.
 * @param ports undefined if this process has no classifiers, in which case a configured one fails.
 */
export async function classify(
  ports: ClassifierPorts | undefined,
  look: ClassificationRequest,
  text: string,
  signal: AbortSignal,
): Promise<Classification> {
  const { settings } = look;
  const scorer =
    settings.type === 'wasm' ? scoredByModule(ports, look, settings) : scoredByModel(ports, look, settings);
  const { name } = scorer;
  if (!ports) return { ...name, error: 'not_available' };
  if (Buffer.byteLength(text) > settings.max_bytes) return { ...name, error: 'too_large' };
  const deadline = new AbortController();
  const cancel = ports.timeouts.after(settings.timeout_ms, () => deadline.abort());
  const late = new Promise<never>((_, reject) =>
    deadline.signal.addEventListener('abort', () => reject(new ClassifierFault('timeout')), { once: true }),
  );
  try {
    const given = await Promise.race([scorer.score(text, AbortSignal.any([signal, deadline.signal])), late]);
    return { ...name, ...given, flagged: given.score >= settings.threshold };
  } catch (thrown) {
    const reason: ClassifierError = thrown instanceof ClassifierFault ? thrown.reason : 'failed';
    ports.telemetry.log('warn', 'the classifier of the tool guard returned no score', {
      ...name,
      reason,
      error: (thrown as Error).message,
    });
    return { ...name, error: reason };
  } finally {
    cancel();
  }
}

type Settings = Extract<ClassifierSettings, { type: 'wasm' }>;
type WasmFilter = Extract<ContentFilter, { type: 'wasm' }>;

/** Returns the filter with that name. If an input and an output filter share it, the output filter is returned. */
const namedFilter = ({ policies }: Pick<Configuration, 'policies'>, name: string): WasmFilter | undefined =>
  [...policies.output, ...policies.input].find(
    (filter): filter is WasmFilter => filter.type === 'wasm' && filter.name === name,
  );

/** Scores text with the WASM module of a content policy filter. */
function scoredByModule(
  ports: ClassifierPorts | undefined,
  { snapshot, caller }: ClassificationRequest,
  { filter: wanted, timeout_ms }: Settings,
): Scorer {
  const filter = namedFilter(snapshot.configuration, wanted);
  return {
    name: { classifier: `wasm:${wanted}`, version: filter?.sha256 ?? 'none' },
    async score(text) {
      if (filter?.sha256 === undefined) throw new ClassifierFault('not_available');
      const { flagged, score } = await ports!.wasm.check({
        module: moduleOf(filter),
        content: new TextEncoder().encode(text),
        // The model reads the result next, so the result counts as input.
        metadata: { tenant_id: caller.tenant, model: '', provider: '', phase: 'input' },
        timeoutMs: timeout_ms,
      });
      return { score: flagged ? (score ?? 1) : 0 };
    },
  };
}
