/**
 * Git-host app broker (spec §2.6): an RS256 app JWT made for one action. `iat` lies 60 s back against clock skew and
 * `exp` at most 600 s after it, the longest life a Git host accepts; so the token dies up to 60 s before its record. The token stays with the executor; callers see type and scope.
 */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import { GatewayError } from '#core/kernel/errors.ts';
import type { BrokerPorts, CredentialBroker } from './ports.ts';
import { newRecord } from './record.ts';

export interface ScmAppSettings {
  readonly name: string;
  readonly app_id: string;
  readonly private_key_env: string;
}

const skewSeconds = 60;
const shortestKeyBits = 2048;
const kind = { type: 'scm_app_jwt', degraded: false, longestSeconds: 600 } as const;

export function scmAppBroker(settings: ScmAppSettings, ports: BrokerPorts): CredentialBroker {
  return {
    name: settings.name,

    async issue(envelope, grant) {
      const key = await privateKey(settings, ports);
      const record = newRecord(ports, envelope, grant, kind);
      const issued = Math.floor(ports.clock.now() / 1000) - skewSeconds;
      const secret = await new SignJWT({})
        .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
        .setIssuer(settings.app_id)
        .setJti(record.id)
        .setIssuedAt(issued)
        .setExpirationTime(Math.min(Math.floor(Date.parse(record.expires_at) / 1000), issued + kind.longestSeconds))
        .sign(key);
      return { record, secret };
    },

    /** A signed token cannot be called back: it dies at its expiry, and nothing new is minted under its record. */
    async revoke() {},
  };
}

async function privateKey({ name, private_key_env }: ScmAppSettings, { secrets }: BrokerPorts) {
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

/** Without a credential nothing runs; there is no broader one to fall back to. */
export const unavailable = (broker: string, why: string): GatewayError =>
  new GatewayError('service_unavailable', `Credential broker ${broker} cannot mint: ${why}.`);
