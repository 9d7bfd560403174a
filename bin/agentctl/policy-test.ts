/** `policy test`: a decision table against a policy file, without a gateway [cli.policy-test]. */
import { addCommand, type Cli, type Outcome, type Parent } from './command.ts';
import { saveWhole } from './files.ts';
import { junit, type TestResult } from './junit.ts';
import { painted } from './output.ts';

interface TestOptions {
  readonly junit?: string;
}

export function addPolicyTest(parent: Parent): void {
  addCommand<TestOptions>(parent, {
    usage: 'test <file> <cases>',
    summary: 'Check that a configuration or pack decides each call of a table as the table says',
    examples: [
      'policy test config/gateway.yaml cases.yaml',
      'policy test policies/mine.yaml policies/mine.cases.yaml --junit results.xml',
    ],
    options: (command) => command.option('--junit <file>', 'write the results as JUnit XML as well'),
    run: (cli, options, [file = '', cases = '']) => test(cli, file, cases, options),
  });
}

async function test(cli: Cli, file: string, cases: string, { junit: report }: TestOptions): Promise<Outcome> {
  const { readPolicyFile, readYamlFile, simulator } = await import('./policy-file.ts');
  const { callOfCase, mismatch, parseCases } = await import('#core/tool-policy/cases.ts');
  const decide = simulator(await readPolicyFile(file));
  const table = readYamlFile(
    cases,
    'Write a list of calls, each with its decision: [{ protocol: git, tool: scm.get_file, capability: read, decision: allow }]',
  );
  const results: TestResult[] = [];
  for (const [i, row] of parseCases(table.value, cases, table.lineOf).entries()) {
    const { why } = row;
    const failure = mismatch(row, await decide(callOfCase(row)));
    const words = [row.protocol, row.tool, row.target].filter((word) => word !== '').join(' ');
    const name = `${why === undefined ? '' : `${why}: `}${words} → ${row.decision}`;
    results.push({ name, place: `${cases}:${table.lineOf([i]) ?? 1}`, failure });
  }
  if (report !== undefined) await saveWhole(report, async () => [Buffer.from(junit(cases, results))]);
  const failed = results.filter(({ failure }) => failure !== undefined);
  if (cli.globals.json) cli.out.pretty({ total: results.length, failed: failed.length, results });
  else show(cli, results.length, failed);
  return failed.length === 0 ? 'positive' : 'negative';
}

function show({ out }: Cli, total: number, failed: readonly TestResult[]): void {
  for (const { place, name, failure } of failed) {
    out.line(painted('red', 'FAIL'), ` ${place}  ${name}`);
    out.line(`     ${failure}`);
  }
  const summary = `${total - failed.length} of ${total} cases passed`;
  out.line(painted(failed.length === 0 ? 'green' : 'red', summary));
}
