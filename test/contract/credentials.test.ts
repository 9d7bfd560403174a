/** Issued credentials in the real embedded store: minted, used, expired, swept and revoked through the ledger. */
import { credentialsTable } from '#adapters/tables/credentials-table.ts';
import { evidenceTable } from '#adapters/tables/evidence-table.ts';
import { tableLedger } from '#adapters/tables/ledger.ts';
import type { Principal } from '#core/configuration/identity/principal.ts';
import type { CredentialRecord } from '#core/contracts/credential.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { CredentialBroker, IssuedCredential } from '#core/execution/credentials/ports.ts';
import {
  finishCredential,
  recordMint,
  recordUse,
  revokeCredential,
  sweepCredentials,
} from '#core/execution/credentials/registry.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { useStore } from '../support/store.ts';

const start = Date.UTC(2026, 0, 1);
const at = (seconds: number) => isoTime(start + seconds * 1000);

const store = useStore();

let made = 0;
function record(tenant: string, issuedSeconds: number, lifeSeconds = 600): CredentialRecord {
  const id = `01890000-0000-7000-8000-${String(++made).padStart(12, '0')}`;
  return {
    id,
    tenant,
    session_id: 's1',
    envelope_id: 'e1',
    broker: 'scm',
    type: 'scm_app_jwt',
    scope: 'contents:read',
    degraded: false,
    issued_at: at(issuedSeconds),
    expires_at: at(issuedSeconds + lifeSeconds),
  };
}

async function put(credential: CredentialRecord): Promise<CredentialRecord> {
  const { tenant, session_id, envelope_id, issued_at: timestamp } = credential;
  const draft = {
    tenant,
    session_id,
    envelope_id,
    timestamp,
    kind: 'result',
    actor: { key_id: 'k' },
    body: {},
  } as const;
  const outcome = await tableLedger(store).commit({ draft, changes: [{ type: 'credential.put', credential }] });
  expect(outcome.ok).toBe(true);
  return credential;
}

const principal = (tenant: string): Principal => ({
  key_id: 'human-key',
  name: 'alice',
  tenant,
  role: 'operator',
  kind: 'human',
  person: 'alice',
  platform: false,
  tenants: [tenant],
});
const revoked: string[] = [];
const ports = (nowSeconds: number) => ({
  clock: { now: () => start + nowSeconds * 1000 },
  telemetry: undefined,
  ledger: tableLedger(store),
  credentials: credentialsTable(store),
  brokers: async () => ({
    name: 'scm',
    issue: () => Promise.reject(new Error('not here')),
    revoke: async ({ id }: CredentialRecord) => void revoked.push(id),
  }),
});
const active = async (tenant: string, seconds: number, limit = 50) => {
  const page = await credentialsTable(store).active(tenant, at(seconds), { limit });
  return page.items.map(({ id }) => id);
};

