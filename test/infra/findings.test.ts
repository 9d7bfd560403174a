/** The AwsSolutions rules over the stacks that go to AWS: nothing is found that a construct did not accept with a reason. */
import { type App, Stack, Validations } from 'aws-cdk-lib';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import { AwsSolutionsChecks } from 'cdk-nag';
import { buildGateway } from '../../lib/gateway.ts';
import { certificate, namedVpc } from './streaming-contexts.ts';
import { emptyApp } from './synthesized.ts';

const options = {
  own: emptyApp({ streamingPlane: 'fargate', streamingCertificate: certificate, streamingHost: 'stream.example.com' })
    .app,
  named: emptyApp({ stage: 'dev', streamingPlane: 'fargate', streamingAccess: 'private', ...namedVpc }).app,
  iam: emptyApp({ iamCallers: 'on', firewall: 'on' }).app,
} as const;
const apps = [emptyApp().app, emptyApp().app, emptyApp().app] as const;

/** Synthesizes under the rules. @throws with the report when something is found. */
function judge(app: App): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  app.synth();
}

it('[cloud.nag] finds nothing that is not accepted with a reason', () => {
  expect(() => {
    buildGateway(apps[0]);
    judge(apps[0]);
  }).not.toThrow();
});

it('[cloud.nag] nor where account and region are known, as in a deployment', () => {
  expect(() => {
    buildGateway(apps[2], { account: '123456789012', region: 'eu-central-1' });
    judge(apps[2]);
  }).not.toThrow();
});

it.each([
  ['the streaming plane in a VPC of its own', options.own],
  ['the streaming plane in a named VPC, by plain HTTP', options.named],
  ['the API of callers with IAM credentials', options.iam],
])('[cloud.nag] nor in %s', (_, app) => {
  expect(() => {
    buildGateway(app);
    judge(app);
  }).not.toThrow();
});

it('would find a queue without encryption in transit', () => {
  expect(() => {
    new CfnQueue(new Stack(apps[1], 'Careless'), 'Queue');
    judge(apps[1]);
  }).toThrow('AwsSolutions-SQS4');
});
