/** Links a trace to the X-Ray console if the trace is in X-Ray [trace.routes]. */
import { xrayId, xrayRootOf } from '#core/kernel/trace-context.ts';
import { signedFor } from './traces-from-environment.ts';

/** Function that returns a trace's URL from its 32 hex digits, or undefined if the trace is not in X-Ray. */
export type TraceLink = (traceId: string) => string | undefined;

/**
 * Returns the function that links traces. Spans sent over OTLP have their own trace id in X-Ray. Subsegments are in the
 * function's trace, which is a different one if the caller sent a `traceparent`.
 * @returns undefined if no spans are sent to X-Ray.
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
