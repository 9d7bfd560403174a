/**
 * The certificate of the TLS listener: either the operator's or a self-signed one in the state folder [edge.listeners].
 */
import { X509Certificate } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { privateKeyIn } from '#adapters/local/private-key.ts';
import { dayMs } from '#core/kernel/durations.ts';
import { selfSigned } from './self-signed.ts';

export interface Certificate {
  /** PEM. */
  readonly cert: string;
  readonly key: string;
  /** Certificate file for clients that need to trust it. */
  readonly certFile: string;
  readonly keyFile: string;
}

export interface OwnCertificate {
  readonly certFile: string;
  readonly keyFile: string;
}

/** Lifetime of a certificate in days. Browsers do not accept a longer one. */
const lifeDays = 397;
const renewBeforeDays = 30;

/** Reads the operator's certificate. @throws Error that names the option at fault, `--edge-cert` or `--edge-key`. */
export async function ownCertificate({ certFile, keyFile }: OwnCertificate): Promise<Certificate> {
  const [cert, key] = await Promise.all([readPem(certFile, '--edge-cert'), readPem(keyFile, '--edge-key')]);
  if (!certificateIn(cert, certFile).checkPrivateKey(privateKeyIn(key, keyFile)))
    throw new Error(`The private key in ${keyFile} (--edge-key) is not that of the certificate in ${certFile}.`);
  return { cert, key, certFile, keyFile };
}

async function readPem(path: string, option: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new Error(`The file ${path} of ${option} cannot be read (${(cause as NodeJS.ErrnoException).code}).`, {
      cause,
    });
  }
}

function certificateIn(pem: string, path: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw new Error(`${path} contains no PEM certificate.`, { cause });
  }
}

/**
 * Returns the certificate from the last start if it is valid for these names. Otherwise creates a new one (ECDSA
 * P-256).
 */
export async function keptCertificate(state: string, host: string, nowMs: number): Promise<Certificate> {
  const [certFile, keyFile] = [join(state, 'edge-certificate.pem'), join(state, 'edge-key.pem')];
  const names = [...new Set(['localhost', '127.0.0.1', '::1', host])];
  const kept = await ownCertificate({ certFile, keyFile }).catch(() => undefined);
  if (kept && isUsable(kept, names, nowMs)) return kept;
  const { cert, key } = selfSigned({
    name: 'agent-governance-gateway',
    names,
    notBefore: new Date(nowMs - dayMs),
    notAfter: new Date(nowMs + (lifeDays - 1) * dayMs),
  });
  await Promise.all([writeFile(keyFile, key, { mode: 0o600 }), writeFile(certFile, cert, { mode: 0o600 })]);
  return { cert, key, certFile, keyFile };
}

function isUsable({ cert }: Certificate, names: readonly string[], nowMs: number): boolean {
  try {
    const certificate = new X509Certificate(cert);
    const covers = (name: string) =>
      (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name)) !== undefined;
    return certificate.validToDate.getTime() > nowMs + renewBeforeDays * dayMs && names.every(covers);
  } catch {
    return false; // a truncated file is replaced
  }
}
