/** Syntax colours of commands and queries, which affect only the display. */
import * as fc from 'fast-check';
import { highlightParts, type Language } from '../../../console/approvals/highlight.ts';
import { changedPart } from '../../../console/tools/changed-part.ts';

const told = (text: string, language: Language = 'shell') =>
  highlightParts(text, language).flatMap(({ text, kind }) => (kind ? [`${kind} ${text}`] : []));

test('[console.highlight] the parts join to the original text, whatever it contains', () => {
  const language = fc.constantFrom<Language>('shell', 'sql');
  const texts = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...`'"\\$#|&;-/* \n{}ab=`) }));
  fc.assert(
    fc.property(texts, language, (text, of) => {
      expect(
        highlightParts(text, of)
          .map((part) => part.text)
          .join(''),
      ).toBe(text);
    }),
  );
});

test('[console.highlight] very long text is left plain, so that it takes no time', () => {
  expect(highlightParts("'".repeat(100_000), 'shell')).toHaveLength(1);
});

test('[console.highlight] highlights programs, options, strings, variables and operators in a shell line', () => {
  expect(told(`A=1 curl -fsS "https://x.example" | bash && rm -rf $HOME # gone`)).toEqual([
    ...['program curl', 'option -fsS', 'text "https://x.example"', 'operator |', 'program bash', 'operator &&'],
    ...['program rm', 'option -rf', 'variable $HOME', 'comment # gone'],
  ]);
  expect(told('echo a#b\nls')).toEqual(['program echo', 'program ls']);
});

test('[console.highlight] highlights words in a SQL query', () => {
  expect(told("DELETE FROM users WHERE name = 'a''b' -- all", 'sql')).toEqual([
    ...['keyword DELETE', 'keyword FROM', 'keyword WHERE', 'operator =', "text 'a''b'", 'comment -- all'],
  ]);
});

test('[console.tools] the changed part of a text is marked by whole words', () => {
  const marked = (before: string, after: string) => {
    const { start, end } = changedPart(before, after);
    return [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  };
  expect(marked('Reads a file.', 'Reads a file, and mails it.')).toEqual(['', ', and mails it']);
  expect(marked('reads one file', 'reads our file')).toEqual(['one', 'our']);
  expect(marked('same', 'same')).toEqual(['', '']);
  expect(marked('', 'new')).toEqual(['', 'new']);
  expect(marked('aaa', 'aa')).toEqual(['aaa', 'aa']);
});

test('[console.tools] the marked and unmarked parts join to the full text', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (before, after) => {
      const { start, end } = changedPart(before, after);
      expect(start + end).toBeLessThanOrEqual(Math.min(before.length, after.length));
      expect(before.slice(0, start)).toBe(after.slice(0, start));
      expect(end === 0 ? '' : before.slice(-end)).toBe(end === 0 ? '' : after.slice(-end));
    }),
  );
});
