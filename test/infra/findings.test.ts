/** AWS rules for the stacks deployed to AWS: each finding is accepted by a construct with a reason. */
import { Stack } from 'aws-cdk-lib';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import { buildGateway } from '../../lib/gateway.ts';
import { casesOf, thorough } from '../support/extent.ts';
import { account, cloudFront, everything, namedPlane, own, ownPlane, vpc } from './contexts.ts';
import { judgedApp } from './synthesized.ts';

const iam = { iamCallers: 'on', firewall: 'on' };
const privateAdmin = { admin: 'private', vpcEndpoints: 'on', routeTableIds: 'rtb-0a1b2c3d' };
const environment = { account, region: 'eu-central-1' };

const deployed: Record<string, Record<string, unknown>> = {
  'with every option on': { ...everything('eu-central-1'), ...iam, concurrency: 'reserved', tags: 'team=agents' },
  'without options': {},
  'with host names, and a web ACL for the admin API': { ...own, adminCidrs: '203.0.113.0/24' },
  'with CloudFront and the console': cloudFront,
  'with CloudFront and a private admin API': { ...cloudFront, ...vpc, ...privateAdmin, adminCidrs: '10.0.0.0/8' },
};
const unresolved: Record<string, Record<string, unknown>> = {
  'with CloudFront': cloudFront,
  'with the streaming plane in a VPC of its own, and the API of callers with IAM credentials': { ...iam, ...ownPlane },
  'with the streaming plane in a named VPC, by plain HTTP': namedPlane,
};
/**
 * Returns the contexts to check, each of which takes two seconds. The first has every resource type, so
 * CloudFormation's own rules, which take longer, check only that one.
 */
const contexts = (all: typeof deployed) => [...casesOf(Object.entries(all), 3)];

describe('[cloud.templates] every cdk-nag finding is suppressed with a reason', () => {
  it.each(contexts(deployed))('in a deployment %s', (_, context) => {
    const app = judgedApp(context, thorough || context === deployed['with every option on']);
    buildGateway(app, environment);
    expect(() => app.synth()).not.toThrow();
  });

  it.each(contexts(unresolved))('%s, when the account and region are unknown', (_, context) => {
    const app = judgedApp(context, thorough);
    buildGateway(app);
    expect(() => app.synth()).not.toThrow();
  });

  it('a queue without encryption in transit is still reported', () => {
    const careless = judgedApp();
    new CfnQueue(new Stack(careless, 'Careless'), 'Queue');
    expect(() => careless.synth()).toThrow('AwsSolutions-SQS4');
  });
});
