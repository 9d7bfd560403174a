/** Progress output for long work, on a terminal only. */
import { text } from 'node:stream/consumers';
import { countedBytes, progressLine, progressOf, type Terminal } from '../../bin/agentctl/progress.ts';

function screen(isTTY: boolean) {
  const written: string[] = [];
  const terminal: Terminal = { isTTY, columns: 40, write: (text) => void written.push(text) };
  return { written, terminal };
}

describe('[cli.output-forms] progress', () => {
  test('shows the count, rate and remaining time, and clears the line at the end', () => {
    const { written, terminal } = screen(true);
    let ms = 0;
    const progress = progressOf('entries', { total: 10_000, terminal, now: () => ms });
    for (let n = 0; n < 4; n++) {
      ms += 1_000;
      progress.add(1_000);
    }
    progress.end();
    expect(written).toEqual([
      '\r\u001b[K1,000 of 10,000 entries, 1,000/s, 9 s le'.slice(0, 4 + 39),
      '\r\u001b[K2,000 of 10,000 entries, 1,000/s, 8 s le'.slice(0, 4 + 39),
      '\r\u001b[K3,000 of 10,000 entries, 1,000/s, 7 s le'.slice(0, 4 + 39),
      '\r\u001b[K4,000 of 10,000 entries, 1,000/s, 6 s le'.slice(0, 4 + 39),
      '\r\u001b[K',
    ]);
  });

  test('writes nothing without a terminal or if the work is short', () => {
    const log = screen(false);
    let ms = 0;
    const unseen = progressOf('entries', { terminal: log.terminal, now: () => ms });
    ms = 60_000;
    unseen.add(5);
    unseen.end();
    const short = screen(true);
    ms = 0;
    const quick = progressOf('entries', { terminal: short.terminal, now: () => ms });
    ms = 499;
    quick.add(5);
    quick.end();
    expect([log.written, short.written]).toEqual([[], []]);
  });

  test('redraws at most ten times per second', () => {
    const { written, terminal } = screen(true);
    let ms = 1_000;
    const progress = progressOf('entries', { terminal, now: () => ms });
    for (; ms < 3_000; ms += 10) progress.add();
    expect(written).toHaveLength(15);
  });

  test.each([
    ['entries', 41_000, 10, undefined, '41,000 entries, 4,100/s'],
    ['entries', 50, 10, 5_000, '50 of 5,000 entries, 5/s, 16 min 30 s left'],
    ['sessions', 1, 10, 2_000, '1 of 2,000 sessions, 0/s, 5 h 33 min left'],
    ['entries', 0, 10, 100, '0 of 100 entries, 0/s'],
    ['bytes', 12_345_678, 10, 24_691_356, '12.3 of 24.7 MB, 1.2 MB/s, 10 s left'],
  ])('progress in %s: %s after %s s of %s', (unit, count, seconds, total, line) => {
    expect(progressLine(unit, count, seconds, total)).toBe(line);
  });

  test('counting leaves the chunks unchanged, and an error clears the line', async () => {
    const pieces = [Buffer.from('ab'), Buffer.from('cde')];
    const counts: (number | string)[] = [];
    const progress = { add: (n = 1) => void counts.push(n), set() {}, end: () => void counts.push('end') };
    const seen: Uint8Array[] = [];
    for await (const piece of countedBytes(pieces, progress)) seen.push(piece);
    expect([seen, counts]).toEqual([pieces, [2, 3, 'end']]);
    async function* broken() {
      yield pieces[0]!;
      throw new Error('cut');
    }
    await expect(text(countedBytes(broken(), progress))).rejects.toThrow('cut');
    expect(counts.slice(3)).toEqual([2, 'end']);
  });
});
