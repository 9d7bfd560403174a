/** A Git-host app's own token: RS256, `iat` back against clock skew, at most ten minutes. */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import { unavailable } from './fault.ts';
import type { BrokerPorts } from './ports.ts';

/** `iat` lies this far back: the host's clock may be behind ours. */
const skewSeconds = 60;
/** The longest life a Git host accepts, from `iat` on. */
export const longestAppTokenSeconds = 600;
const shortestKeyBits = 2048;

/** @param untilMs when it should end at the latest; the host's own limit holds besides. */
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

/** @throws GatewayError `service_unavailable` when the name holds no RSA key that is long enough. */
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

/** Environment files often carry a PEM on one line, its line breaks written as `\\n`. What the parser says stays here. */
function readKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem.replaceAll('\\n', '\n'));
  } catch {
    return undefined;
  }
}
