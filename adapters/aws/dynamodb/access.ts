/** Endpoint and credentials for DynamoDB, taken from a Lambda function's environment or from an SDK request. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Credentials } from '../signed-headers.ts';

/** Endpoint that requests are sent to. */
interface Target {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number | undefined;
}

/** Endpoint, region and credentials for requests made without the SDK. */
export interface Access {
  readonly target: Target;
  readonly region: string;
  credentials(): Credentials | Promise<Credentials>;
  /** Milliseconds by which this clock is behind AWS's clock. */
  readonly clockOffset: number;
}

/** Regions of the `aws` partition. Other partitions use other domains, which only the SDK knows. */
const usualRegion = /^(?!us-(?:gov|iso))(?:af|ap|ca|eu|il|me|mx|sa|us)-[a-z]+-\d$/;

/** Settings that only the SDK reads. */
const settings = [
  'AWS_PROFILE',
  'AWS_IGNORE_CONFIGURED_ENDPOINT_URLS',
  'AWS_USE_FIPS_ENDPOINT',
  'AWS_USE_DUALSTACK_ENDPOINT',
  'AWS_ACCOUNT_ID',
];

/**
 * Returns the access settings of a function, or undefined if anything about them is unusual, in which case the SDK
 * sends the first request.
 */
export function accessOfFunction(environment: NodeJS.ProcessEnv): Access | undefined {
  const { AWS_REGION: region, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = environment;
  if (!environment.AWS_LAMBDA_FUNCTION_NAME || !accessKeyId || !secretAccessKey) return undefined;
  if (!region || !usualRegion.test(region) || settings.some((name) => environment[name])) return undefined;
  const endpoint = environment.AWS_ENDPOINT_URL_DYNAMODB || environment.AWS_ENDPOINT_URL;
  const target = targetOf(endpoint || `https://dynamodb.${region}.amazonaws.com`);
  if (!target) return undefined;
  const credentials = { accessKeyId, secretAccessKey, sessionToken: environment.AWS_SESSION_TOKEN };
  return {
    target,
    region,
    credentials: () => credentials,
    clockOffset: 0,
  };
}

function targetOf(endpoint: string): Target | undefined {
  const url = URL.parse(endpoint);
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search !== '') return undefined;
  return { protocol: url.protocol, hostname: url.hostname, port: url.port === '' ? undefined : Number(url.port) };
}

/**
 * Calls `found` with the endpoint and credentials the SDK uses for its requests, all of which go to the root of the
 * endpoint.
 */
export function watchAccess(sdk: DynamoDBClient, found: (access: Access) => void): void {
  const { config } = sdk;
  sdk.middlewareStack.add(
    (next) => async (args) => {
      const { protocol, hostname, port, path } = args.request as Target & { readonly path: string };
      const region = await config.region();
      if (path === '/')
        found({
          target: { protocol, hostname, port },
          region,
          credentials: () => config.credentials(),
          get clockOffset() {
            return config.systemClockOffset;
          },
        });
      return next(args);
    },
    { step: 'finalizeRequest', priority: 'high', name: 'accessMiddleware' },
  );
}
