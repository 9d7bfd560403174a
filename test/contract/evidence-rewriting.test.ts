/**
 * An attacker with full access to the tables rewrites evidence: verification names the position, and the gateway signs
 * nothing.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EntryDraft } from '#core/contracts/evidence.ts';
import { verifyBundle } from '#core/evidence/verify.ts';
import { caller } from '../support/call-endpoint.ts';
import { keptGateway } from '../support/kept-gateway.ts';
import { TableAttacker } from '../support/table-attacker.ts';
import { useStarted } from '../support/use-started.ts';

let attacker: TableAttacker;
const admin = 'admin-token-1';

const gateway = useStarted(() => keptGateway(), 'test');
beforeEach(() => {
  attacker = new TableAttacker(gateway.store);
});

const { call, read } = gateway;
const verify = (session: string) => call('GET', `/admin/v1/evidence/sessions/${session}/verify`);
const exported = (session: string) => call('GET', `/admin/v1/evidence/sessions/${session}/export`);
const audit = () => call('GET', '/admin/v1/audit/verify');

/**
 * Creates six entries (three reads and their results), checkpointed and archived, followed by an hour without calls.
 */
async function session(name: string): Promise<void> {
  for (const target of ['acme/a', 'acme/b', 'acme/c']) await read(name, target);
  await gateway.projected();
  gateway.pass(3600);
}

const retold = (entries: readonly EntryDraft[], index: number, change: Partial<EntryDraft>): EntryDraft[] =>
  entries.map((entry, i) => (i === index ? { ...entry, ...change } : entry));

const harmless = { tool: 'scm.get_file_contents', target: 'acme/nothing', decision: 'allow' };

type Attack = (by: TableAttacker) => Promise<void>;
type Entries = Awaited<ReturnType<TableAttacker['entries']>>;
/** Returns an attack that replaces the history of session `s`. */
const told =
  (change: (entries: Entries) => readonly EntryDraft[]): Attack =>
  async (by) =>
    by.tell('s', change(await by.entries('s')));
const other = 'not the one in the archive';
const older: Attack = async (by) => {
  const before = await by.entries('s');
  await by.tell('older', before.slice(0, 2));
  await by.setHead({
    ...(await by.head('older')),
    session_id: 's',
    first_hash: before[0]!.hash,
    last_hash: before[1]!.hash,
  });
  await by.remove('older');
};
const swapped: Attack = async (by) => {
  const [own, others] = [await by.entries('s'), await by.entries('t')];
  await by.tell('s', others);
  await by.tell('t', own);
};
const backDated: Attack = async (by) =>
  by.append('s', { ...(await by.entries('s'))[0]!, timestamp: '2025-12-01T00:00:00.000Z' });

const attacks: readonly (readonly [name: string, index: number, reason: string, attack: Attack])[] = [
  [
    'one entry is rewritten, and the chain and the head are hashed again',
    2,
    other,
    told((e) => retold(e, 2, { body: harmless })),
  ],
  ['the last entry is rewritten', 5, other, told((e) => retold(e, 5, { body: { outcome: 'failed' } }))],
  ['the end is cut off', 4, 'the end is cut off', told((e) => e.slice(0, 4))],
  ['the beginning is cut off', 0, other, told((e) => e.slice(2))],
  ['an entry in the middle is taken out', 2, other, told((e) => e.toSpliced(2, 1))],
  ['two entries change places', 2, other, told(([a, b, c, d, e, f]) => [a!, b!, e!, f!, c!, d!])],
  [
    'the chain is forked: another end after the third entry',
    3,
    other,
    told(([a, b, c]) => [a!, b!, c!, { ...c!, body: harmless }, b!, a!, b!]),
  ],
  ['an entry is back-dated', 4, other, told((e) => retold(e, 4, { timestamp: '2025-06-01T00:00:00.000Z' }))],
  ['a back-dated entry is put at the end', 6, 'back-dated', backDated],
  ['an older head is put back', 2, 'the end is cut off', older],
  ['everything is replaced', 0, other, told((e) => e.map((entry) => ({ ...entry, body: harmless })))],
  ['two sessions change their names', 0, other, swapped],
  ['the session is deleted', 0, 'the session was deleted', (by) => by.remove('s')],
  ['the session is deleted and started again', 0, other, told(([first]) => [{ ...first!, body: harmless }])],
];

describe('[evidence.tampering] session and tenant verification name the entry when', () => {
  test.each(attacks)('%s', async (_, index, reason, attack) => {
    await session('s');
    await session('t');
    expect((await verify('s')).body).toMatchObject({
      valid: true,
      total_entries: 6,
      not_checked: [],
      archived_entries: 6,
      checkpoint: { index: 5 },
    });
    expect((await audit()).body).toMatchObject({ valid: true, sessions: 2, complete: true });

    await attack(attacker);

    const missing = { 'the end is cut off': 'end', 'the session was deleted': 'session' }[reason];
    const broken_link = { index, reason: expect.stringContaining(reason), ...(missing && { missing }) };
    expect((await verify('s')).body).toMatchObject({ valid: false, broken_link });
    expect((await audit()).body).toMatchObject({ valid: false, broken_link: { session_id: 's', ...broken_link } });
    expect((await exported('s')).status).not.toBe(200);
  });

  test.each(attacks.filter(([name]) => !name.includes('back-dated entry is put') && !name.includes('deleted')))(
    'there is no archive, only the checkpoint, and %s',
    async (_, __, ___, attack) => {
      await session('s');
      await session('t');
      await attack(attacker);
      const ports = { ...gateway.ports(), archived: undefined };
      const { body } = await caller(ports)('GET', '/admin/v1/evidence/sessions/s/verify', { key: admin });
      expect(body).toMatchObject({ valid: false, broken_link: { reason: expect.stringMatching(/checkpoint of/) } });
      expect(body.not_checked).toContain('archive not checked: this gateway reads none');
    },
  );
});

