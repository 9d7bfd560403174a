/** What a breaker learns from a fault. */

import type { FaultKind } from '#core/models/providers/ports.ts';
import { outcomeOf } from '#core/models/routing/retry.ts';

const outcome = (kind: FaultKind, status?: number) =>
  outcomeOf({ kind, ...(status !== undefined && { status }) } as Parameters<typeof outcomeOf>[0]);

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
