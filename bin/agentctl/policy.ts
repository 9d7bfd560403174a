/** `policy`: versions of the configuration, and checks on files. */

import { type Fields, fields, text } from '#core/kernel/json-fields.ts';
import { addCommand, addGroup, type Cli, type Outcome, type Parent } from './command.ts';
import { saveWhole } from './files.ts';
import { paint } from './output.ts';
import { addPolicyDiff } from './policy-diff.ts';
import { showExplanation } from './why.ts';

export function addPolicy(program: Parent): void {
  const parent = addGroup(
    program,
    'policy',
    'Work with policy files and versions: test, diff, mine, history, current, show, rollback',
  );
  addPolicyTest(parent);
  addPolicyDiff(parent, 'policy diff');
}

interface TestOptions {
  readonly junit?: string;
  readonly explain?: true;
}

/** A test result with the call's decision, its effects and the evaluation of the rules. */
type DecidedTest = TestResult & { readonly decided?: Fields };

/** Adds `policy test`, which runs a decision table against a policy file, without a gateway [cli.config-check]. */
function addPolicyTest(parent: Parent): void {
  addCommand<TestOptions>(parent, {
    usage: 'test <file> <cases>',
    summary: 'Check that a configuration or pack makes the expected decision on each call in a table',
    examples: [
      'policy test config/gateway.yaml cases.yaml',
      'policy test policies/mine.yaml policies/mine.cases.yaml --junit results.xml',
    ],
    options: (command) =>
      command
        .option('--junit <file>', 'write the results as JUnit XML as well')
        .option('--explain', 'print the effects of each call and how each rule matched, for passed cases too'),
    run: (cli, options, [file = '', cases = '']) => test(cli, file, cases, options),
  });
}

async function test(cli: Cli, file: string, cases: string, { junit: report, explain }: TestOptions): Promise<Outcome> {
  const { readPolicyFile, readYamlFile, simulator } = await import('./policy-file.ts');
  const { callOfCase, mismatch, parseCases } = await import('#core/policy/rules/cases.ts');
  const decide = simulator(await readPolicyFile(file));
  const table = readYamlFile(
    cases,
    'Write a list of calls, each with its decision: [{ protocol: git, tool: scm.get_file, capability: read, decision: allow }]',
  );
  const results: DecidedTest[] = [];
  for (const [i, row] of parseCases(table.value, cases, table.lineOf).entries()) {
    const { why } = row;
    const call = callOfCase(row);
    const failure = mismatch(row, await decide(call));
    const decided = failure === undefined && !explain ? undefined : fields(await decide(call, true));
    const words = [row.protocol, row.tool, row.target].filter((word) => word !== '').join(' ');
    const name = `${why === undefined ? '' : `${why}: `}${words} → ${row.decision}`;
    results.push({ name, place: `${cases}:${table.lineOf([i]) ?? 1}`, failure, ...(decided && { decided }) });
  }
  if (report !== undefined) await saveWhole(report, async () => [Buffer.from(junit(cases, results))]);
  const failed = results.filter(({ failure }) => failure !== undefined);
  if (cli.globals.json) cli.out.pretty({ total: results.length, failed: failed.length, results });
  else printResults(cli, results, explain === true);
  return failed.length === 0 ? 'positive' : 'negative';
}

function printResults({ out }: Cli, results: readonly DecidedTest[], all: boolean): void {
  for (const { place, name, failure, decided } of results) {
    if (!decided) continue;
    out.line(failure === undefined ? paint('green', 'ok  ') : paint('red', 'FAIL'), ` ${place}  ${name}`);
    if (failure !== undefined) out.line(`     ${failure}${text(decided.place) ? ` (${decided.place})` : ''}`);
    showExplanation(out, decided, { all, more: '--explain' });
  }
  const passed = results.filter(({ failure }) => failure === undefined).length;
  out.line(paint(passed === results.length ? 'green' : 'red', `${passed} of ${results.length} cases passed`));
}

interface TestResult {
  readonly name: string;
  /** File and line of the test case: `cases.yaml:12`. */
  readonly place: string;
  readonly failure?: string | undefined;
}

/** Formats the results of a decision table as JUnit XML for CI systems [cli.config-check]. */
function junit(suite: string, results: readonly TestResult[]): string {
  const failed = results.filter(({ failure }) => failure !== undefined).length;
  const cases = results.map(({ name, place, failure }) => {
    const head = `    <testcase classname="${escapeXml(suite)}" name="${escapeXml(name)}"`;
    if (failure === undefined) return `${head}/>`;
    return `${head}>\n      <failure message="${escapeXml(failure)}">${escapeXml(`${place}: ${failure}`)}</failure>\n    </testcase>`;
  });
  const counts = `tests="${results.length}" failures="${failed}" errors="0"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="${escapeXml(suite)}" ${counts}>`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Replaces control characters, because XML 1.0 forbids most of them, even escaped. */
const escapeXml = (text: string): string =>
  text
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replace(/[\t\n\r]/g, ' ')
    .replace(/[&<>"]/g, (char) => entities[char]!);
