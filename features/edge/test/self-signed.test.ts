/** The edge's self-signed certificate: parsed by OpenSSL, and trusted in a handshake for each of its names. */
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:tls';
import { selfSigned } from '../host/self-signed.ts';

const names = ['localhost', '127.0.0.1', '::1', 'fe80::1:2%eth0', '2001:db8:0:1::', 'gateway.example'];
const made = (year: number) =>
  selfSigned({
    name: 'agent-governance-gateway',
    names,
    notBefore: new Date('2026-11-26T17:05:09.123Z'),
    notAfter: new Date(Date.UTC(year, 0, 2, 3, 4, 5)),
  });

test.each([2027, 2050, 2123])('[edge.listeners] contains its names and usages, and is valid until %s', (year) => {
  const certificate = new X509Certificate(made(year).cert);
  expect(certificate.subjectAltName).toBe(
    'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, IP Address:FE80:0:0:0:0:0:1:2, ' +
      'IP Address:2001:DB8:0:1:0:0:0:0, DNS:gateway.example',
  );
  expect(certificate).toMatchObject({
    subject: 'CN=agent-governance-gateway',
    issuer: 'CN=agent-governance-gateway',
    ca: false,
    keyUsage: ['1.3.6.1.5.5.7.3.1'],
    serialNumber: expect.stringMatching(/^[4-7][0-9A-F]{31}$/),
  });
  expect(certificate.validFromDate.toISOString()).toBe('2026-11-26T17:05:09.000Z');
  expect(certificate.validToDate.toISOString()).toBe(`${year}-01-02T03:04:05.000Z`);
  expect(certificate.verify(certificate.publicKey)).toBe(true);
});

test('[edge.listeners] a client that trusts the certificate connects, and rejects a name that the certificate does not list', async () => {
  const { cert, key } = made(2123);
  const server = createServer({ cert, key }, (socket) => socket.end('hello'));
  server.on('tlsClientError', () => {}); // the client refuses the certificate
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const answer = async (servername: string): Promise<string> => {
    const socket = connect({ host: '127.0.0.1', port, ca: cert, servername });
    const [data] = (await once(socket, 'data')) as [Buffer];
    return data.toString();
  };
  try {
    expect(await answer('gateway.example')).toBe('hello');
    await expect(answer('other.example')).rejects.toThrow("does not match certificate's altnames");
  } finally {
    server.close();
  }
});

test('[edge.listeners] two certificates have different keys and serial numbers', () => {
  const [one, other] = [made(2027), made(2027)].map(({ cert }) => new X509Certificate(cert));
  expect(one!.serialNumber).not.toBe(other!.serialNumber);
  expect(one!.publicKey.equals(other!.publicKey)).toBe(false);
});
