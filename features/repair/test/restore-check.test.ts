/** `restore check`: each fault in a restored deployment is listed with the step that repairs it. */
import { generateKeyPairSync } from 'node:crypto';
import { logSigner, signTreeHead } from '#core/evidence/transparency/checkpoint-note.ts';
import { logKeyOf, verifierKey } from '#core/evidence/transparency/note.ts';
import { healthy } from '../../../test/unit/agentctl/deployment.ts';
import { Home, serverOf } from '../../../test/unit/agentctl/support.ts';

const home = new Home();
const server = serverOf(home);

const signers = Array.from({ length: 2 }, () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return logSigner({ ...logKeyOf(publicKey, 'default'), privateKey });
});
/** Returns a checkpoint over `size` leaves, signed by one of two logs. */
const noteOf = async (size: number, nth = 0) => {
  const signer = await signers[nth]!;
  return signTreeHead({ origin: signer.name, size, root: Buffer.alloc(32, size) }, signer);
};

async function checked(but: Readonly<Record<string, unknown>>, ...words: string[]) {
  const answers = {
    ...healthy,
    'GET /admin/v1/archive/check': { tenant: 'default', total_entries: 7, incomplete_sessions: [] },
    'GET /admin/v1/evidence/log/checkpoint': {
      log_key: verifierKey(await signers[0]!),
      checkpoint: await noteOf(3),
      cosigned: [],
    },
    'GET /admin/v1/evidence/log/consistency': { proof: [] },
    'GET /admin/v1/approvals': { pending: [] },
    'GET /admin/v1/approvals/history': { approvals: [] },
    ...but,
  };
  for (const [call, answer] of Object.entries(answers)) server.on(call, answer);
  const { code, out } = await home.run(['restore', 'check', '--json', ...words]);
  const { findings } = JSON.parse(out) as { findings: { check: string; state: string; found: string; todo: string }[] };
  return { code, odd: findings.filter(({ state }) => state !== 'ok') };
}

test('[cli.status] a restored deployment that matches the evidence passes; if there is no published checkpoint, the report says so', async () => {
  expect(await checked({})).toMatchObject({ code: 0, odd: [{ check: 'log', state: 'unknown' }] });
  expect(await checked({}, '--published', home.write('same', await noteOf(3)))).toEqual({ code: 0, odd: [] });
});

test.each<[string, Record<string, unknown>, string, RegExp]>([
  [
    'checkpoints under an unknown key',
    {
      'GET /admin/v1/audit/verify': {
        valid: true,
        unread: ['checkpoints'],
        // The wording has no effect.
        not_checked: ['checkpoints not checked: no key fits'],
      },
    },
    'chains',
    /formerSigningKeys/,
  ],
  [
    'a rewritten entry',
    {
      'GET /admin/v1/audit/verify': {
        valid: false,
        total_entries: 7,
        // The text of a reason has no effect on the result.
        broken_link: { session_id: 's', index: 2, reason: 'the end is cut off, says the entry' },
      },
    },
    'chains',
    /runbook/,
  ],
  [
    'a session that lost its end',
    {
      'GET /admin/v1/audit/verify': {
        valid: false,
        total_entries: 7,
        broken_link: { session_id: 's', index: 7, reason: 'shorter than its checkpoint', missing: 'end' },
      },
    },
    'chains',
    /restore entries/,
  ],
  [
    'an archive that is longer than the table',
    {
      'GET /admin/v1/archive/check': {
        tenant: 'acme',
        total_entries: 7,
        incomplete_sessions: [{ session_id: 's', missing_entries: 0, lost_entries: 2, contradiction: 'shorter' }],
      },
    },
    'archive',
    /restore entries/,
  ],
  [
    'an archive that was not copied',
    {
      'GET /admin/v1/archive/check': {
        tenant: 'acme',
        total_entries: 7,
        incomplete_sessions: [{ session_id: 's', missing_entries: 7 }],
      },
    },
    'archive',
    /copy the archive bucket/,
  ],
  [
    'a vote that evidence lacks',
    {
      'GET /admin/v1/approvals/history': { approvals: [{ envelope_id: 'a-1', queued_at: '2026-01-01T00:00:00Z' }] },
      'GET /admin/v1/audit': { entries: [] },
    },
    'approvals',
    /never counts/,
  ],
  [
    'a budget behind evidence',
    {
      'GET /admin/v1/audit/in-force': {
        agrees: false,
        not_checked: [],
        differences: [{ of: 'budget', what: 'tenant of the month', in_force: '$1', evidence: '$2' }],
      },
    },
    'in force',
    /lower the limit/,
  ],
])('[cli.status] %s is refused, naming the step that repairs it', async (_, answers, check, todo) => {
  const { code, odd } = await checked(answers, '--published', home.write('same', await noteOf(3)));
  expect([code, odd]).toEqual([
    1,
    [{ check, state: 'fail', found: expect.any(String), todo: expect.stringMatching(todo) }],
  ]);
});

test('[cli.status] a log that was rolled back, forked or signed with an unknown key is refused', async () => {
  const published = (name: string, note: string) => checked({}, '--published', home.write(name, note));
  expect((await published('ahead', await noteOf(4))).odd).toMatchObject([
    { found: expect.stringContaining('the log shrank'), todo: expect.stringContaining('restore entries') },
  ]);
  expect((await published('behind', await noteOf(2))).odd).toMatchObject([
    { found: expect.stringContaining('forked') },
  ]);
  expect((await published('other', await noteOf(3, 1))).odd).toMatchObject([
    { todo: expect.stringContaining('of this log') },
  ]);
  const foreign = { log_key: verifierKey(await signers[1]!), checkpoint: await noteOf(3), cosigned: [] };
  expect((await checked({ 'GET /admin/v1/evidence/log/checkpoint': foreign })).odd).toMatchObject([
    { check: 'log', state: 'fail', todo: expect.stringContaining('formerLogKeys') },
  ]);
});
