/** Digests of many requests in one message: contents, updates, and no lost requests. */

import { deliverUntilNoneIsDue } from '#core/approvals/notifications/deliver.ts';
import {
  type DigestTerms,
  digestOf,
  digestTerms,
  isUrgent,
  waitingText,
} from '#core/approvals/notifications/digest.ts';
import { enqueueNotifications, enqueueSubmitted } from '#core/approvals/notifications/enqueue.ts';
import type { NotificationEvent } from '#core/approvals/notifications/ports.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { Configuration } from '#core/contracts/config.ts';
import { deliverySetting } from './delivery-setting.ts';
import { sampleRow } from './sample.ts';

/** Delivers one page of due messages. */
const deliverDue = (ports: Parameters<typeof deliverUntilNoneIsDue>[0]) => deliverUntilNoneIsDue(ports, 0);

const above = 3;
const everySeconds = 60;
/** Length of the window, including the time in which the list catches up. */
const windowSeconds = everySeconds + 2;

/**
 * Sets up a tenant whose channel announces three requests individually. Its rows are found by id, and stay pending
 * until a decision is made.
 */
function setting() {
  const given = deliverySetting();
  Object.assign(given.terms, { on: true, above, everySeconds });
  const rows = new Map<string, ApprovalRow>();
  const ports = { ...given.ports, approvals: { find: async (id: string) => rows.get(id) } };
  let count = 0;
  const announce = (event: NotificationEvent, row: ApprovalRow, channels: readonly string[]) =>
    enqueueNotifications(ports, channels, event, row);
  const asked = (over: Partial<ApprovalRow> = {}): ApprovalRow => {
    const row = sampleRow({ envelope_id: `e${++count}`, ...over });
    rows.set(row.envelope_id, row);
    given.waiting.push(row);
    return row;
  };
  return {
    ...given,
    ports,
    asked,
    ask: async (many: number, over: Partial<ApprovalRow> = {}, channels = ['slack']) => {
      for (let i = 0; i < many; i++) await announce('submitted', asked(over), channels);
    },
    decide: async (many: number, channels = ['slack']) => {
      for (const row of given.waiting.splice(0, many)) {
        rows.set(row.envelope_id, { ...row, status: 'denied' });
        await announce('denied', row, channels);
      }
    },
    deliver: () => deliverUntilNoneIsDue(ports, 1_000),
    nextWindow: async () => {
      given.pass(windowSeconds);
      await deliverUntilNoneIsDue(ports, 1_000);
    },
    /** Delivers the messages due now and at the end of the window. */
    announced: async () => {
      await deliverUntilNoneIsDue(ports, 1_000);
      given.pass(windowSeconds);
      await deliverUntilNoneIsDue(ports, 1_000);
    },
  };
}

