/** Runs the configured classifier on a text, bounded in size and time, without exceptions [guard.classifier]. */
import { scoredByModel } from './model.ts';
import {
  type Classification,
  type ClassificationRequest,
  type ClassifierError,
  ClassifierFault,
  type ClassifierPorts,
} from './ports.ts';
import { scoredByModule } from './wasm.ts';

/**
 * Classifies a text.
 * @param ports undefined if this process has no classifiers; a configured one then fails.
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
    ports.telemetry.log('warn', 'the classifier of the tool guard gave no score', {
      ...name,
      reason,
      error: (thrown as Error).message,
    });
    return { ...name, error: reason };
  } finally {
    cancel();
  }
}
