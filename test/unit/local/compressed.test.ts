/** Which coding a client prefers. */
import { preferred } from '../../../bin/local/compressed.ts';

test.each([
  [undefined, undefined],
  ['', undefined],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['br;q=0.5, gzip;q=0.8', 'gzip'],
  ['identity', undefined],
  ['identity, gzip;q=0.5', undefined],
  ['*', 'br'],
  ['*;q=0', undefined],
  ['br;q=0, *', 'gzip'],
  ['deflate', undefined],
  ['br;q=high', undefined],
] as const)('[console.compressed] Accept-Encoding %j: %s', (header, coding) => {
  expect(preferred(header)).toBe(coding);
});
