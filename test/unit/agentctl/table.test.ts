/** Tables on a terminal: widths, truncated cells, relative times. */
import { columnGap, fittedWidths, relativeTime, shortenCell } from '../../../bin/agentctl/table.ts';

const id = '01a2147e-cb1f-75d4-9e11-5d5f4ff963c8';
const digest = 'a'.repeat(64);

describe('[cli.output-forms] widths', () => {
  const total = (widths: readonly number[]) =>
    widths.reduce((sum, each) => sum + each, 0) + columnGap * (widths.length - 1);

  test('are the widths of the cells if everything fits', () => {
    expect(
      fittedWidths(
        [
          ['a', 'bb'],
          ['ccc', 'd'],
        ],
        80,
      ),
    ).toEqual([3, 2]);
    expect(fittedWidths([], 80)).toEqual([]);
  });

  test.each([40, 60, 80, 120])('the widest column is truncated so that the table fits %d characters', (width) => {
    const widths = fittedWidths([['time', 'x'.repeat(30), 'y'.repeat(200)]], width);
    expect(total(widths)).toBe(width);
    expect(widths[0]).toBe(4);
    expect(widths[2]).toBeGreaterThanOrEqual(widths[1]!);
  });

  test('ids, digests and times are never truncated, however narrow the terminal is', () => {
    expect(fittedWidths([['22 min ago', 'x'.repeat(90)]], 30)).toEqual([10, 18]);
    expect(fittedWidths([[id, 'x'.repeat(90)]], 50)).toEqual([36, 12]);
    expect(fittedWidths([[digest, 'x'.repeat(90)]], 40)).toEqual([64, 8]);
    expect(
      fittedWidths(
        [
          ['header', 'x'.repeat(90)],
          [id, 'y'],
        ],
        50,
      )[0],
    ).toBe(36);
  });
});

test('[cli.output-forms] a truncated cell is marked, and one that fits is unchanged', () => {
  expect([shortenCell('shell.rm', 8), shortenCell('shell.rmdir', 8), shortenCell('😀😀😀', 2)]).toEqual([
    'shell.rm',
    'shell.r…',
    '😀…',
  ]);
});

test.each([
  ['2026-11-25T20:00:00.000Z', 'now'],
  ['2026-11-25T19:59:30Z', '30 s ago'],
  ['2026-11-25T19:57:01.000Z', '2 min ago'],
  ['2026-11-25T17:00:00.000Z', '3 h ago'],
  ['2026-11-20T17:00:00.000Z', '5 d ago'],
  ['2026-11-25T20:24:00.000Z', 'in 24 min'],
  ['2026-11-25', '2026-11-25'],
  ['rm 2026-11-25T20:24:00.000Z', 'rm 2026-11-25T20:24:00.000Z'],
])('[cli.output-forms] the cell %s is shown as %s', (cell, shown) => {
  expect(relativeTime(cell, Date.parse('2026-11-25T20:00:00.000Z'))).toBe(shown);
});
