/** The AwsSolutions rules over the stacks that go to AWS: nothing is found that a construct did not accept with a reason. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type App, Stack, Validations } from 'aws-cdk-lib';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import { AwsSolutionsChecks } from 'cdk-nag';
import { buildGateway } from '../../lib/gateway.ts';
import { emptyApp } from './synthesized.ts';

/** Rules violated, as the synthesis reports them. */
function findings(fill: (app: App) => void): string[] {
  const { app, outdir } = emptyApp();
  fill(app);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  const { exitCode } = process;
  jest.spyOn(console, 'error').mockImplementation(() => {});
  app.synth();
  process.exitCode = exitCode;
  const { pluginReports } = JSON.parse(readFileSync(join(outdir, 'validation-report.json'), 'utf8')) as {
    pluginReports: { violations: { ruleName: string }[] }[];
  };
  return pluginReports.flatMap(({ violations }) => violations.map(({ ruleName }) => ruleName));
}

afterEach(() => jest.restoreAllMocks());

it('[cloud.nag] finds nothing that is not accepted with a reason', () => {
  expect(findings((app) => void buildGateway(app))).toEqual([]);
});

it('would find a queue without encryption in transit', () => {
  const found = findings((app) => void new CfnQueue(new Stack(app, 'Careless'), 'Queue'));
  expect(found.join()).toContain('AwsSolutions-SQS4');
});
