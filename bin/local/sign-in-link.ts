/**
 * The one-time link that the local run prints. Its token, in the address fragment, can be exchanged once for a human's
 * generated key. Only the token's hash is kept, in memory, so a restart creates a new link [console.sign-in-link].
 */

import { randomBytes, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import * as z from 'zod';
import { isLoopbackHost } from '#core/catalog/networks.ts';
import type { HttpReply } from '#core/contracts/http.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { requireUtf8 } from '#core/kernel/charset.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { Clock } from '#core/kernel/ports.ts';
import type { PageRequest } from './page-request.ts';

/** Lifetime of the link. */
const linkMinutes = 10;
/** Maximum body size of an exchange. */
const exchangeBytes = 1_024;

export interface SignInLink {
  /** Fragment to append to the console's address. */
  readonly fragment: string;
  /**
   * Handles the exchange. @throws GatewayError `forbidden`, `authentication_error`, `invalid_request`,
   * `unsupported_media_type`
   */
  exchange(request: PageRequest): Promise<HttpReply>;
}

/** @param key the key that is returned in exchange for the token. */
export function signInLink(key: string, clock: Clock): SignInLink {
  const token = randomBytes(32).toString('base64url');
  const endsAtMs = clock.now() + linkMinutes * 60_000;
  let hash: string | undefined = sha256(token);
  return {
    fragment: `#sign-in=${token}`,
    async exchange(request) {
      assertHere(request);
      const given = tokenOf(request, await request.body(exchangeBytes));
      const right = hash !== undefined && timingSafeEqual(Buffer.from(sha256(given)), Buffer.from(hash));
      if (!right || clock.now() >= endsAtMs) throw linkExpired();
      hash = undefined;
      return { statusCode: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ key }) };
    },
  };
}

const linkExpired = () =>
  new GatewayError(
    'authentication_error',
    `This link was used or has expired: it opens the console once, within ${linkMinutes} minutes of the start. Sign in with a key, or restart the gateway for a new link.`,
  );

/**
 * Checks that the request comes from this machine, from the console's own page or from no page, and not through a
 * proxy.
 */
function assertHere({ remoteAddress = '', headers }: PageRequest): void {
  const passedOn = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'].find((name) => headers[name] !== undefined);
  const local = isIP(remoteAddress) !== 0 && isLoopbackHost(remoteAddress);
  const origin = headers.origin;
  const own = origin === undefined || origin === `http://${headers.host}`;
  if (local && passedOn === undefined && own) return;
  const found = !local ? `the address ${remoteAddress}` : passedOn ? `the header ${passedOn}` : `the origin ${origin}`;
  throw new GatewayError(
    'forbidden',
    `The sign-in link is for the console on this machine; found ${found}. Sign in with a key.`,
  );
}

const bodySchema = z.strictObject({ token: z.string().min(1).max(200) });

function tokenOf({ headers }: PageRequest, body: Buffer): string {
  const given = String(headers['content-type'] ?? '');
  const type = given.split(';')[0];
  if (type !== 'application/json')
    throw new GatewayError('unsupported_media_type', `Content-Type is ${JSON.stringify(type)}; send application/json.`);
  requireUtf8(given);
  try {
    return bodySchema.parse(JSON.parse(body.toString('utf8'))).token;
  } catch (cause) {
    throw new GatewayError('invalid_request', 'The body is not valid; send {"token": "…"} as JSON.', { cause });
  }
}
