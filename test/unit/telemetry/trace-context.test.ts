import { isSampled, traceContextOf, traceparent, tracestate } from '#core/kernel/trace-context.ts';

const trace = '0af7651916cd43dd8448eb211c80319c';
const span = 'b7ad6b7169203331';
const valid = `00-${trace}-${span}-01`;
const continued = { traceId: trace, parentId: span, sampled: true, random: false, tracestate: undefined };

describe('traceparent', () => {
  test.each([
    ['version 00', valid, continued],
    ['not sampled', `00-${trace}-${span}-00`, { ...continued, sampled: false }],
    ['a random id', `00-${trace}-${span}-03`, { ...continued, random: true }],
    ['bits nobody has defined', `00-${trace}-${span}-fd`, continued],
    ['a higher version', `01-${trace}-${span}-01`, continued],
    ['a higher version with more fields', `cc-${trace}-${span}-01-what-the-future-will-be`, continued],
  ])('%s is continued', (_what, header, context) => {
    expect(traceContextOf({ traceparent: header })).toEqual(context);
  });

  const [zeros, capitals] = ['0'.repeat(32), `00-${trace.toUpperCase()}-${span}-01`];
  test.each([
    ...[
      undefined,
      '',
      `ff-${trace}-${span}-01`,
      `00-${zeros}-${span}-01`,
      `00-${trace}-${'0'.repeat(16)}-01`,
      capitals,
    ],
    ...[`00-${trace}-${span.toUpperCase()}-01`, `${valid}-00`, `${valid}-`, `01-${trace}-${span}-01what`],
    ...[`00-${trace.slice(1)}-${span}-01`, `00-${trace}-${span}0-01`, `00-${trace}-${span}`, `00-${trace}-${span}-1`],
    ...[`00-${trace}-${span}-0x`, `0-${trace}-${span}-01`, `${valid},${valid}`, `${valid}\n`],
  ])('%j starts a new trace without tracestate', (header) => {
    expect(traceContextOf({ traceparent: header, tracestate: 'a=1' })).toBeUndefined();
  });

  test('only known flags are forwarded', () => {
    expect(traceparent(trace, span, { sampled: true, random: true })).toBe(`00-${trace}-${span}-03`);
    expect(traceparent(trace, span, { sampled: false, random: false })).toBe(`00-${trace}-${span}-00`);
  });
});

describe('tracestate', () => {
  const others = (header: string) => traceContextOf({ traceparent: valid, tracestate: header })?.tracestate;

  test.each([
    ['rojo=00f067aa0ba902b7,congo=t61rcWkgMzE', 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE'],
    ['foo=1 , \t bar=2, ,baz=3', 'foo=1,bar=2,baz=3'],
    ['fw529a3039@dt=FfAAAg,a=b c', 'fw529a3039@dt=FfAAAg,a=b c'],
    ['agg=00f067aa0ba902b7,rojo=1', 'rojo=1'],
  ])('%j is forwarded as %j', (header, passed) => {
    expect(others(header)).toBe(passed);
  });

  test.each([
    ...['foo', '=1', 'foo=', 'Foo=1', 'foo=1=2', 'foo=\u00fc', 'a=1,foo', '', 'agg=1'],
    ...[`${'k'.repeat(257)}=1`, `k=${'v'.repeat(257)}`, Array.from({ length: 33 }, (_, i) => `k${i}=1`).join(',')],
  ])('%j is dropped entirely', (header) => {
    expect(others(header)).toBeUndefined();
  });

  test('the gateway’s member comes first, and the list never exceeds 32 members', () => {
    const full = Array.from({ length: 32 }, (_, i) => `k${i}=1`);
    const list = tracestate(full.join(','), span).split(',');
    expect(list).toEqual([`agg=${span}`, ...full.slice(0, 31)]);
  });

  test('above 512 characters, long members are dropped first, and then the oldest', () => {
    const long = `long=${'v'.repeat(200)}`;
    const short = Array.from({ length: 30 }, (_, i) => `k${i}=${'v'.repeat(10)}`);
    const list = tracestate([long, ...short].join(','), span);
    expect(list.length).toBeLessThanOrEqual(512);
    expect(list).not.toContain('long=');
    expect(list.startsWith(`agg=${span},k0=`)).toBe(true);
    expect(tracestate([long, 'a=1'].join(','), span)).toBe(`agg=${span},${long},a=1`);
  });
});

describe('X-Ray', () => {
  const root = `Root=1-${trace.slice(0, 8)}-${trace.slice(8)}`;

  test.each([
    ['with parent and decision', `${root};Parent=${span};Sampled=1`, continued],
    ['of an untraced function', `${root};Parent=${span};Sampled=0`, { ...continued, sampled: undefined }],
    ['of API Gateway', root, { ...continued, parentId: undefined, sampled: undefined }],
    ['with spaces and lineage', `${root}; Parent=${span}; Sampled=1;Lineage=a:0`, continued],
    [
      'with a zero parent',
      `${root};Parent=${'0'.repeat(16)}`,
      { ...continued, parentId: undefined, sampled: undefined },
    ],
  ])('a header %s is parsed into the same trace id', (_what, xray, context) => {
    expect(traceContextOf({ xray })).toEqual(context);
  });

  test.each(['', 'Root=', 'Root=1-abc-def', `Parent=${span}`, 'Root=1-00000000-000000000000000000000000', ';;=;'])(
    '%j contains no trace id',
    (xray) => {
      expect(traceContextOf({ xray })).toBeUndefined();
    },
  );

  test('is used if traceparent is malformed, but not if traceparent is valid', () => {
    const xray = `Root=1-11111111-222222222222222222222222;Parent=${span}`;
    expect(traceContextOf({ traceparent: valid, xray })?.traceId).toBe(trace);
    expect(traceContextOf({ traceparent: 'none', tracestate: 'a=1', xray })).toMatchObject({
      traceId: '11111111222222222222222222222222',
      tracestate: undefined,
    });
  });
});

describe('sampling', () => {
  const ids = Array.from({ length: 4096 }, (_, i) => `${'a'.repeat(29)}${i.toString(16).padStart(3, '0')}`)
    // The digits that determine sampling, spread over their range.
    .map((id) => id.slice(0, 19) + id.slice(-3) + '0'.repeat(10));

  test.each([0, 0.1, 0.5, 1])('a sampling rate of %d selects that share of the traces', (rate) => {
    const taken = ids.filter((id) => isSampled(id, rate)).length;
    expect(taken).toBe(Math.ceil(rate * ids.length));
  });
});
