/** Which reads a time range needs: whole hours as hours, and the rest as minutes. */
import type { Dimension } from '#core/observatory/dimensions.ts';
import type { BucketQuery } from '#core/observatory/ports.ts';
import { sumsBetween } from '#core/observatory/sums-between.ts';

const now = Date.parse('2026-01-02T10:30:20.000Z');

async function readsOf(from: string, to: string, step: '1m' | '5m' | '1h' = '1h', dimension: Dimension = 'model:m') {
  const reads: string[] = [];
  const noted = (width: string) => async (_scope: string, query: BucketQuery) => {
    reads.push(`${width} ${query.from.slice(5, 16)} to ${query.to.slice(5, 16)}`);
    return [];
  };
  const query = { dimension, step, from: `2026-01-${from}.000Z`, to: `2026-01-${to}.000Z` };
  await sumsBetween({ minutes: noted('minutes'), hours: noted('hours') }, 'default', query, now);
  return reads;
}

describe('[admin.analytics] sums over a time range', () => {
  test.each([
    ['whole hours', '01T08:00:00', '01T09:59:00', ['hours 01-01T08:00 to 01-01T09:59']],
    [
      'both edges',
      '01T08:15:30',
      '01T10:20:00',
      ['minutes 01-01T08:15 to 01-01T08:59', 'hours 01-01T09:00 to 01-01T09:59', 'minutes 01-01T10:00 to 01-01T10:20'],
    ],
    ['less than an hour', '01T08:15:00', '01T08:45:00', ['minutes 01-01T08:15 to 01-01T08:45']],
    ['two parts of hours', '01T08:15:00', '01T09:10:00', ['minutes 01-01T08:15 to 01-01T09:10']],
    ['until now', '02T09:00:00', '02T10:30:20', ['hours 01-02T09:00 to 01-02T10:59']],
    [
      'until the minute before',
      '02T09:00:00',
      '02T10:29:00',
      ['hours 01-02T09:00 to 01-02T09:59', 'minutes 01-02T10:00 to 01-02T10:29'],
    ],
  ])('%s', async (_, from, to, expected) => {
    expect(await readsOf(from, to)).toEqual(expected);
  });

  test('shorter steps and data plane queries use only minutes', async () => {
    const minutes = ['minutes 01-01T08:00 to 01-01T09:59'];
    expect(await readsOf('01T08:00:00', '01T09:59:00', '5m')).toEqual(minutes);
    expect(await readsOf('01T08:00:00', '01T09:59:00', '1h', 'plane:eu')).toEqual(minutes);
  });
});
