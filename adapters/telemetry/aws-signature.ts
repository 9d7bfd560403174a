/** Signs an OTLP request for AWS (Signature Version 4). Loaded only if spans are sent there. */
import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';
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
export async function signed(
  { url, headers, body }: UnsignedRequest,
  { region, service, environment, clock }: SigningOptions,
): Promise<Record<string, string>> {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = environment;
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY)
    throw new Error('no AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to sign spans with');
  const signer = new SignatureV4({
    region,
    service,
    sha256: Sha256,
    credentials: {
      accessKeyId: AWS_ACCESS_KEY_ID,
      secretAccessKey: AWS_SECRET_ACCESS_KEY,
      ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
    },
  });
  const { protocol, hostname, host, port, pathname, searchParams } = new URL(url);
  const request = {
    method: 'POST',
    protocol,
    hostname,
    ...(port !== '' && { port: Number(port) }),
    path: pathname,
    query: Object.fromEntries(searchParams),
    headers: { ...headers, host },
    body,
  };
  const { headers: complete } = await signer.sign(request, { signingDate: new Date(clock.now()) });
  return complete;
}
