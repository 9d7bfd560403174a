/** Signs an OTLP request for AWS (Signature Version 4). Loaded only if spans are sent there. */
import { signedHeaders } from '#adapters/aws/signed-headers.ts';
import type { Clock } from '#core/kernel/ports.ts';
import type { UnsignedRequest } from './otlp-http.ts';

interface SigningOptions {
  readonly region: string;
  /** `xray` for traces. */
  readonly service: string;
  /** Contains the function's credentials: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`. */
  readonly environment: NodeJS.ProcessEnv;
  readonly clock: Clock;
}

/** Signs a request. @throws Error if the environment contains no credentials. */
export function signRequest(
  { url, headers, body }: UnsignedRequest,
  { region, service, environment, clock }: SigningOptions,
): Record<string, string> {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = environment;
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY)
    throw new Error('no AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to sign spans with');
  const { host, pathname, search } = new URL(url);
  const credentials = {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    sessionToken: AWS_SESSION_TOKEN,
  };
  const request = { path: pathname + search, headers: { ...headers, host }, body };
  return signedHeaders(request, { service, region, credentials, at: new Date(clock.now()) });
}
