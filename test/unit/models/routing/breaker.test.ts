import type { ProviderEntry } from '#core/contracts/config.ts';
import { createBreakers } from '#core/models/routing/breakers.ts';
import { providerEntry } from '../../../support/provider-entry.ts';

const entry = (more: Partial<ProviderEntry> = {}) =>
  providerEntry({
    name: 'p',
    type: 'mock',
    breaker: { min_requests: 2, error_rate: 0.5, window_seconds: 10, open_seconds: 5 },
    ...more,
  });

function world() {
  const time = { ms: 0 };
  const gauges: number[] = [];
  const counts: Record<string, string>[] = [];
  const telemetry = {
    count: (_name: string, labels: Record<string, string>) => void counts.push(labels),
    gauge: (_name: string, value: number) => void gauges.push(value),
    log: () => {},
  };
  const deps = { clock: { now: () => time.ms }, telemetry };
  const breakers = createBreakers();
  const call = (of: ProviderEntry, outcome: 'success' | 'fault' | 'nothing') => {
    const admitted = breakers.admit(of, deps);
    admitted?.settle(outcome);
    return admitted !== undefined;
  };
  return { time, gauges, counts, deps, breakers, call };
}

test('[chat.breaker] it trips on faults, refuses while open, lets one probe through, and recovers', () => {
  const { time, gauges, counts, deps, breakers, call } = world();
  const of = entry();
  expect([call(of, 'fault'), call(of, 'fault'), call(of, 'success')]).toEqual([true, true, false]);
  expect(breakers.states()).toEqual({ p: 'open' });
  time.ms += 5_000;
  const probe = breakers.admit(of, deps)!;
  expect(breakers.states()).toEqual({ p: 'half-open' });
  expect(call(of, 'success')).toBe(false);
  probe.answered();
  expect(breakers.states()).toEqual({ p: 'closed' });
  expect(counts.map(({ to }) => to)).toEqual(['open', 'half-open', 'closed']);
  expect(gauges).toEqual([1, 1, 0]);
});

test('[chat.breaker] a probe that fails opens it again; one whose caller leaves lets the next one try', () => {
  const { time, breakers, call } = world();
  const of = entry();
  call(of, 'fault');
  call(of, 'fault');
  time.ms += 5_000;
  expect(call(of, 'fault')).toBe(true);
  expect([call(of, 'success'), breakers.states().p]).toEqual([false, 'open']);
  time.ms += 5_000;
  expect(call(of, 'nothing')).toBe(true);
  expect(call(of, 'success')).toBe(true);
  expect(breakers.states().p).toBe('closed');
});

test('[chat.breaker] a probe whose stream breaks after it answered counts like any other call', () => {
  const { time, deps, breakers, call } = world();
  const of = entry();
  call(of, 'fault');
  call(of, 'fault');
  time.ms += 5_000;
  const probe = breakers.admit(of, deps)!;
  probe.answered();
  probe.settle('fault');
  expect(breakers.states().p).toBe('closed');
  call(of, 'fault');
  expect(breakers.states().p).toBe('open');
});

test('faults that lie behind the window are forgotten', () => {
  const { time, breakers, call } = world();
  const of = entry();
  call(of, 'fault');
  time.ms += 10_000;
  call(of, 'success');
  call(of, 'success');
  call(of, 'fault');
  expect(breakers.states().p).toBe('closed');
});

test('an unchanged entry keeps its breaker when the configuration is reloaded, a changed one begins again', () => {
  const { breakers, call } = world();
  const of = entry();
  call(of, 'fault');
  call(of, 'fault');
  expect(call({ ...of }, 'success')).toBe(false);
  expect(call({ ...of, base_url: 'http://elsewhere' }, 'success')).toBe(true);
  expect(breakers.states().p).toBe('closed');
});
