/** Writes the results of a decision table as JUnit XML for CI systems [cli.policy-test]. */

export interface TestResult {
  readonly name: string;
  /** File and line of the case: `cases.yaml:12`. */
  readonly place: string;
  readonly failure?: string | undefined;
}

export function junit(suite: string, results: readonly TestResult[]): string {
  const failed = results.filter(({ failure }) => failure !== undefined).length;
  const cases = results.map(({ name, place, failure }) => {
    const head = `    <testcase classname="${escaped(suite)}" name="${escaped(name)}"`;
    if (failure === undefined) return `${head}/>`;
    return `${head}>\n      <failure message="${escaped(failure)}">${escaped(`${place}: ${failure}`)}</failure>\n    </testcase>`;
  });
  const counts = `tests="${results.length}" failures="${failed}" errors="0"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="${escaped(suite)}" ${counts}>`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Replaces control characters: XML 1.0 forbids most of them, even escaped. */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replace(/[\t\n\r]/g, ' ')
    .replace(/[&<>"]/g, (char) => entities[char]!);