describe('[notify.digest] requests collected in a digest', () => {
  test('requests up to the limit are announced individually', async () => {
    const { ask, announced, sent, digests } = setting();
    await ask(above);
    await announced();
    expect([sent.length, digests.length]).toEqual([above, 0]);
  });

  test('requests above the limit are sent in one message when the window ends, and each counts as announced', async () => {
    const { ask, deliver, nextWindow, sent, digests, rows } = setting();
    await ask(40);
    await deliver();
    expect([sent.length, digests.length]).toEqual([0, 0]);
    await nextWindow();
    expect(sent).toEqual([]);
    expect(digests).toHaveLength(1);
    expect(digests[0]).toMatchObject({ digest: { tenant: 'default', waiting: 40 }, earlier: undefined });
    const submitted = [...rows.values()].filter(({ event }) => event === 'submitted');
    expect(submitted).toHaveLength(40);
    for (const row of submitted) expect(row).toMatchObject({ state: 'sent', receipt: { digest: digests[0]!.id } });
  });

  test('high-risk requests and those with little time left are announced individually', async () => {
    const { ask, deliver, sent, digests } = setting();
    await ask(10);
    await ask(1, { risk: { session: 3, key: 40, kill_switch: 80 } });
    await ask(1, { expires_at: '2026-01-01T00:04:00.000Z' });
    await deliver();
    expect([sent.length, digests.length]).toEqual([2, 0]);
  });

  test.each([
    ['half of the kill switch', { risk: { session: 40, key: 0, kill_switch: 80 } }, true],
    ['less than that', { risk: { session: 39, key: 39, kill_switch: 80 } }, false],
    ['244 seconds left', { expires_at: '2026-01-01T00:04:04.000Z' }, false],
    ['a second less', { expires_at: '2026-01-01T00:04:03.000Z' }, true],
  ])('urgency with %s: %o is %s', (_, over, urgent) => {
    expect(isUrgent(sampleRow(over), { on: true, above, everySeconds }, Date.UTC(2026, 0, 1))).toBe(urgent);
  });

  test('a channel without digests is notified of each request separately', async () => {
    const { ask, deliver, terms, sent, digests } = setting();
    terms.on = false;
    await ask(10);
    await deliver();
    expect([sent.length, digests.length]).toEqual([10, 0]);
  });

  test('several workers and repeated steps create only one digest', async () => {
    const { ask, ports, pass, digests } = setting();
    await ask(12);
    await Promise.all([deliverDue(ports), deliverDue(ports), deliverDue(ports)]);
    pass(windowSeconds);
    await Promise.all([deliverDue(ports), deliverDue(ports)]);
    expect(digests).toHaveLength(1);
  });

  test('if a worker dies after the digest and before its request is recorded, the request is collected again', async () => {
    const { ask, ports, deliver, pass, digests } = setting();
    await ask(5);
    const { update } = ports.deliveries;
    const dying: typeof update = async (before, after) => {
      if (after.receipt?.digest !== undefined) throw new Error('killed');
      return update(before, after);
    };
    await deliverDue({ ...ports, deliveries: { ...ports.deliveries, update: dying } });
    pass(windowSeconds);
    await deliver();
    pass(windowSeconds);
    await deliver();
    expect(digests.map(({ digest }) => digest.waiting)).toEqual([5, 5]);
    expect(digests[1]!.earlier).toMatchObject({ ts: 'digest-1' });
  });

  test('a collected request that is still pending is announced even if the others have been decided', async () => {
    const { ask, deliver, decide, nextWindow, digests } = setting();
    await ask(above + 1);
    await deliver();
    await decide(above);
    await nextWindow();
    expect(digests[0]).toMatchObject({ digest: { waiting: 1 } });
  });

  test('no digest is sent if all requests were decided before the window ended', async () => {
    const { ask, deliver, decide, nextWindow, sent, digests } = setting();
    await ask(above + 1);
    await deliver();
    await decide(above + 1);
    await nextWindow();
    await nextWindow();
    expect([sent, digests]).toEqual([[], []]);
  });

  test('at half time, an escalation channel gets a digest of the requests that are still pending', async () => {
    const { asked, ports, deliver, pass, sent, digests } = setting();
    for (let i = 0; i < 10; i++) await enqueueSubmitted(ports, ['slack'], ['slack'], asked());
    await deliver();
    expect([sent.length, digests.length]).toEqual([0, 0]);
    pass(900);
    await deliver();
    pass(windowSeconds);
    await deliver();
    expect(sent).toEqual([]);
    expect(digests[0]).toMatchObject({ digest: { waiting: 10 } });
  });
});

