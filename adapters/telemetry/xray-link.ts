/** Links a trace to the X-Ray console if X-Ray has it [trace.routes]. */
import { xrayId, xrayRootOf } from '#core/kernel/trace-context.ts';
import { signedFor } from './traces-from-environment.ts';

/** Returns the address of a trace by its 32 hex digits; undefined if X-Ray does not have it. */
export type TraceLink = (traceId: string) => string | undefined;

/**
 * Returns the links. Spans sent over OTLP have their own trace id in X-Ray. Subsegments are in the function's trace,
 * which differs if the caller sent a `traceparent`.
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
