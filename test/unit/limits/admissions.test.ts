/** Limits on requests per second per key and on wrong keys per address, with a manual clock. */
import { GatewayError } from '#core/kernel/errors.ts';
import { Admissions } from '#core/limits/admissions.ts';

const started = () => {
  const clock = { time: 1_000_000, now: () => clock.time };
  return { clock, admissions: new Admissions(clock) };
};

/** Returns how often `work` succeeded before it was refused. */
function before429(work: () => void, most = 1_000): number {
  for (let n = 0; n < most; n++) {
    try {
      work();
    } catch (fault) {
      expect(fault).toMatchObject({ code: 'rate_limit_error', retryAfterSeconds: 1 });
      return n;
    }
  }
  return most;
}

test('[admin.rate-limit] a key gets a burst worth five seconds and then its rate, independently of other keys', () => {
  const { clock, admissions } = started();
  const send = () => admissions.request('key-1', 50);
  expect(before429(send)).toBe(250);
  clock.time += 1_000;
  expect(before429(send)).toBe(50);
  expect(before429(() => admissions.request('key-2', 50))).toBe(250);
  clock.time += 3_600_000;
  expect(before429(send)).toBe(250);
});

test('[auth.before-body] failed key checks are counted per address, and per /64 for IPv6', () => {
  const { clock, admissions } = started();
  expect(before429(() => admissions.failed('10.0.0.1'))).toBe(100);
  expect(before429(() => admissions.failed('10.0.0.2'))).toBe(100);
  let n = 0;
  expect(before429(() => admissions.failed(`2001:db8:1:2:${(n++).toString(16)}::1`))).toBe(100);
  clock.time += 5_000;
  expect(before429(() => admissions.failed('10.0.0.1'))).toBe(5);
});

test('[auth.before-body] above the limit, a key used earlier from the same address is accepted, and any other key is refused', () => {
  const { clock, admissions } = started();
  admissions.succeeded('10.0.0.1', 'worker');
  before429(() => admissions.failed('10.0.0.1'));
  admissions.succeeded('10.0.0.1', 'worker');
  expect(() => admissions.succeeded('10.0.0.1', 'guessed')).toThrow(GatewayError);
  admissions.succeeded('10.0.0.2', 'guessed');
  clock.time += 1_000;
  admissions.succeeded('10.0.0.1', 'guessed');
});

test('[alert.thresholds] refusals are counted until the count is read', () => {
  const { admissions } = started();
  expect(admissions.takeRefused()).toBe(0);
  admissions.failed('10.0.0.1');
  admissions.failed('10.0.0.2');
  expect([admissions.takeRefused(), admissions.takeRefused()]).toEqual([2, 0]);
});

test('[auth.before-body] addresses with different /64 prefixes are counted separately', () => {
  const { admissions } = started();
  expect(before429(() => admissions.failed('2001:db8:1:2::1'))).toBe(100);
  for (const other of ['2002:db8:1:2::1', '2001:db8:1:3::1'])
    expect(before429(() => admissions.failed(other))).toBe(100);
});
