/** X-Ray subsegments for our spans. Loaded only where X-Ray listens: elsewhere it costs nothing. */
import type { Tracer as PowertoolsTracer } from '@aws-lambda-powertools/tracer';
import type { Tracer } from './telemetry.ts';

/** A tracer when the function's environment asks for one, else undefined. Spans that X-Ray gets by OTLP it gets once. */
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

/** Tracing is a luxury: when it cannot be had, the work runs without it. */
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
