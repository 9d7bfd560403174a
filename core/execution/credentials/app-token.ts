/** Signs the token of a Git-host app: RS256, `iat` set back for clock skew, at most ten minutes. */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import { unavailable } from './fault.ts';
import type { BrokerPorts } from './ports.ts';

/** Seconds by which `iat` is set back, since the host's clock may be behind. */
const skewSeconds = 60;
/** Longest lifetime from `iat` that Git hosts accept. */
export const longestAppTokenSeconds = 600;
const shortestKeyBits = 2048;

/** Returns a signed app token. @param untilMs latest expiry; the host's own limit also applies. */
export function appToken(key: KeyObject, appId: string, id: string, nowMs: number, untilMs: number): Promise<string> {
  const issued = Math.floor(nowMs / 1000) - skewSeconds;
  return new SignJWT({})
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
    .setIssuer(appId)
    .setJti(id)
    .setIssuedAt(issued)
    .setExpirationTime(Math.min(Math.floor(untilMs / 1000), issued + longestAppTokenSeconds))
    .sign(key);
}

/**
 * Returns the app's private key. @throws GatewayError `service_unavailable` if the secret is not a long enough RSA key.
 */
export async function appKey(
  { name, private_key_env }: { readonly name: string; readonly private_key_env: string },
  { secrets }: Pick<BrokerPorts, 'secrets'>,
): Promise<KeyObject> {
  const pem = await secrets.get(private_key_env);
  if (!pem) throw unavailable(name, `${private_key_env} holds no key`);
  const key = readKey(pem);
  if (!key) throw unavailable(name, `${private_key_env} holds no readable PEM key`);
  const { modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === 'rsa' && modulusLength >= shortestKeyBits) return key;
  throw unavailable(name, `${private_key_env} holds no RSA key of at least ${shortestKeyBits} bits`);
}

/**
 * Parses a PEM key. Environment files often have it on one line, with line breaks written as `\\n`. Parser errors are
 * dropped.
 */
function readKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem.replaceAll('\\n', '\n'));
  } catch {
    return undefined;
  }
}
