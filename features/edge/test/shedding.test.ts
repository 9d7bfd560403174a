/** Requests that are refused when the edge is under load. */
import fc from 'fast-check';
import { isShed, loadShare, priorityOf } from '../shedding.ts';

const capacity = { max_connections: 1_000, max_event_loop_delay_ms: 100 };
const at = (connections: number, eventLoopDelayMs = 0) => ({ connections, eventLoopDelayMs });

test.each([
  [at(699), []],
  [at(700), ['low']],
  [at(0, 70), ['low']],
  [at(899), ['low']],
  [at(900), ['normal', 'low']],
  [at(0, 90), ['normal', 'low']],
  [at(5_000, 5_000), ['normal', 'low']],
])('[edge.load-shedding] at load %j, %j requests are shed', (load, expected) => {
  const shed = (['critical', 'normal', 'low'] as const).filter((priority) => isShed(priority, load, capacity));
  expect(shed).toEqual(expected);
});

test('[edge.load-shedding] critical requests are never shed, and whenever normal requests are shed, low ones are too', () => {
  fc.assert(
    fc.property(fc.nat(1e6), fc.nat(1e6), (connections, delay) => {
      const load = at(connections, delay);
      expect(isShed('critical', load, capacity)).toBe(false);
      if (isShed('normal', load, capacity)) expect(isShed('low', load, capacity)).toBe(true);
      expect(loadShare(load, capacity)).toBeGreaterThanOrEqual(connections / capacity.max_connections);
    }),
  );
});

test.each([
  ['critical', true, 'critical'],
  [' CRITICAL ', true, 'critical'],
  ['critical', false, 'normal'],
  ['low', true, 'low'],
  ['urgent', true, 'normal'],
  ['critical, critical', true, 'normal'],
  [undefined, true, 'normal'],
] as const)(
  '[edge.load-shedding] X-Priority %j from a key that may use critical (%s) becomes %s',
  (header, may, priority) => {
    expect(priorityOf(header, () => may)).toBe(priority);
  },
);

test('[edge.load-shedding] the key is looked up only for requests marked critical', () => {
  const never = () => {
    throw new Error('looked up');
  };
  expect([priorityOf(undefined, never), priorityOf('low', never), priorityOf('x', never)]).toEqual([
    'normal',
    'low',
    'normal',
  ]);
});