describe('issued credentials', () => {
  test('[credential.list-revoke] the response to a revocation contains the recorded time', async () => {
    const credential = await put(record('slow', 0));
    let now = 10;
    const clock = { now: () => ports(now++).clock.now() };
    const { revoked_at } = await revokeCredential({ ...ports(10), clock }, principal('slow'), credential.id);
    expect((await credentialsTable(store).get('slow', credential.id))?.revoked_at).toBe(revoked_at);
  });

  test('are stored as issued, per tenant', async () => {
    const credential = await put(record('keep', 0));
    expect(await credentialsTable(store).get('keep', credential.id)).toEqual(credential);
    expect(await credentialsTable(store).get('other', credential.id)).toBeUndefined();
  });

  test('[credential.list-revoke] are listed newest first while active, and revoked once, with evidence', async () => {
    const [first, second] = [await put(record('revoke', 0)), await put(record('revoke', 1))];
    expect(await active('revoke', 2)).toEqual([second.id, first.id]);
    const answer = await revokeCredential(ports(10), principal('revoke'), first.id);
    expect(answer).toEqual({ ...first, revoked_at: at(10) });
    expect(await active('revoke', 11)).toEqual([second.id]);
    expect(revoked).toContain(first.id);
    await expect(revokeCredential(ports(12), principal('revoke'), first.id)).rejects.toMatchObject({
      code: 'conflict',
      data: { record: { id: first.id, revoked_at: at(10) } },
    });

    const entries: EvidenceEntry[] = [];
    for await (const entry of evidenceTable(store).entries('revoke', 's1')) entries.push(entry);
    expect(entries.at(-1)).toMatchObject({
      kind: 'credential',
      actor: { key_id: 'human-key', person: 'alice' },
      body: {
        action: 'revoke',
        credential: { id: first.id, type: 'scm_app_jwt', scope: 'contents:read', broker: 'scm', expires_at: at(600) },
      },
    });
  });

  test('one of ten concurrent revocations wins and writes the only entry', async () => {
    const { id } = await put(record('race', 0));
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, () => revokeCredential(ports(1), principal('race'), id)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await evidenceTable(store).head('race', 's1'))?.counts.credential).toBe(1);
  });

  test("an expired credential cannot be revoked; an unknown credential, or another tenant's, is not found", async () => {
    const { id } = await put(record('dead', 0));
    await expect(revokeCredential(ports(601), principal('dead'), id)).rejects.toMatchObject({ code: 'conflict' });
    await expect(revokeCredential(ports(1), principal('dead'), 'nothing')).rejects.toMatchObject({ code: 'not_found' });
    await expect(revokeCredential(ports(1), principal('stranger'), id)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('an active credential is found after any number of expired ones, and pages join without gaps or repeats', async () => {
    const alive = [await put(record('many', 0, 3600)), await put(record('many', 1, 3600))];
    for (let i = 0; i < 12; i++) await put(record('many', 2 + i, 1));
    alive.push(await put(record('many', 30, 3600)));
    const wanted = alive.map(({ id }) => id).reverse();
    expect(await active('many', 60)).toEqual(wanted);

    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await credentialsTable(store).active('many', at(60), { limit: 2, ...(cursor && { cursor }) });
      found.push(...page.items.map(({ id }) => id));
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(found).toEqual(wanted);
  });

  test("another tenant's cursor shows none of that tenant's credentials", async () => {
    await put(record('mine', 0));
    await put(record('theirs', 0));
    await put(record('theirs', 0));
    const { cursor } = await credentialsTable(store).active('theirs', at(1), { limit: 1 });
    const page = await credentialsTable(store).active('mine', at(1), { limit: 10, cursor: cursor! });
    expect(page.items).toHaveLength(1);
    expect(page.items.every(({ tenant }) => tenant === 'mine')).toBe(true);
  });
});

describe('the lifecycle of a credential', () => {
  const actor = { key_id: 'k1', agent: 'writer' };
  const secret = 'the-very-value';

  /** Creates an issuer that can fail, and that records the credentials it was asked to revoke. */
  function issuer(calledBack: NonNullable<CredentialBroker['calledBack']> = 'by_record') {
    const ended: [string, string | undefined][] = [];
    const state = { down: false };
    const broker: CredentialBroker = {
      name: 'db',
      calledBack,
      issue: () => Promise.reject(new Error('not here')),
      revoke: async ({ id }, value) => {
        if (state.down) throw new Error(`no: ${secret}`);
        ended.push([id, value]);
      },
    };
    return { broker, ended, state };
  }

  const lifePorts = (
    nowSeconds: number,
    { broker }: { broker: CredentialBroker | undefined },
    logged: unknown[] = [],
  ) => ({
    ...ports(nowSeconds),
    brokers: async () => broker,
    telemetry: { log: (...line: unknown[]) => void logged.push(line) },
  });

  const leased = (tenant: string, issuedSeconds = 0): IssuedCredential => ({
    record: {
      ...record(tenant, issuedSeconds),
      broker: 'db',
      lease_id: 'l-1',
      revoke_due: at(issuedSeconds + 120),
      issuer_expires_at: at(issuedSeconds + 3000),
    },
    secret,
  });

  const entriesOf = async (tenant: string) => {
    const entries: EvidenceEntry[] = [];
    for await (const entry of evidenceTable(store).entries(tenant, 's1')) entries.push(entry);
    return entries;
  };
  /** Returns the due credentials. The embedded index is updated immediately; only this tenant's rows count. */
  const dueOf = async (tenant: string, seconds: number) =>
    (await credentialsTable(store).due(at(seconds), 100)).filter((found) => found.tenant === tenant);

  test('[evidence.secrets-redacted] leaves an entry for its minting, use and end, and never the value', async () => {
    const issued = leased('life');
    const fake = issuer();
    await recordMint(lifePorts(1, fake), issued, actor);
    expect(await active('life', 2)).toEqual([issued.record.id]);
    await recordUse(lifePorts(2, fake), issued, 'sql', actor);
    expect(await finishCredential(lifePorts(3, fake), issued, actor)).toBe('revoked');

    expect(await active('life', 4)).toEqual([]);
    expect(await dueOf('life', 9999)).toEqual([]);
    expect(fake.ended).toEqual([[issued.record.id, secret]]);
    const entries = await entriesOf('life');
    const { id, type, scope, expires_at } = issued.record;
    const credential = { id, type, scope, broker: 'db', expires_at };
    expect(entries.map(({ kind, envelope_id, body }) => ({ kind, envelope_id, body }))).toEqual(
      [{ action: 'mint' }, { action: 'use', executor: 'sql' }, { action: 'revoke', issuer: 'called_back' }].map(
        (act) => ({
          kind: 'credential',
          envelope_id: 'e1',
          body: { ...act, credential },
        }),
      ),
    );
    expect(JSON.stringify([entries, await credentialsTable(store).get('life', id)])).not.toContain(secret);
  });

  test('evidence marks a degraded credential', async () => {
    const issued = { record: { ...record('static', 0), degraded: true }, secret };
    await recordMint(lifePorts(0, issuer('never')), issued, actor);
    expect((await entriesOf('static'))[0]?.body).toMatchObject({ credential: { degraded: true } });
  });

  test('a credential that its issuer cannot revoke stays listed until it expires', async () => {
    const issued = { record: record('jwt', 0), secret };
    const fake = issuer('never');
    await recordMint(lifePorts(0, fake), issued, actor);
    expect(await finishCredential(lifePorts(1, fake), issued)).toBe('until_expiry');
    expect(await active('jwt', 2)).toEqual([issued.record.id]);
    expect(await finishCredential(lifePorts(1, { broker: undefined }), issued)).toBe('until_expiry');
    const revokedByHand = await revokeCredential(lifePorts(3, fake), principal('jwt'), issued.record.id);
    expect(revokedByHand.revoked_at).toBe(at(3));
    expect((await entriesOf('jwt')).at(-1)?.body).toMatchObject({ action: 'revoke', issuer: 'until_expiry' });
  });

  test('a credential that cannot be recorded is revoked and not used', async () => {
    const issued = leased('unwritten');
    const fake = issuer();
    const down = { commit: () => Promise.reject(new Error('store down')) };
    await expect(recordMint({ ...lifePorts(0, fake), ledger: down }, issued, actor)).rejects.toThrow('store down');
    expect(fake.ended).toEqual([[issued.record.id, secret]]);
    await recordMint(lifePorts(0, fake), issued, actor);
    await expect(recordMint(lifePorts(0, fake), issued, actor)).rejects.toMatchObject({ code: 'conflict' });
  });

  test("[credential.list-revoke] the sweep revokes a crashed process's credentials once their holder has certainly ended", async () => {
    const issued = leased('crash');
    const fake = issuer();
    await recordMint(lifePorts(0, fake), issued, actor);
    expect(await dueOf('crash', 119)).toEqual([]);
    expect((await dueOf('crash', 120)).map(({ id }) => id)).toEqual([issued.record.id]);
    const counts = await Promise.all(
      [1, 2, 3].map(() => sweepCredentials({ ...lifePorts(121, fake), credentials: only('crash') })),
    );
    expect(counts.reduce((sum, count) => sum + count)).toBe(1);
    expect((await entriesOf('crash')).filter(({ body }) => body.action === 'revoke')).toHaveLength(1);
    expect((await entriesOf('crash')).at(-1)).toMatchObject({ actor: { key_id: 'system' } });
    expect(await dueOf('crash', 9999)).toEqual([]);
  });

  test('[credential.list-revoke] a failing issuer is called repeatedly until it has revoked the credential', async () => {
    const issued = leased('failing');
    const fake = issuer();
    const logged: unknown[] = [];
    await recordMint(lifePorts(0, fake), issued, actor);
    fake.state.down = true;
    expect(await finishCredential(lifePorts(1, fake, logged), issued, actor)).toBe('later');
    const sweep = (seconds: number) =>
      sweepCredentials({ ...lifePorts(seconds, fake, logged), credentials: only('failing') });
    expect(await sweep(121)).toBe(0);
    // Expired here, alive at the issuer: its lease still has to be revoked.
    expect(await sweep(601)).toBe(0);
    expect(await dueOf('failing', 601)).toHaveLength(1);
    expect(await sweep(3000)).toBe(1);
    expect((await entriesOf('failing')).at(-1)?.body).toMatchObject({ action: 'revoke', issuer: 'until_expiry' });
    expect(JSON.stringify(logged)).toContain(issued.record.id);
    expect(JSON.stringify(logged)).not.toContain(secret);
  });

  test('a revocation that could not be recorded is found by the sweep', async () => {
    const issued = leased('halfway');
    const fake = issuer();
    await recordMint(lifePorts(0, fake), issued, actor);
    const down = { commit: () => Promise.reject(new Error('store down')) };
    expect(await finishCredential({ ...lifePorts(1, fake), ledger: down }, issued)).toBe('later');
    expect(await sweepCredentials({ ...lifePorts(121, fake), credentials: only('halfway') })).toBe(1);
    expect(await active('halfway', 122)).toEqual([]);
  });

  const only = (tenant: string) => ({
    due: async (now: string, limit: number) =>
      (await credentialsTable(store).due(now, limit)).filter((found) => found.tenant === tenant),
  });
});
