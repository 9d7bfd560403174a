/** Passkeys: registration with a challenge, and signed votes. */
import { verifyAssertion } from '#core/approvals/passkeys/assert.ts';
import { relyingParty } from '#core/approvals/passkeys/relying-party.ts';
import type { PasskeyStore } from '#core/approvals/passkeys/store.ts';
import type { PasskeyRow } from '#core/contracts/passkey.ts';
import { passkeyChallenge } from '#core/evidence/passkey-proof.ts';
import { authenticator } from '../../../test/support/authenticator.ts';
import { beginRegistration, finishRegistration, maxPasskeys, removePasskey } from '../register.ts';

const page = { id: 'console.example', origin: 'https://console.example' };
const call = { envelope_id: 'one', call_digest: 'a'.repeat(64) };

function started() {
  const rows = new Map<string, PasskeyRow>();
  const passkeys: PasskeyStore = {
    get: async (person) => rows.get(person),
    put: async (row, read) => {
      if (rows.get(row.person)?.revision !== read?.revision) return false;
      rows.set(row.person, row);
      return true;
    },
  };
  const time = { ms: Date.UTC(2026, 0, 1) };
  let count = 0;
  const ids = { uuid: () => `id-${++count}`, randomHex: (bytes: number) => String(++count).padStart(bytes * 2, '0') };
  const ports = { clock: { now: () => time.ms }, ids, passkeys };
  const register = async (own = authenticator(), person = 'alice') => {
    const answer = own.register(await beginRegistration(ports, person), page);
    await finishRegistration(ports, person, { name: 'laptop', ...answer }, page, async () => 'entry-hash');
    return own;
  };
  const prove = (own: ReturnType<typeof authenticator>, twist: object = {}, about = call) =>
    verifyAssertion(
      ports,
      'alice',
      call,
      own.sign(passkeyChallenge(about.envelope_id, about.call_digest), page, twist),
      page,
    );
  return { ports, rows, time, register, prove };
}

describe('[approval.passkey] a registration', () => {
  test('a passkey is stored with its origin, time and evidence entry', async () => {
    const { register, rows } = started();
    const own = await register();
    expect(rows.get('alice')?.passkeys).toMatchObject([
      {
        credential_id: own.id,
        public_key: own.publicKey,
        name: 'laptop',
        rp_id: page.id,
        origin: page.origin,
        registered_at: '2026-01-01T00:00:00.000Z',
        evidence_hash: 'entry-hash',
      },
    ]);
  });

  test('accepts one response to a challenge, within five minutes', async () => {
    const { ports, time } = started();
    const own = authenticator();
    const finish = (answer: object) =>
      finishRegistration(ports, 'alice', { name: 'x', ...answer } as never, page, async () => 'entry-hash');
    await expect(finish(own.register('bm9uZQ', page))).rejects.toThrow('No registration has begun');
    const late = own.register(await beginRegistration(ports, 'alice'), page);
    time.ms += 5 * 60_000;
    await expect(finish(late)).rejects.toThrow('took longer than 5 minutes');
    const timely = own.register(await beginRegistration(ports, 'alice'), page);
    time.ms += 5 * 60_000 - 1;
    await finish(timely);
    await expect(finish(timely)).rejects.toThrow('No registration has begun');
  });

  test.each([{ origin: 'https://elsewhere.example' }, { rpId: 'elsewhere.example' }, { flags: 0x01 }])(
    'made with %j is refused',
    async (twist) => {
      const { ports } = started();
      const answer = authenticator().register(await beginRegistration(ports, 'alice'), page, twist);
      const finished = finishRegistration(ports, 'alice', { name: 'x', ...answer }, page, async () => 'entry-hash');
      await expect(finished).rejects.toMatchObject({ code: 'invalid_request' });
    },
  );

  test('registering a passkey twice, or more passkeys than a person may have, is a conflict', async () => {
    const { register, rows } = started();
    const own = await register();
    await expect(register(own)).rejects.toThrow('registered already');
    await expect(register(own, 'bob')).resolves.toBe(own);
    for (let count = 1; count < maxPasskeys; count++) await register();
    await expect(register()).rejects.toThrow(`alice has ${maxPasskeys} passkeys, the most allowed`);
    expect(rows.get('alice')?.passkeys).toHaveLength(maxPasskeys);
  });

  test('a concurrent registration is reported as a conflict and records nothing', async () => {
    const { ports, rows } = started();
    const answer = authenticator().register(await beginRegistration(ports, 'alice'), page);
    const record = jest.fn(async () => 'entry-hash');
    const raced: PasskeyStore = { ...ports.passkeys, put: async () => false };
    const given = { name: 'x', ...answer };
    await expect(finishRegistration({ ...ports, passkeys: raced }, 'alice', given, page, record)).rejects.toThrow(
      'changed at the same moment',
    );
    expect(record).not.toHaveBeenCalled();
    expect(rows.get('alice')?.passkeys).toEqual([]);
  });

  test('is removed only by its id', async () => {
    const { ports, register, rows } = started();
    const [first, second] = [await register(), await register()];
    expect(await removePasskey(ports, 'alice', 'other')).toBeUndefined();
    expect(await removePasskey(ports, 'bob', first.id)).toBeUndefined();
    expect(await removePasskey(ports, 'alice', first.id)).toMatchObject({ credential_id: first.id });
    expect(rows.get('alice')?.passkeys.map(({ credential_id }) => credential_id)).toEqual([second.id]);
  });
});

