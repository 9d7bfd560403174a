/** Issuer faults as callers see them, and how long a credential counts as active. */
import { brokerError, ServiceFault } from '#core/execution/credentials/fault.ts';
import { dueAfterHolder, holderSeconds, withEarlierExpiry } from '#core/execution/credentials/record.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { isoTime } from '#core/kernel/ports.ts';
import type { Loose } from '../../../support/loose.ts';
import { now } from './sample.ts';

describe('credential issuer faults', () => {
  test.each([
    ['rejected', 'forbidden', undefined],
    ['policy_too_large', 'forbidden', undefined],
    ['timeout', 'service_unavailable', 1],
    ['unreachable', 'service_unavailable', 1],
    ['throttled', 'service_unavailable', 1],
    ['unavailable', 'service_unavailable', 1],
    ['sealed', 'service_unavailable', undefined],
    ['unauthorized', 'service_unavailable', undefined],
  ] as const)('%s is %s', (kind, code, retryAfterSeconds) => {
    const error = brokerError('b', 'the vault', new ServiceFault(kind, 'a clause'));
    expect(error).toMatchObject({ code, data: { reason: kind } });
    expect(error.retryAfterSeconds).toBe(retryAfterSeconds);
    expect(error.message).toContain('the vault returned a clause.');
  });

  test('the text of other errors is not revealed, and a gateway error is passed on unchanged', () => {
    const error = brokerError('b', 'STS', new Error('token=abc'));
    expect(error).toMatchObject({
      data: { reason: 'unknown' },
      message: 'Credential broker b cannot mint: STS failed.',
    });
    const own = new GatewayError('forbidden', 'x');
    expect(brokerError('b', 'STS', own)).toBe(own);
  });
});

test('the earlier expiry applies, and a holder has at most its longest execution time plus one minute', () => {
  const record: Loose = { issued_at: isoTime(now), expires_at: isoTime(now + 1_000) };
  expect(withEarlierExpiry(record, record.expires_at)).toBe(record);
  expect(withEarlierExpiry(record, isoTime(now + 500))).toEqual({ ...record, expires_at: isoTime(now + 500) });
  expect(withEarlierExpiry(record, isoTime(now + 2_000))).toEqual({
    ...record,
    issuer_expires_at: isoTime(now + 2_000),
  });
  expect(dueAfterHolder(record)).toBe(record.expires_at);
  expect(dueAfterHolder({ ...record, expires_at: isoTime(now + 7_200_000) })).toBe(isoTime(now + holderSeconds * 1000));
});
