/** Faults that count for a circuit breaker. */

import type { FaultKind } from '#core/models/providers/ports.ts';
import { breakerOutcome, retryDelayMs } from '#core/models/routing/retry.ts';

const outcome = (kind: FaultKind, status?: number) =>
  breakerOutcome({ kind, ...(status !== undefined && { status }) } as Parameters<typeof breakerOutcome>[0]);

test.each<[FaultKind, number | undefined, string]>([
  ['status', 400, 'success'],
  ['status', 429, 'success'],
  ['status', 499, 'success'],
  ['status', 500, 'fault'],
  ['status', 503, 'fault'],
  ['unreachable', undefined, 'fault'],
  ['aborted', undefined, 'nothing'],
  ['unavailable', undefined, 'nothing'],
])('[chat.breaker] %s %s is a %s', (kind, status, expected) => {
  expect(outcome(kind, status)).toBe(expected);
});

test.each<[FaultKind, number | undefined, number | undefined]>([
  ['unreachable', undefined, 100],
  ['broken', undefined, 100],
  ['status', 503, 100],
  ['status', 429, 100],
  ['status', 408, 100],
  ['status', 409, 100],
  ['status', 400, undefined],
  ['garbage', undefined, undefined],
  ['timeout', undefined, undefined],
  ['aborted', undefined, undefined],
])('[chat.breaker] a provider that responds with %s %s is called again after %s ms', (kind, status, expected) => {
  expect(retryDelayMs({ kind, status } as Parameters<typeof retryDelayMs>[0], 1, () => 0.5)).toBe(expected);
});

test('[chat.breaker] a provider whose account is out of credit is not called again', () => {
  const quota = { kind: 'status', status: 429, reason: 'quota' } as Parameters<typeof retryDelayMs>[0];
  expect(retryDelayMs(quota, 1, () => 0.5)).toBeUndefined();
});
