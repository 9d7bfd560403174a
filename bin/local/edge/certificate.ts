/** The certificate of the TLS listener: an own one, or a self-signed one kept in the state folder [auth.tls]. */
import { X509Certificate } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';

export interface Certificate {
  /** PEM. */
  readonly cert: string;
  readonly key: string;
  /** For clients that have to trust it. */
  readonly certFile: string;
  readonly keyFile: string;
}

export interface OwnCertificate {
  readonly certFile: string;
  readonly keyFile: string;
}

/** Browsers accept no longer life. */
const lifeDays = 397;
const renewBeforeDays = 30;
const dayMs = 86_400_000;

/** @throws Error when the files cannot be read. */
export async function ownCertificate({ certFile, keyFile }: OwnCertificate): Promise<Certificate> {
  const [cert, key] = await Promise.all([readFile(certFile, 'utf8'), readFile(keyFile, 'utf8')]);
  return { cert, key, certFile, keyFile };
}

/** The one of the last start while it is valid for these names, else a new one: ECDSA P-256. */
export async function keptCertificate(state: string, host: string, nowMs: number): Promise<Certificate> {
  const [certFile, keyFile] = [join(state, 'edge-certificate.pem'), join(state, 'edge-key.pem')];
  const names = [...new Set(['localhost', '127.0.0.1', '::1', host])];
  const kept = await ownCertificate({ certFile, keyFile }).catch(() => undefined);
  if (kept && isUsable(kept, names, nowMs)) return kept;
  const { generate } = (await import('selfsigned')).default;
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'agent-governance-gateway' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(nowMs - dayMs),
    notAfterDate: new Date(nowMs + (lifeDays - 1) * dayMs),
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'keyUsage', digitalSignature: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: names.map((name) => (isIP(name) ? { type: 7, ip: name } : { type: 2, value: name })),
      },
    ],
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
    return false; // a file that is cut off is made again
  }
}
