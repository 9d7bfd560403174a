/**
 * Harmless everyday lines under the pack `pr-writer`. `test/corpora/shell-everyday.tsv` records the decision on each
 * line before the readers knew exact options (2026-11-22); the share of allowed lines must not fall noticeably.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decideLine } from '../support/decide-line.ts';

const maxLossPoints = 3;
const rows = readFileSync(join(process.cwd(), 'test/corpora/shell-everyday.tsv'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((row) => ({ before: row.slice(0, row.indexOf('\t')), line: row.slice(row.indexOf('\t') + 1) }));

const share = (count: number): number => (100 * count) / rows.length;

describe('[pack.everyday] everyday lines', () => {
  test('the corpus contains at least 400 distinct lines', () => {
    expect(new Set(rows.map(({ line }) => line)).size).toBe(rows.length);
    expect(rows.length).toBeGreaterThanOrEqual(400);
    expect(rows.every(({ before }) => /^(?:allow|review|block)$/.test(before))).toBe(true);
  });

  test('everyday lines are allowed about as often as before, and none is blocked', async () => {
    const now = await Promise.all(rows.map(async (row) => ({ ...row, ...(await decideLine(row.line)).decision })));
    const sharePast = share(rows.filter(({ before }) => before === 'allow').length);
    const shareNow = share(now.filter(({ decision }) => decision === 'allow').length);
    const lost = now.filter(({ before, decision }) => before === 'allow' && decision !== 'allow');
    const shown = lost.map(({ line, decision, reason }) => `${decision}  ${line}    (${reason})`).join('\n');
    process.stdout.write(
      `everyday shell lines allowed: ${sharePast.toFixed(1)} % before, ${shareNow.toFixed(1)} % now, of ${rows.length}\n${shown}${shown && '\n'}`,
    );
    expect(now.filter(({ before, decision }) => before !== 'block' && decision === 'block')).toEqual([]);
    expect(shareNow).toBeGreaterThanOrEqual(sharePast - maxLossPoints);
  });
});
