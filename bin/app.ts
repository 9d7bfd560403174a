/** The CDK app that `cdk synth` and `cdk deploy` run. */
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { buildGateway } from '../lib/gateway.ts';

const app = new App({ analyticsReporting: false });
const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env;
const { settings } = buildGateway(app, account && region ? { account, region } : {});
// The rules apply to deployments on AWS; the emulator's stage omits what the emulator does not support.
if (!settings.emulator) Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
