/** Draws numbers over time as short text: a bar for each interval, and a space for an empty one. */
import { count, type Fields, text } from '#core/kernel/json-fields.ts';

const bars = '▁▂▃▄▅▆▇█';
const columns = 30;

/**
 * Draws the requests in each bucket over the response's time range.
 * @param span with `from` and `to` as ISO 8601 times
 */
export function sparkline(buckets: readonly Fields[], span: Fields): string {
  const [from, to] = [Date.parse(text(span.from) ?? ''), Date.parse(text(span.to) ?? '')];
  if (!(to > from)) return '';
  const sums = new Array<number>(columns).fill(0);
  for (const { timestamp, requests } of buckets) {
    const share = (Date.parse(text(timestamp) ?? '') - from) / (to - from);
    const column = Math.min(columns - 1, Math.max(0, Math.floor(share * columns)));
    if (Number.isInteger(column)) sums[column]! += count(requests);
  }
  const most = Math.max(...sums);
  return sums.map((sum) => (sum === 0 ? ' ' : bars[Math.ceil((sum / most) * bars.length) - 1])).join('');
}
