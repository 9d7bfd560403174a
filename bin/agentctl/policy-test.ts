/** `policy test`: runs a decision table against a policy file, without a gateway [cli.policy-test]. */
import { addCommand, type Cli, type Outcome, type Parent } from './command.ts';
import { saveWhole } from './files.ts';
import { type Fields, fields, text } from './json-fields.ts';
import { junit, type TestResult } from './junit.ts';
import { painted } from './output.ts';
import { showExplanation } from './why.ts';

interface TestOptions {
  readonly junit?: string;
  readonly explain?: true;
}

/** A result with the call's decision, its effects and the rules' evaluation. */
type Tested = TestResult & { readonly decided?: Fields };

export function addPolicyTest(parent: Parent): void {
  addCommand<TestOptions>(parent, {
    usage: 'test <file> <cases>',
    summary: 'Check that a configuration or pack decides each call of a table as the table says',
    examples: [
      'policy test config/gateway.yaml cases.yaml',
      'policy test policies/mine.yaml policies/mine.cases.yaml --junit results.xml',
    ],
    options: (command) =>
      command
        .option('--junit <file>', 'write the results as JUnit XML as well')
        .option('--explain', 'what each call would do and how each rule saw it, also of cases that passed'),
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
  const results: Tested[] = [];
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
  else show(cli, results, explain === true);
  return failed.length === 0 ? 'positive' : 'negative';
}

function show({ out }: Cli, results: readonly Tested[], all: boolean): void {
  for (const { place, name, failure, decided } of results) {
    if (!decided) continue;
    out.line(failure === undefined ? painted('green', 'ok  ') : painted('red', 'FAIL'), ` ${place}  ${name}`);
    if (failure !== undefined) out.line(`     ${failure}${text(decided.place) ? ` (${decided.place})` : ''}`);
    showExplanation(out, decided, { all, more: '--explain' });
  }
  const passed = results.filter(({ failure }) => failure === undefined).length;
  out.line(painted(passed === results.length ? 'green' : 'red', `${passed} of ${results.length} cases passed`));
}