describe('[approval.passkey] a signature', () => {
  test('proves the vote and advances the counter', async () => {
    const { register, prove, rows } = started();
    const own = await register();
    await register();
    expect(await prove(own, { count: 7 })).toMatchObject({ passkey: { credential_id: own.id } });
    expect(rows.get('alice')?.passkeys.map(({ sign_count }) => sign_count)).toEqual([7, 0]);
    await expect(prove(own, { count: 7 })).rejects.toThrow('Not counted');
  });

  test.each([
    ['another page', { origin: 'https://elsewhere.example' }],
    ['another host', { rpId: 'elsewhere.example' }],
    ['no verified person', { flags: 0x01 }],
    ['no person present', { flags: 0x04 }],
    ['a registration', { type: 'webauthn.create' }],
  ])('with %s does not prove the vote', async (_what, twist) => {
    const { register, prove } = started();
    await expect(prove(await register(), twist)).rejects.toThrow('the passkey does not prove this vote');
  });

  test('a signature for another call, or by another person’s passkey, does not prove a vote', async () => {
    const { ports, register, prove } = started();
    const own = await register();
    await expect(prove(own, {}, { ...call, call_digest: 'b'.repeat(64) })).rejects.toThrow('Not counted');
    const bobs = await register(undefined, 'bob');
    for (const unknown of [authenticator(), bobs])
      await expect(prove(unknown)).rejects.toThrow('alice has registered no passkey with this id');
    const signed = bobs.sign(passkeyChallenge(call.envelope_id, call.call_digest), page);
    const borrowed = verifyAssertion(ports, 'alice', call, { ...signed, credential_id: own.id }, page);
    await expect(borrowed).rejects.toThrow('the passkey does not prove this vote');
  });
});

test.each([
  [{ adminUrl: 'http://127.0.0.1:8081' }, { id: 'localhost', origin: 'http://localhost:8081' }],
  [{ adminUrl: 'http://[::1]:8081' }, { id: 'localhost', origin: 'http://localhost:8081' }],
  [
    { adminUrl: 'http://10.0.0.1', consoleUrl: 'https://gate.example/console' },
    { id: 'gate.example', origin: 'https://gate.example' },
  ],
])('[approval.passkey] the relying party for %j is %j', (urls, party) => {
  expect(relyingParty({ consoleUrl: undefined, ...urls })).toEqual(party);
});

test.each(['https://10.0.0.1:8081', 'https://[2001:db8::1]'])(
  '[approval.passkey] %s has no host name, so it cannot use passkeys',
  (adminUrl) => {
    expect(() => relyingParty({ adminUrl, consoleUrl: undefined })).toThrow('Passkeys need a host name');
  },
);
