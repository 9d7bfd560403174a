/** The circuit breaker under every order of events: it allows one probe at a time, and always recovers. */
import fc from 'fast-check';
import {
  admit,
  type BreakerSettings,
  type BreakerState,
  type CallOutcome,
  closedBreaker,
  type Permit,
  settle,
} from '#core/models/routing/breaker.ts';

const settings = (min_requests: number, error_rate: number): BreakerSettings => ({
  min_requests,
  error_rate,
  window_seconds: 30,
  open_seconds: 15,
});

type Step =
  | { readonly type: 'call' }
  | { readonly type: 'end'; readonly which: number; readonly outcome: CallOutcome }
  | { readonly type: 'time'; readonly ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ type: 'call' as const }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('end' as const),
      which: fc.nat(),
      outcome: fc.constantFrom('success' as const, 'fault' as const, 'nothing' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('time' as const), ms: fc.integer({ min: 1, max: 40_000 }) }) },
);

class Model {
  state: BreakerState = closedBreaker;
  now = 0;
  readonly running: Permit[] = [];
  readonly settings: BreakerSettings;
  constructor(of: BreakerSettings) {
    this.settings = of;
  }

  apply(event: Step): void {
    if (event.type === 'time') this.now += event.ms;
    else if (event.type === 'call') {
      const { state, permit } = admit(this.state, this.now);
      this.state = state;
      if (permit) this.running.push(permit);
    } else if (this.running.length > 0) {
      const [permit] = this.running.splice(event.which % this.running.length, 1);
      this.state = settle(this.state, permit!, event.outcome, this.now, this.settings);
    }
  }
}

const runs = fc.array(step, { maxLength: 200 });
const settingsOf = fc
  .tuple(fc.integer({ min: 1, max: 5 }), fc.constantFrom(0.1, 0.5, 1))
  .map(([least, rate]) => settings(least, rate));

test('[chat.breaker] there is never more than one probe, and no other call is let through while it runs', () => {
  fc.assert(
    fc.property(settingsOf, runs, (of, events) => {
      const model = new Model(of);
      for (const event of events) {
        const before = model.running.length;
        const wasHalfOpen = model.state.kind === 'half-open';
        model.apply(event);
        const probes = model.running.filter(({ probe, epoch }) => probe && epoch === model.state.epoch);
        expect(probes.length).toBe(model.state.kind === 'half-open' ? 1 : 0);
        if (wasHalfOpen && event.type === 'call') expect(model.running.length).toBe(before);
      }
    }),
  );
});

test('[chat.breaker] from any state, a recovered provider is used again once the breaker has been open long enough', () => {
  fc.assert(
    fc.property(settingsOf, runs, (of, events) => {
      const model = new Model(of);
      for (const event of events) model.apply(event);
      while (model.running.length > 0) model.apply({ type: 'end', which: 0, outcome: 'nothing' });
      model.apply({ type: 'time', ms: 15_000 });
      model.apply({ type: 'call' });
      expect(model.running).toHaveLength(1);
      model.apply({ type: 'end', which: 0, outcome: 'success' });
      expect(model.state.kind).toBe('closed');
    }),
  );
});

test('[chat.breaker] the breaker opens exactly when the failure rate is reached among enough calls in the window', () => {
  fc.assert(
    fc.property(settingsOf, fc.array(fc.boolean(), { maxLength: 40 }), (of, faults) => {
      const model = new Model(of);
      let [calls, bad] = [0, 0];
      for (const isFault of faults) {
        model.apply({ type: 'call' });
        model.apply({ type: 'end', which: 0, outcome: isFault ? 'fault' : 'success' });
        calls++;
        if (isFault) bad++;
        const trips = isFault && calls >= of.min_requests && bad / calls >= of.error_rate;
        expect(model.state.kind).toBe(trips ? 'open' : 'closed');
        if (trips) return;
      }
    }),
  );
});
