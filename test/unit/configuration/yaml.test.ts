/** YAML that is invalid, or whose aliases would expand exponentially. */
import { maxYamlBytes, readYaml } from '#core/configuration/load/yaml.ts';

test('a syntax error names the line without quoting the text', () => {
  for (const text of [
    'version: 1\nkey: "s3cret\n',
    'version: 1\n`s3cret\nkey: "s3cret"\n  s3cret: 1\n',
    'key: | s3cret\n',
    'a: 1\n]\ns3cret: [1\n',
  ]) {
    expect(() => readYaml(text, 'The configuration')).toThrow(/^The configuration is not valid YAML: line \d/);
    expect(() => readYaml(text, 'The configuration')).not.toThrow(/s3cret/);
  }
});

test('of many syntax errors, the first five are reported', () => {
  const text = `${Array.from({ length: 20 }, (_, at) => `k${at}: "a" b`).join('\n')}\n`;
  expect(() => readYaml(text, 'It')).toThrow(/^It is not valid YAML: (?:line \d+: [^;]+; ){5}and \d+ more/);
});

test('a duplicate key is refused', () => {
  expect(() => readYaml('a: 1\na: 2', 'It')).toThrow('It is not valid YAML: line 2');
});

test('text in another encoding is refused, but an escaped replacement character is allowed', () => {
  const latin1 = Buffer.from('a: 1\nkeywords: [caf\u00e9]\n', 'latin1').toString('utf8');
  expect(() => readYaml(latin1, 'It')).toThrow('It: line 2: found bytes that are not UTF-8, allowed a file in UTF-8');
  const utf16 = Buffer.from('\ufeffa: 1\n', 'utf16le').toString('utf8');
  expect(() => readYaml(utf16, 'It')).toThrow('It: line 1: found bytes that are not UTF-8');
  expect(readYaml('a: café\nb: "\\uFFFD"', 'It').value).toEqual({ a: 'café', b: '\ufffd' });
});

test('a second document is refused', () => {
  expect(() => readYaml('a: 1\n---\nb: 2\n', 'It')).toThrow(
    'It is not valid YAML: line 2: found a second document, allowed one; remove the line "---".',
  );
  expect(readYaml('---\na: 1\n', 'It').value).toEqual({ a: 1 });
});

test('aliases that expand exponentially are refused before expansion', () => {
  const laughs = [
    'a0: &a0 [lol, lol]',
    ...Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`),
  ].join('\n');
  expect(() => readYaml(laughs, 'It')).toThrow('the anchor &a1 itself contains an alias');
  const wide = `big: &big "${'x'.repeat(50_000)}"\nlist: [${'*big, '.repeat(30)}]`;
  expect(() => readYaml(wide, 'It')).toThrow('aliases repeat more than');
});

test('a value that contains itself is refused', () => {
  expect(() => readYaml('a: &a [*a]', 'It')).toThrow('itself contains an alias');
});

test('simple aliases work, and line numbers are found by path', () => {
  const document = readYaml('a: &a { x: 1 }\nlist:\n  - *a\n  - y: 2\n', 'It');
  expect(document.value).toEqual({ a: { x: 1 }, list: [{ x: 1 }, { y: 2 }] });
  expect(document.lineOf(['list', 1, 'y'])).toBe(4);
  expect(document.lineOf(['list', 1, 'missing'])).toBe(4);
});

test.each([101, 1_000, 5_000, 20_000])(
  'lists nested %i levels deep are refused because they exceed the maximum depth',
  (depth) => {
    const refusal = 'It: found lists and objects nested too deep, allowed at most 100 levels.';
    expect(() => readYaml(`a: ${'['.repeat(depth)}${']'.repeat(depth)}`, 'It')).toThrow(refusal);
    const blocks = Array.from({ length: Math.min(depth, 1_000) }, (_, at) => `${' '.repeat(at)}a:`).join('\n');
    expect(() => readYaml(`${blocks} 1`, 'It')).toThrow(refusal);
  },
);

test('lists nested 99 levels deep are accepted', () => {
  expect(() => readYaml(`a: ${'['.repeat(99)}${']'.repeat(99)}`, 'It')).not.toThrow();
});

test('text above the size limit is refused', () => {
  expect(() => readYaml('#'.repeat(maxYamlBytes + 1), 'It')).toThrow(`allowed at most ${maxYamlBytes} bytes`);
});

test('__proto__ is an ordinary key', () => {
  const { value } = readYaml('__proto__: { polluted: true }', 'It');
  expect(Object.keys(value as object)).toEqual(['__proto__']);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});