test('[evidence.tampering] an inserted entry followed by later entries is detected once archive copies are due', async () => {
  await session('s');
  const [allow] = await attacker.entries('s');
  const timestamp = new Date(gateway.ports().clock.now()).toISOString();
  await attacker.append('s', { ...allow!, timestamp, kind: 'approve', body: { approval_id: 'x', call_digest: 'y' } });
  await read('s', 'acme/d');
  await gateway.projected();
  expect((await verify('s')).body).toMatchObject({
    valid: true,
    checkpoint: { index: 5 },
    not_checked: [
      'checkpoints not checked: entries 6 to 8 are not under a checkpoint yet',
      'archive not checked: entry 6 and perhaps later ones are not in it',
    ],
  });
  gateway.pass(301);
  expect((await verify('s')).body).toMatchObject({
    valid: false,
    broken_link: { index: 6, reason: expect.stringContaining('the gateway did not write it') },
  });
});

describe('[evidence.checkpoint] a chain that does not continue from its last checkpoint', () => {
  test('is not signed: it gets neither a manifest nor a checkpoint', async () => {
    await session('s');
    await attacker.tell('s', retold(await attacker.entries('s'), 2, { body: harmless }));
    await read('s', 'acme/d');
    await gateway.projected();
    expect(await gateway.ports().checkpoints.last('default', 's')).toMatchObject({ point: { index: 5 } });
    expect(gateway.telemetry.metricsText()).toMatch(/^svc_chains_contradicted_total 1$/m);
    expect(gateway.lines.filter((line) => line.includes('a chain contradicts its evidence'))).toHaveLength(1);
    const { last_hash } = await attacker.head('s');
    expect((await exported('s')).status).toBe(500);
    expect(await gateway.ports().sessionManifests.get('default', 's', last_hash)).toBeUndefined();
  });
});

test('[evidence.tampering] a manifest inserted by an attacker is not exported and makes the chain invalid', async () => {
  await session('s');
  const { manifest } = (await exported('s')).body;
  await read('s', 'acme/d');
  await gateway.projected();
  gateway.pass(3600);
  const { last_hash, total_entries } = await attacker.head('s');
  await gateway.ports().sessionManifests.put({ ...manifest, last_hash, total_entries });
  expect((await exported('s')).status).toBe(500);
  expect((await verify('s')).body).toMatchObject({
    valid: false,
    broken_link: { reason: expect.stringContaining('the manifest was altered') },
  });
});

test('[evidence.checkpoint] a bundle includes the checkpoint, so a third party detects an export made after a rewrite', async () => {
  await session('s');
  const { text, body } = await exported('s');
  const pem = body.public_key;
  expect(body.checkpoint).toMatchObject({ point: { session_id: 's', index: 5 }, checkpoint: { size: 1 } });
  expect(await verifyBundle(text, pem)).toMatchObject({ valid: true, not_checked: [], checkpoint: { index: 5 } });

  const spoilt = (change: (bundle: typeof body) => unknown) => {
    const bundle = JSON.parse(text);
    change(bundle);
    return verifyBundle(bundle, pem);
  };
  const forged: readonly ((bundle: typeof body) => unknown)[] = [
    ({ checkpoint }) => Object.assign(checkpoint.point, { index: 4 }),
    ({ checkpoint }) => Object.assign(checkpoint.checkpoint, { created_at: '2026-01-01T00:00:01.000Z' }),
    ({ checkpoint }) => checkpoint.path.push('ab'.repeat(32)),
    ({ checkpoint }) => Object.assign(checkpoint, { extra: 1 }),
    (bundle) => Object.assign(bundle, { checkpoint: null }),
  ];
  for (const change of forged) {
    expect(await spoilt(change)).toMatchObject({
      valid: false,
      broken_link: { reason: expect.stringContaining('checkpoint') },
    });
  }
  expect(await spoilt((bundle) => delete bundle.checkpoint)).toMatchObject({
    valid: true,
    not_checked: ['checkpoints not checked: the bundle carries none'],
  });
});

test('[evidence.checkpoint] commits take the same number of store steps with and without checkpoints', async () => {
  await read('s', 'acme/warm');
  const without = await gateway.steps.during(() => read('s', 'acme/a'));
  await gateway.projected();
  const withThem = await gateway.steps.during(() => read('s', 'acme/b'));
  expect(withThem.calls).toBe(without.calls);
  const projecting = await gateway.steps.during(() => gateway.projected());
  expect(await readFile(join(gateway.folder, 'checkpoints.jsonl'), 'utf8')).toMatch(/^(\{.*\}\n){2}$/);
  // The session's marks and sums, and the minutes of the tenant, of the total and of the tool, in repeatable steps;
  // then their hours. Archive and checkpoints are files. The tenant's log reads its head and its sessions, and writes
  // both.
  expect(projecting.calls).toBe(8 + 4 + 4);
});
