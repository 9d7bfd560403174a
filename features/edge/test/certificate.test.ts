/** Certificates for the edge. */
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keptCertificate, ownCertificate } from '../host/certificate.ts';

const cut = 'x{';
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'certificate-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a truncated key file is reported and not overwritten', async () => {
  const path = join(folder, 'edge-key.pem');
  for (const text of [cut, '']) {
    writeFileSync(path, text);
    await expect(ownCertificate({ certFile: path, keyFile: path })).rejects.toThrow(path);
    expect(readFileSync(path, 'utf8')).toBe(text);
  }
});

test('a TLS key that does not match its certificate is refused, unless the gateway generated both', async () => {
  const { certFile, keyFile } = await keptCertificate(folder, 'localhost', Date.now());
  expect(await ownCertificate({ certFile, keyFile })).toMatchObject({ certFile, keyFile });
  const other = join(folder, 'other.pem');
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writeFileSync(other, privateKey.export({ format: 'pem', type: 'pkcs8' }));
  await expect(ownCertificate({ certFile, keyFile: other })).rejects.toThrow('not that of the certificate');
  await expect(ownCertificate({ certFile: other, keyFile: other })).rejects.toThrow('no PEM certificate');
  await expect(ownCertificate({ certFile, keyFile: join(folder, 'none') })).rejects.toThrow('--edge-key');
  writeFileSync(keyFile, cut);
  const { key } = await keptCertificate(folder, 'localhost', Date.now());
  expect(createPrivateKey(key).asymmetricKeyType).toBe('ec');
});
