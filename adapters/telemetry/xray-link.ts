/** Where a trace stands in the console of X-Ray, if it does [trace.xray-link]. */
import { xrayId, xrayRootOf } from '#core/kernel/trace-context.ts';
import { signedFor } from './traces-from-environment.ts';

/** The address of a trace by its 32 hex digits; undefined for a trace that X-Ray does not have. */
export type TraceLink = (traceId: string) => string | undefined;

/**
 * Spans that go to X-Ray by OTLP stand there under their own trace id. Subsegments stand under the trace of the function, which is another one
 * when the caller sent a `traceparent`.
 * @returns undefined where no spans go to X-Ray.
 */
export function xrayLink(environment: NodeJS.ProcessEnv, subsegments: boolean): TraceLink | undefined {
  const { AWS_REGION: region, OTLP_TRACES_URL: url } = environment;
  if (region === undefined) return undefined;
  const address = (id: string) =>
    `https://${region}.${consoleHost(region)}/cloudwatch/home?region=${region}#xray:traces/${id}`;
  if (url && signedFor(url)?.service === 'xray') return (traceId) => address(xrayId(traceId));
  if (!subsegments) return undefined;
  return () => {
    const root = xrayRootOf(environment._X_AMZN_TRACE_ID);
    return root && address(root);
  };
}

function consoleHost(region: string): string {
  if (region.startsWith('cn-')) return 'console.amazonaws.cn';
  return region.startsWith('us-gov-') ? 'console.amazonaws-us-gov.com' : 'console.aws.amazon.com';
}
