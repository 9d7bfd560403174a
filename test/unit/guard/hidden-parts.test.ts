/** Which parts of a page are hidden, and their extent. */
import { hiddenParts } from '#core/text/decode/hidden-parts.ts';

const hidden = (text: string): string[] => hiddenParts(text).map(({ from, to }) => text.slice(from, to));

test.each<[string, string, readonly string[]]>([
  ['closed in another case', '<Template>words</TEMPLATE> seen', ['words']],
  ['several of one name', '<i hidden>a</i><p>b</p><i hidden>c</i>', ['a', 'c']],
  ['several of two names', '<i hidden>a</i><b hidden>c</b><i hidden>d</i>', ['a', 'c', 'd']],
  ['behind a letter that grows in lower case', 'İİİ <style>words</style> seen', ['words']],
  ['never closed', '<div style="display: none">words to the end', ['words to the end']],
  ['a style without an attribute of that name', '<p/style=opacity:0;>words</p>', ['words']],
  ['a closing tag, a void tag, and a name that only begins so', '</template>a<script/>b<styles>c</styles>', []],
  ['a place instead of a style', '<a href="https://example.com/hidden">seen</a>', []],
])('[guard.results] %s', (_, text, expected) => {
  expect(hidden(text)).toEqual(expected);
});

test('[guard.fails-closed] a page of ten thousand hidden elements is parsed once', () => {
  const page = '<i hidden>a</i>'.repeat(10_000);
  expect(hiddenParts(page)).toHaveLength(10_000);
  expect(hiddenParts('<i hidden>'.repeat(10_000)).length).toBeGreaterThan(0);
});
