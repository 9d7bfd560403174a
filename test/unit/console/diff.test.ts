/** Differences as reviewers see them: complete, aligned, and explicit about anything that cannot be shown. */
import fc from 'fast-check';
import { differenceOf, linesOf, type Row, sectionsOf, sideBySide } from '../../../console/approvals/diff.ts';

const shown = (rows: readonly Row[]) =>
  rows.map(({ kind, text }) => `${{ same: ' ', added: '+', removed: '-' }[kind]}${text}`);
const marked = ({ text, changed }: Row) => changed && text.slice(...changed);

describe('[console.card] differences', () => {
  test('old lines precede new ones, and changes within a line are marked', () => {
    const { rows, added, removed, notes } = differenceOf(
      'const a = 1;\nreturn a;\nend\n',
      'const a = 2;\nreturn a;\nend\n',
    );
    expect(shown(rows)).toEqual(['-const a = 1;', '+const a = 2;', ' return a;', ' end']);
    expect(rows.map(marked)).toEqual(['1', '2', undefined, undefined]);
    expect([added, removed, notes]).toEqual([1, 1, []]);
    expect(rows.map(({ before, after }) => [before, after])).toEqual([
      [1, undefined],
      [undefined, 1],
      [2, 2],
      [3, 3],
    ]);
  });

  test('all lines are new if there is no old text', () => {
    expect(shown(differenceOf(undefined, 'a\nb\n').rows)).toEqual(['+a', '+b']);
    expect(differenceOf(undefined, '').rows).toEqual([]);
  });

  test('changed line endings are shown and named', () => {
    const { rows, notes } = differenceOf('a\nb\n', 'a\r\nb\r\n');
    expect(shown(rows)).toEqual(['-a', '-b', '+a\r', '+b\r']);
    expect(notes).toEqual(['Line endings change from LF to CRLF.']);
    expect(differenceOf(undefined, 'a\r\nb\r\n').notes).toEqual(['Line endings are CRLF: CR is shown as \\u{d}.']);
    expect(differenceOf('a\r\nb\r\n', 'a\r\nc\r\n').notes).toEqual(['Line endings are CRLF: CR is shown as \\u{d}.']);
    expect(differenceOf('a\nb\n', 'a\nc\n').notes).toEqual([]);
  });

  test('a missing final newline is reported, and a line that differs only in its newline is shown', () => {
    expect(differenceOf('a\n', 'a').notes).toEqual(['No newline after the last line.']);
    expect(shown(differenceOf('a\n', 'a').rows)).toEqual(['-a', '+a']);
    expect(differenceOf('a', 'a\n').notes).toEqual(['A newline is added after the last line.']);
    expect(differenceOf('a', 'b').notes).toEqual([]);
  });

  test('binary content is reported as binary; tabs, terminal escapes and umlauts do not make text binary', () => {
    expect(differenceOf(undefined, 'PK\u0003\u0004\u0000').notes[0]).toMatch(/^This is not plain text/);
    expect(differenceOf('\u0000', 'plain\n').notes[0]).toMatch(/^This is not plain text/);
    expect(differenceOf('a\tb\n', '\u001b[1mä\n').notes).toEqual([]);
  });

  test('characters that reorder text are kept, so that the page can show their codes', () => {
    const { rows } = differenceOf('if (a) {\n', 'if (a) { \u202e\n');
    expect(rows.map(({ text }) => text)).toEqual(['if (a) {', 'if (a) { \u202e']);
    expect(marked(rows[1]!)).toBe(' \u202e');
  });

  test('redactions of the same value do not look like a change, and are reported as not compared', () => {
    const { rows, notes } = differenceOf('key=[redacted:aa:bb]\n', 'key=[redacted:cc:dd]\nmore\n');
    expect(shown(rows)).toEqual([' key=[redacted]', '+more']);
    expect(notes).toEqual(['Parts that are redacted are shown as [redacted] and not compared.']);
  });

  test('10,000 lines that all differ are shown in full, with the old ones first', () => {
    const text = (word: string) => Array.from({ length: 10_000 }, (_, at) => `${word} ${at}\n`).join('');
    const { rows, added, removed } = differenceOf(text('old'), text('new'));
    expect([rows.length, added, removed]).toEqual([20_000, 10_000, 10_000]);
    expect([rows[0]!.text, rows[10_000]!.text]).toEqual(['old 0', 'new 0']);
  });

  test('a change among 10,000 identical lines is detected, and the unchanged lines are folded', () => {
    const lines = Array.from({ length: 10_000 }, (_, at) => `line ${at}`);
    const changed = lines.with(5_000, 'rm -rf /');
    const sections = sectionsOf(differenceOf(`${lines.join('\n')}\n`, `${changed.join('\n')}\n`).rows);
    expect(sections.map(({ folded, rows }) => [folded, rows.length])).toEqual([
      [true, 4_997],
      [false, 8],
      [true, 4_996],
    ]);
  });

  const line = fc.constantFrom('a', 'b', 'c', '', 'x y', 'a\r');
  const text = fc
    .tuple(fc.array(line, { maxLength: 12 }), fc.boolean())
    .map(([lines, ends]) => lines.join('\n') + (ends && lines.length > 0 ? '\n' : ''));

  test('the rows contain both texts completely and in order, in the folded and side-by-side views', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { rows } = differenceOf(before, after);
        const of = (kinds: readonly string[]) => rows.filter(({ kind }) => kinds.includes(kind)).map((row) => row.text);
        expect(of(['same', 'removed'])).toEqual(linesOf(before));
        expect(of(['same', 'added'])).toEqual(linesOf(after));
        expect(sectionsOf(rows).flatMap((section) => section.rows)).toEqual(rows);
        const pairs = sideBySide(rows);
        expect(pairs.flatMap(([old]) => (old ? [old.text] : []))).toEqual(linesOf(before));
        expect(pairs.flatMap(([, fresh]) => (fresh ? [fresh.text] : []))).toEqual(linesOf(after));
      }),
    );
  });
});
