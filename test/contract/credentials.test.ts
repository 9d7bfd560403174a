/** Issued credentials in the real embedded store, revoked through the ledger. */
import { credentialsTable } from '#adapters/aws/credentials-table.ts';
import { dynamoLedger } from '#adapters/aws/dynamo-ledger.ts';
import { evidenceTable } from '#adapters/aws/evidence-table.ts';
import type { CredentialRecord } from '#core/contracts/credential.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { revokeCredential } from '#core/credentials/registry.ts';
import type { Principal } from '#core/identity/principal.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { startDynamo } from '../support/dynamo.ts';

const start = Date.UTC(2026, 0, 1);
const at = (seconds: number) => isoTime(start + seconds * 1000);

let server: Awaited<ReturnType<typeof startDynamo>>;
let store: { client: ReturnType<typeof server.client>; tables: Awaited<ReturnType<typeof server.createTables>> };
beforeAll(async () => {
  server = await startDynamo();
  store = { client: server.client(), tables: await server.createTables() };
});
afterAll(() => server.stop());

let made = 0;
function record(tenant: string, issuedSeconds: number, lifeSeconds = 600): CredentialRecord {
  const id = `01890000-0000-7000-8000-${String(++made).padStart(12, '0')}`;
  return {
    ...{ id, tenant, session_id: 's1', envelope_id: 'e1', broker: 'scm', type: 'scm_app_jwt', scope: 'contents:read' },
    ...{ degraded: false, issued_at: at(issuedSeconds), expires_at: at(issuedSeconds + lifeSeconds) },
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
  const outcome = await dynamoLedger(store).commit({ draft, changes: [{ type: 'credential.put', credential }] });
  expect(outcome.ok).toBe(true);
  return credential;
}

const principal = (tenant: string): Principal => ({
  ...{ key_id: 'human-key', name: 'alice', tenant, role: 'operator', kind: 'human', person: 'alice' },
  ...{ platform: false, tenants: [tenant] },
});
const revoked: string[] = [];
const ports = (nowSeconds: number) => ({
  clock: { now: () => start + nowSeconds * 1000 },
  ledger: dynamoLedger(store),
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
  test('are kept as they were issued, per tenant', async () => {
    const credential = await put(record('keep', 0));
    expect(await credentialsTable(store).get('keep', credential.id)).toEqual(credential);
    expect(await credentialsTable(store).get('other', credential.id)).toBeUndefined();
  });

  test('[credential.list-revoke] are listed newest first while they live, and revoked once, with evidence', async () => {
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

  test('of ten that revoke at once one wins, and there is one entry', async () => {
    const { id } = await put(record('race', 0));
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, () => revokeCredential(ports(1), principal('race'), id)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await evidenceTable(store).head('race', 's1'))?.counts.credential).toBe(1);
  });

  test('an expired one cannot be revoked, an unknown or foreign one is not found', async () => {
    const { id } = await put(record('dead', 0));
    await expect(revokeCredential(ports(601), principal('dead'), id)).rejects.toMatchObject({ code: 'conflict' });
    await expect(revokeCredential(ports(1), principal('dead'), 'nothing')).rejects.toMatchObject({ code: 'not_found' });
    await expect(revokeCredential(ports(1), principal('stranger'), id)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('a living one is found behind any number of dead ones, and pages join without gap or repeat', async () => {
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

  test('a cursor of another tenant shows nothing of it', async () => {
    await put(record('mine', 0));
    await put(record('theirs', 0));
    const foreign = Buffer.from(JSON.stringify({ tenant: 'theirs', id: 'ffff' })).toString('base64url');
    const page = await credentialsTable(store).active('mine', at(1), { limit: 10, cursor: foreign });
    expect(page.items.every(({ tenant }) => tenant === 'mine')).toBe(true);
  });
});