describe('[notify.digest] the message', () => {
  const posted = ({ digests }: ReturnType<typeof setting>) =>
    digests.map(({ digest, earlier }) => [digest.waiting, earlier?.ts ?? 'new']);

  test('is updated for new requests and decisions, and decisions are not sent individually', async () => {
    const now = setting();
    await now.ask(10);
    await now.announced();
    await now.ask(5);
    await now.announced();
    await now.decide(11);
    await now.announced();
    expect(now.sent).toEqual([]);
    expect(posted(now)).toEqual([
      [10, 'new'],
      [15, 'digest-1'],
      [4, 'digest-1'],
    ]);
  });

  test('finally says that no request is pending; later requests get a new message', async () => {
    const now = setting();
    await now.ask(10);
    await now.announced();
    await now.decide(10);
    await now.announced();
    await now.ask(4);
    await now.announced();
    expect(posted(now)).toEqual([
      [10, 'new'],
      [0, 'digest-1'],
      [4, 'new'],
    ]);
  });

  test('if more requests are pending, a new digest is sent only after 15 minutes', async () => {
    const now = setting();
    await now.ask(10);
    await now.announced();
    now.pass(16 * 60);
    await now.ask(2, { expires_at: '2026-01-01T03:00:00.000Z' });
    now.waiting.splice(0, 2);
    await now.announced();
    await now.ask(1, { expires_at: '2026-01-01T03:00:00.000Z' });
    await now.announced();
    expect(posted(now)).toEqual([
      [10, 'new'],
      [10, 'digest-1'],
      [11, 'new'],
    ]);
  });

  test('a deleted digest message is replaced on the third attempt', async () => {
    const now = setting();
    await now.ask(10);
    await now.announced();
    await now.ask(1);
    await now.deliver();
    now.faults.push(new Error('message_not_found'), new Error('message_not_found'));
    await now.nextWindow();
    now.pass(60);
    await now.deliver();
    now.pass(60);
    await now.deliver();
    expect(posted(now)).toEqual([
      [10, 'new'],
      [11, 'new'],
    ]);
  });

  test('is updated once after a decision, following the digest of the same window', async () => {
    const now = setting();
    await now.ask(10);
    await now.announced();
    await now.ask(1);
    await now.decide(1);
    await now.announced();
    expect(posted(now)).toEqual([
      [10, 'new'],
      [10, 'digest-1'],
    ]);
  });
});

describe('[notify.digest] its contents', () => {
  const at = Date.UTC(2026, 0, 1, 0, 10);
  const rows = [
    ...Array.from({ length: 12 }, (_, i) =>
      sampleRow({ envelope_id: `e${i}`, matched_rule: `r${i % 10}`, expires_at: `2026-01-01T00:${59 - i}:00.000Z` }),
    ),
    sampleRow({ envelope_id: 'grave', matched_rule: 'r1', risk: { session: 60, key: 0, kill_switch: 80 } }),
  ];
  const waiting = (all: readonly ApprovalRow[]) => ({
    list: async () => ({ items: all }),
    pendingKeys: async () => all.map(({ key_id }) => key_id),
  });

  test('counts requests by risk and rule, and lists those that expire first', async () => {
    const digest = await digestOf(waiting(rows), 'default', at);
    expect(digest).toMatchObject({ waiting: 13, counted: 13, of_other_rules: 2 });
    expect(digest.by_risk).toEqual({ low: 0, medium: 12, high: 1 });
    expect(digest.by_rule[0]).toEqual({ rule: 'r1', policy: 'pr-writer', waiting: 3 });
    expect(digest.by_rule).toHaveLength(8);
    expect(digest.requests.map(({ envelope_id }) => envelope_id).slice(0, 2)).toEqual(['grave', 'e11']);
    expect(digest.requests).toHaveLength(10);
    expect(digest).toMatchObject({ next_expires_in_seconds: 1200, next_expires_at: '2026-01-01T00:30:00.000Z' });
  });

  test('above the maximum number of rows, the total is counted from the pending keys', async () => {
    let pages = 0;
    const many = {
      list: async () => ({ items: Array.from({ length: 100 }, () => sampleRow()), cursor: String(++pages) }),
      pendingKeys: async () => Array.from({ length: 4_321 }, () => 'k'),
    };
    const digest = await digestOf(many, 'default', at);
    expect([pages, digest.counted, digest.waiting]).toEqual([10, 1_000, 4_321]);
    expect(waitingText(digest)).toBe('4321 requests are pending approval (risk of the oldest 1000: 1000 medium)');
  });
});

test('[notify.digest] a tenant can have its own digest limit', () => {
  const digest = { channels: ['slack'], above: 20, every_seconds: 90 };
  const tenants = [{ id: 'a', approval_digest_above: 0 }, { id: 'b' }];
  const configuration = { approvals: { digest }, tenants } as unknown as Configuration;
  const of = (...args: [string, string]): DigestTerms => digestTerms(configuration, ...args);
  expect(of('a', 'slack')).toEqual({ on: true, above: 0, everySeconds: 90 });
  expect(of('b', 'slack')).toEqual({ on: true, above: 20, everySeconds: 90 });
  expect(of('b', 'webhook').on).toBe(false);
});
