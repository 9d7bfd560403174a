/**
 * Exports a function's spans to `OTLP_TRACES_URL` over HTTP at the end of each invocation, because no code runs between
 * invocations.
 */
import { systemClock } from '#adapters/system/clock.ts';
import type { Snapshots } from '#core/configuration/store/snapshots.ts';
import type { Clock, Telemetry } from '#core/kernel/ports.ts';
import { httpSender, type UnsignedRequest } from './otlp-http.ts';
import { resourceAttributes } from './resource.ts';
import { batchedSink } from './span-batches.ts';
import type { SpanSink } from './spans.ts';

interface FunctionTraces {
  readonly telemetry: Pick<Telemetry, 'count' | 'log'>;
  /** Source of the service name and sampling settings. Until the configuration has been read, every trace is sent. */
  readonly snapshots?: Pick<Snapshots, 'current'>;
  readonly clock?: Clock;
}

/** Timeout of a request. It is short because a function's waiting time is billed. */
const timeoutMs = 2_000;

/**
 * Returns the export, or undefined if the environment contains no URL. Requests to AWS are signed with the function's
 * credentials.
 */
export function tracesFromEnvironment(
  environment: NodeJS.ProcessEnv,
  { telemetry, snapshots, clock = systemClock }: FunctionTraces,
): SpanSink | undefined {
  const url = environment.OTLP_TRACES_URL;
  if (!url) return undefined;
  let settings = { service_name: 'agent-governance-gateway', sample_rate: 1, slow_ms: Number.POSITIVE_INFINITY };
  const sign = signerFor(url, environment, clock);
  const resource = () => resourceAttributes(settings.service_name, environment);
  const sender = httpSender({ url, resource, timeoutMs, ...(sign && { sign }) });
  const wanted = { sampleRate: () => settings.sample_rate, slowMs: () => settings.slow_ms };
  const sink = batchedSink({ sender, telemetry, clock, ...wanted });
  const look = async (): Promise<void> => {
    const snapshot = await snapshots?.current().catch(() => undefined);
    if (snapshot) settings = snapshot.configuration.telemetry;
  };
  return {
    ...sink,
    async flush() {
      await look();
      await sink.flush();
    },
  };
}

const awsAddress = /^https:\/\/([a-z0-9-]+)\.([a-z0-9-]+)\.(?:amazonaws\.com|amazonaws\.com\.cn|api\.aws)\//;

/**
 * Returns the service to sign for, given a URL such as `https://xray.<region>.amazonaws.com`. Other collectors never
 * get the signature.
 */
export function signedFor(url: string): { readonly service: string; readonly region: string } | undefined {
  const [, service, region] = awsAddress.exec(new URL(url).href) ?? [];
  return service === undefined || region === undefined ? undefined : { service, region };
}

function signerFor(url: string, environment: NodeJS.ProcessEnv, clock: Clock) {
  const scope = signedFor(url);
  if (!scope) return undefined;
  return async (request: UnsignedRequest) => {
    const { signRequest } = await import('./aws-signature.ts');
    return signRequest(request, { ...scope, environment, clock });
  };
}
