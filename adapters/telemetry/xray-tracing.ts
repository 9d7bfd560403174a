/** Writes the gateway's spans as X-Ray subsegments. Loaded only if X-Ray is enabled. */
import type { Tracer as PowertoolsTracer } from '@aws-lambda-powertools/tracer';
import type { Tracer } from './telemetry.ts';

/**
 * Returns a tracer if the function's environment enables one, otherwise undefined. Spans that are sent to X-Ray over
 * OTLP are not also sent as subsegments.
 */
export function xrayTracer(environment: NodeJS.ProcessEnv): Tracer | undefined {
  if (environment.OTLP_TRACES_URL) return undefined;
  const asked = environment.POWERTOOLS_TRACE_ENABLED ?? (environment.AWS_XRAY_DAEMON_ADDRESS ? 'true' : 'false');
  return asked === 'true' || asked === '1' ? tracerOver(load) : undefined;
}

type Provider = Pick<PowertoolsTracer['provider'], 'captureAsyncFunc'>;

async function load(): Promise<Provider> {
  const { Tracer } = await import('@aws-lambda-powertools/tracer');
  return new Tracer({ captureHTTPsRequests: false }).provider;
}

/** Returns a tracer. If the tracing library cannot be loaded, the work runs without tracing. */
export function tracerOver(loading: () => Promise<Provider>): Tracer {
  let provider: Promise<Provider | undefined> | undefined;
  return async (name, attributes, work) => {
    provider ??= loading().catch(() => undefined);
    const loaded = await provider;
    if (!loaded) return work();
    return (await loaded.captureAsyncFunc(name, async (subsegment) => {
      try {
        return await work();
      } catch (cause) {
        subsegment?.addError(cause instanceof Error ? cause : String(cause));
        throw cause;
      } finally {
        subsegment?.addMetadata('attributes', { ...attributes() });
        subsegment?.close();
      }
    })) as Awaited<ReturnType<typeof work>>;
  };
}
