/** An approval's row compared with the session's chain: votes without evidence do not count. */
import type { UnusableReason } from '#core/approvals/approval.ts';
import { isVoteInEvidence } from '#core/approvals/vote-in-evidence.ts';
import { signedVote } from '#core/approvals/vote-signature.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { ChainPoint, EntryDraft, EvidenceEntry } from '#core/contracts/evidence.ts';
import { draft, seal, signer } from '../evidence/sample.ts';

const id = '01890000-0000-7000-8000-000000000001';
const call_digest = 'ab'.repeat(32);
const rule = 'git:scm.create_*';
const until = '2026-01-02T04:00:00.000Z';
const now = Date.parse('2026-01-02T03:30:00.000Z');

const review = draft('review', { call_digest, matched_rule: rule }, 1);
const approve = (over: object = {}): Promise<EntryDraft> =>
  signedVote(
    draft('approve', { approval_id: id, call_digest, matched_rule: rule, use_expires_at: until, ...over }, 2),
    signer,
  );
const deny = draft('deny', { approval_id: id, call_digest }, 2);
const use = draft('allow', { call_digest, matched_rule: `approved:${id}` }, 3);

const row = (over: Partial<ApprovalRow> = {}): ApprovalRow =>
  ({
    tenant: 'default',
    session_id: 's-1',
    envelope_id: id,
    call_digest,
    matched_rule: rule,
    status: 'approved',
    evidence_index: 1,
    ...over,
  }) as ApprovalRow;

interface Given {
  readonly drafts: readonly EntryDraft[];
  readonly why?: UnusableReason;
  readonly over?: Partial<ApprovalRow>;
  /** The row as returned by a second read. */
  readonly later?: Partial<ApprovalRow>;
  readonly at?: number;
  readonly digest?: string;
  readonly change?: (entries: EvidenceEntry[]) => EvidenceEntry[];
  readonly fixed?: (entries: readonly EvidenceEntry[]) => ChainPoint;
}

const stored = (entries: readonly EvidenceEntry[]) =>
  async function* (_tenant: string, _session: string, from = 0) {
    yield* entries.filter(({ index }) => index >= from);
  };

async function stands({ drafts, why, over, later, at = now, digest = call_digest, change, fixed }: Given) {
  const sealed = seal(drafts).entries;
  const entries = change ? change(sealed) : sealed;
  const counted: string[] = [];
  const stood = await isVoteInEvidence(
    {
      evidence: { rows: stored(entries), entries: stored(entries) },
      approvals: { get: async () => row({ ...over, ...later }) },
      telemetry: { count: (name: string) => void counted.push(name), log: () => undefined } as never,
      clock: { now: () => at },
      votes: signer,
      checkpoints: fixed && { last: async () => ({ point: fixed(sealed), created_at: '', key_id: '' }) },
    },
    row(over),
    why,
    digest,
  );
  // Each unproven claim is counted, so that it raises an alarm.
  expect(counted).toEqual(stood ? [] : ['svc_approvals_unproven_total']);
  return stood;
}

const pointAt = (entries: readonly EvidenceEntry[], at: number, hash = entries[at]!.hash): ChainPoint => ({
  tenant: 'default',
  session_id: 's-1',
  index: at,
  hash,
});

describe('[approval.evidence-decides] an approval', () => {
  test('counts if its signed vote is in the evidence chain', async () => {
    expect(await stands({ drafts: [review, await approve()] })).toBe(true);
  });

  test.each<[string, () => Promise<Given>]>([
    ['no vote', async () => ({ drafts: [review, review] })],
    [
      'a vote without signature',
      async () => ({ drafts: [review, draft('approve', { approval_id: id, call_digest }, 2)] }),
    ],
    ['a vote on another request', async () => ({ drafts: [review, await approve({ approval_id: 'other' })] })],
    ['a vote on another call', async () => ({ drafts: [review, await approve({ call_digest: 'cd'.repeat(32) })] })],
    ['a vote under another rule', async () => ({ drafts: [review, await approve({ matched_rule: 'git:*' })] })],
    ['a denial', async () => ({ drafts: [review, deny] })],
    ['another call at hand', async () => ({ drafts: [review, await approve()], digest: 'cd'.repeat(32) })],
    ['a vote whose time is over', async () => ({ drafts: [review, await approve()], at: Date.parse(until) })],
    ['a vote without an end', async () => ({ drafts: [review, await approve({ use_expires_at: undefined })] })],
    ['a vote that was used', async () => ({ drafts: [review, await approve(), use] })],
    [
      'a vote that was changed',
      async () => ({
        drafts: [review, await approve()],
        change: ([first, vote]) => [first!, { ...vote!, body: { ...vote!.body, reviewer: 'mallory' } }],
      }),
    ],
    [
      'a gap behind the vote',
      async () => ({ drafts: [review, await approve(), review, review], change: (all) => all.toSpliced(2, 1) }),
    ],
    [
      'an end that was cut off',
      async () => ({
        drafts: [review, await approve(), use],
        change: (all) => all.slice(0, 2),
        fixed: (all) => pointAt(all, 2),
      }),
    ],
    [
      'another entry than the checkpoint fixed',
      async () => ({ drafts: [review, await approve()], fixed: (all) => pointAt(all, 1, 'cd'.repeat(32)) }),
    ],
  ])('a vote is not proven if there is %s', async (_what, given) => {
    expect(await stands(await given())).toBe(false);
  });

  test('counts if the checkpoint matches its chain', async () => {
    expect(await stands({ drafts: [review, await approve(), review], fixed: (all) => pointAt(all, 2) })).toBe(true);
  });

  test('an approval used by another call between two reads does not count as unproven', async () => {
    const drafts = [review, await approve(), use];
    expect(await stands({ drafts, later: { status: 'executing' } })).toBe(true);
    expect(await stands({ drafts: [review, review], later: { status: 'executing' } })).toBe(false);
  });

  test.each<[UnusableReason, Partial<ApprovalRow>]>([
    ['denied', { status: 'denied' }],
    ['withdrawn', { status: 'denied' }],
    ['expired', { status: 'denied' }],
  ])('a request that is %s needs the evidence entry of its denial', async (why, over) => {
    expect(await stands({ drafts: [review, deny], why, over })).toBe(true);
    expect(await stands({ drafts: [review, await approve()], why, over })).toBe(false);
  });

  test('collecting the result of an approval needs the evidence entry of its use, whatever its age', async () => {
    const collected = { why: 'already_used', over: { status: 'consumed', executed_by: 'gateway' } } as const;
    expect(await stands({ drafts: [review, await approve(), use], ...collected, at: now + 1e9 })).toBe(true);
    expect(await stands({ drafts: [review, await approve()], ...collected })).toBe(false);
    const byCaller = { why: 'already_used', over: { status: 'consumed', executed_by: 'caller' } } as const;
    expect(await stands({ drafts: [review], ...byCaller })).toBe(true);
  });

  test('a pending request needs no vote', async () => {
    expect(await stands({ drafts: [review], why: 'pending', over: { status: 'pending' } })).toBe(true);
  });
});
