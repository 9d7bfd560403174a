/**
 * One host for all surfaces, like the local edge [cloud.edge]: `edge.<domain>` routes `/api/*`, `/admin/*`, `/mcp` and
 * its metadata by the rules in `features/edge/routing.ts`. CloudFront chooses a behavior by path; the behavior's
 * function returns 404 for a path that belongs to another upstream.
 */
import type { BehaviorOptions } from 'aws-cdk-lib/aws-cloudfront';
import { routingFunctionCode } from './edge-functions.ts';
import { apiStageName } from './surface-api.ts';

/** Each upstream's patterns; `*` matches any characters. */
const patterns = {
  gateway: ['/api/*'],
  admin: ['/admin', '/admin/*'],
  mcp: ['/mcp', '/mcp/*', '/.well-known/oauth-protected-resource*'],
} as const;

type Upstream = keyof typeof patterns;

interface ReachableUpstreams {
  /** The APIs that callers can reach. Omits the admin API if it is private. */
  readonly apis: Readonly<Partial<Record<Upstream, BehaviorOptions>>> & Readonly<Record<'mcp', BehaviorOptions>>;
  readonly webSocket: BehaviorOptions;
}

/** Returns the host's behaviors. @param running returns a behavior that runs this code before each request. */
export function oneAddress(
  { apis, webSocket }: ReachableUpstreams,
  running: (id: string, behavior: BehaviorOptions, code: string) => BehaviorOptions,
) {
  const routed = (Object.keys(patterns) as Upstream[]).flatMap((upstream) => {
    const behavior = apis[upstream];
    if (!behavior) return [];
    const withRoutes = running(`Route-${upstream}`, behavior, routingFunctionCode(upstream));
    return patterns[upstream].map((pattern) => [pattern, withRoutes] as const);
  });
  return {
    // Never reached, because the function answers each request.
    defaultBehavior: running('Nothing', apis.mcp, routingFunctionCode(undefined)),
    // The first matching pattern is used.
    additionalBehaviors: {
      '/api/v1/ws': running('Route-webSocket', webSocket, routingFunctionCode('gateway', `/${apiStageName}`)),
      ...Object.fromEntries(routed),
    },
  };
}
