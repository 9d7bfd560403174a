/** The AwsSolutions rules over the stacks that go to AWS: nothing is found that a construct did not accept with a reason. */
import { Stack } from 'aws-cdk-lib';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import { buildGateway } from '../../lib/gateway.ts';
import { certificate, everything, namedVpc } from './contexts.ts';
import { judgedApp } from './synthesized.ts';

const iam = { iamCallers: 'on', firewall: 'on' };
const options = {
  own: judgedApp({
    ...iam,
    ...{ streamingPlane: 'fargate', streamingCertificate: certificate, streamingHost: 'stream.example.com' },
  }),
  named: judgedApp({ stage: 'dev', streamingPlane: 'fargate', streamingAccess: 'private', ...namedVpc }),
  everything: judgedApp({ ...everything('eu-central-1'), ...iam, concurrency: 'reserved', tags: 'team=agents' }),
} as const;
const apps = [judgedApp(), judgedApp(), judgedApp()] as const;

it('[cloud.nag] finds nothing that is not accepted with a reason', () => {
  buildGateway(apps[0]);
  expect(() => apps[0].synth()).not.toThrow();
});

it('[cloud.nag] nor where account and region are known, as in a deployment', () => {
  buildGateway(apps[2], { account: '123456789012', region: 'eu-central-1' });
  expect(() => apps[2].synth()).not.toThrow();
});

it.each([
  ['the streaming plane in a VPC of its own, and the API of callers with IAM credentials', options.own],
  ['the streaming plane in a named VPC, by plain HTTP', options.named],
  ['a deployment with every option on', options.everything],
])('[cloud.nag] nor in %s', (_, app) => {
  buildGateway(app);
  expect(() => app.synth()).not.toThrow();
});

it('would find a queue without encryption in transit', () => {
  new CfnQueue(new Stack(apps[1], 'Careless'), 'Queue');
  expect(() => apps[1].synth()).toThrow('AwsSolutions-SQS4');
});
