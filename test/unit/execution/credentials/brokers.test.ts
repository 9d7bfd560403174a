import { generateKeyPairSync, verify } from 'node:crypto';
import type { Configuration } from '#core/contracts/config.ts';
import { brokersFrom, staticBroker } from '#core/execution/credentials/brokers.ts';
import type { BrokerPorts } from '#core/execution/credentials/ports.ts';
import { scmAppBroker } from '#core/execution/credentials/scm-app-broker.ts';
import { ticketBroker } from '#core/execution/credentials/ticket-broker.ts';
import type { TicketStore } from '#core/execution/tickets/ports.ts';
import { brokerPorts, envelope, grant, now, rsaKeys } from './sample.ts';

const keys = rsaKeys();
const settings = { name: 'scm', app_id: '12345', private_key_env: 'SCM_KEY' };
const scm = (pem = keys.pem) => scmAppBroker(settings, brokerPorts({ SCM_KEY: pem }));

const decoded = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
const refused = expect.objectContaining({ code: 'service_unavailable' });

describe('the Git-host app broker without an installation', () => {
  test('[credential.minted] signs an RS256 JWT whose iat is 60 s in the past, valid for 600 s from iat, with the credential id as jti', async () => {
    const { secret, record } = await scm().issue(envelope, grant());
    const [header = '', claims = '', signature = ''] = secret.split('.');
    const nowSeconds = Math.floor(now / 1000);
    expect(decoded(header)).toEqual({ alg: 'RS256', typ: 'JWT' });
    expect(decoded(claims)).toEqual({ iss: '12345', jti: record.id, iat: nowSeconds - 60, exp: nowSeconds + 540 });
    const signed = Buffer.from(`${header}.${claims}`);
    expect(verify('sha256', signed, keys.publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
  });

  test('the record names the credential and its action, and does not contain the secret', async () => {
    const { record, secret } = await scm().issue(envelope, grant());
    expect(record).toEqual({
      id: 'id-1',
      tenant: 'default',
      session_id: 's1',
      envelope_id: 'e1',
      broker: 'scm',
      type: 'scm_app_jwt',
      scope: 'pull_requests:write,contents:read',
      degraded: true,
      note: expect.stringContaining('not narrowed'),
      issued_at: '2026-01-01T00:00:00.500Z',
      expires_at: '2026-01-01T00:10:00.500Z',
    });
    expect(JSON.stringify(record)).not.toContain(secret);
  });

  test('a grant may shorten the lifetime but never extend it', async () => {
    const life = async (ttl_seconds: number) => {
      const { secret, record } = await scm().issue(envelope, grant({ ttl_seconds }));
      const { iat, exp } = decoded(secret.split('.')[1]!);
      expect(exp).toBeLessThanOrEqual(Math.floor(Date.parse(record.expires_at) / 1000));
      expect(Number(exp) - Number(iat)).toBeLessThanOrEqual(600);
      return Date.parse(record.expires_at) - now;
    };
    expect(await life(30)).toBe(30_000);
    expect(await life(3600)).toBe(600_000);
  });

  test('accepts a PEM key written on one line', async () => {
    await expect(scm(keys.pem.replaceAll('\n', '\\n')).issue(envelope, grant())).resolves.toBeDefined();
  });

  test.each([
    ['no key', ''],
    ['no PEM', 'not a key'],
    ['a public key', keys.publicKey.export({ format: 'pem', type: 'spki' }).toString()],
    [
      'a key of another kind',
      generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    ],
    ['a short key', rsaKeys(1024).pem],
  ])('[credential.no-broader] %s mints nothing', async (_, pem) => {
    const failure: unknown = await scm(pem)
      .issue(envelope, grant())
      .catch((cause: unknown) => cause);
    expect(failure).toEqual(refused);
    if (pem) expect(String((failure as Error).stack)).not.toContain(pem.slice(0, 20));
  });

  test('revoking has no effect: a signed token is valid until it expires', async () => {
    const broker = scm();
    const { record } = await broker.issue(envelope, grant());
    await expect(broker.revoke(record)).resolves.toBeUndefined();
  });
});

describe('the static broker', () => {
  const fixed = (secrets: Record<string, string>) =>
    staticBroker({ name: 'old', secret_env: 'OLD_TOKEN', credential_type: 'static' }, brokerPorts(secrets));

  test('[credential.brokers] returns the configured secret, marked as degraded', async () => {
    const { secret, record } = await fixed({ OLD_TOKEN: 'tok' }).issue(envelope, grant({ broker: 'old' }));
    expect(secret).toBe('tok');
    expect(record).toMatchObject({ type: 'static', degraded: true, expires_at: '2026-01-01T00:10:00.500Z' });
  });

  test('mints no credential if its secret is missing', async () => {
    await expect(fixed({}).issue(envelope, grant())).rejects.toEqual(refused);
  });
});

describe('[ticket.redeem] the ticket broker', () => {
  const settings = { credentials: { tickets: { ttl_seconds: 120 } } } as unknown as Configuration;
  const key = { GATEWAY_TICKET_KEY: 'a secret that is long enough to be a key' };
  const put = jest.fn(async () => {});
  const tickets = { put, revoke: jest.fn(async () => false) } as unknown as TicketStore;
  const broker = (over: Partial<BrokerPorts> = {}, secrets: Record<string, string> = key) =>
    ticketBroker({ name: 't' }, settings, { ...brokerPorts(secrets), tickets, ...over });
  const allowed = { policyVersion: 3, approvalId: 'a1' };

  test('binds a ticket to the action, its policy version and its approval, with a lifetime within the ticket limit', async () => {
    const { record, secret } = await broker().issue(envelope, grant({ ttl_seconds: 600 }), allowed);
    expect(record).toMatchObject({
      type: 'capability_ticket',
      degraded: false,
      expires_at: '2026-01-01T00:02:00.500Z',
    });
    expect(put).toHaveBeenCalledWith(
      expect.objectContaining({
        id: record.id,
        envelope_id: 'e1',
        tool: envelope.tool,
        resource: envelope.target,
        policy_version: 3,
        approval_id: 'a1',
        expires_at: record.expires_at,
      }),
    );
    expect(secret).toMatch(/^agt1\./);
  });

  test.each([
    [
      'a register',
      () => broker({ tickets: undefined } as unknown as Partial<BrokerPorts>).issue(envelope, grant(), allowed),
    ],
    ['a key', () => broker({}, {}).issue(envelope, grant(), allowed)],
    ['the policy that allowed it', () => broker().issue(envelope, grant())],
  ])('[credential.no-broader] without %s no ticket is issued', async (_, issue) => {
    await expect(issue()).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  test('revoking a ticket that was already used succeeds without effect', async () => {
    const { record } = await broker().issue(envelope, grant(), allowed);
    await expect(broker().revoke(record)).resolves.toBeUndefined();
  });
});

describe('brokers by name', () => {
  const configuration = {
    credentials: {
      brokers: [
        { type: 'scm_app', generated_key: false, ...settings },
        { type: 'static', name: 'old', secret_env: 'OLD_TOKEN', credential_type: 'static' },
        { type: 'vault', name: 'db', url: 'https://v.example', mount: 'database', role: 'r', token_env: 'V' },
      ],
      grants: [],
    },
  } as unknown as Configuration;
  const brokers = brokersFrom(configuration, brokerPorts({}));

  test('are the ones in the configuration', () => {
    expect(brokers('scm')?.name).toBe('scm');
    expect(brokers('old')?.name).toBe('old');
  });

  test('an unknown name returns no broker', () => {
    expect(brokers('nobody')).toBeUndefined();
  });

  test('[credential.no-broader] a broker that may not make external calls in this function mints no credential', async () => {
    await expect(brokers('db')?.issue(envelope, grant({ broker: 'db' }))).rejects.toEqual(refused);
  });
});
