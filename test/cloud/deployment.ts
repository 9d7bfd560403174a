/** Builds a running gateway from the sources, with the real bundles, templates, `cdk bootstrap` and `cdk deploy`. */
import { appendFile, glob, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Emulator } from './emulator.ts';
import { type Environment, run } from './processes.ts';

/** Stack outputs that the checks need. AWS URLs are not reachable from the tests, only ids. */
export interface Outputs {
  readonly GatewayStores: {
    readonly AdminSecretName: string;
    readonly KeysSecretName: string;
    readonly ObjectBucketName: string;
    readonly ArchiveBucketName: string;
    readonly SigningKeyId: string;
    readonly VoteKeyId: string;
    readonly LogKeyId: string;
  };
  readonly GatewayServices: {
    readonly GatewayApiId: string;
    readonly WebSocketApiId: string;
    readonly AdminApiId: string;
    readonly CallbacksApiId: string;
    readonly McpApiId: string;
    readonly ApprovalStateMachineArn: string;
  };
}

const approvalTimeoutSeconds = 6;

/** Values that the brokers of these checks pass on. The checks create both after the deployment. */
export const brokerRole = 'arn:aws:iam::000000000000:role/cloud-orders';
export const brokerSecret = 'cloud/partner-token';

/** One of an account's deployments: its name, its region, and any options in addition to the common ones. */
export interface Deployment {
  readonly name: string;
  readonly region: string;
  readonly context?: Readonly<Record<string, string>>;
  /** Whether the deployment adopts existing tables that have its names. */
  readonly adopts?: true;
}
export const gateway: Deployment = { name: 'agent-governance', region: 'us-east-1' };

/** Builds from the sources and makes the first deployment. */
export async function deploy(emulator: Emulator): Promise<Outputs> {
  await run('node_modules/.bin/node', ['bundle.mjs'], { env: emulator.env });
  return deployFirst(emulator, gateway);
}

/** Deploys the existing bundles in a region of an account that has no deployment yet. */
export async function deployFirst(emulator: Emulator, which: Deployment): Promise<Outputs> {
  const env = environmentOf(emulator, which);
  const app = await synthesized(emulator, which, 'first');
  const template = join(emulator.scratch, 'bootstrap.yaml');
  await writeFile(template, withoutStagingPolicy(await cdk(env, 'bootstrap', '--show-template')));
  await cdk(env, 'bootstrap', `aws://${emulator.account}/${which.region}`, '--app', app, '--template', template);
  return deployed(emulator, which, app);
}

/** Deploys the same stacks once more, with a different code digest in every function. */
export async function deployNextRelease(emulator: Emulator): Promise<Outputs> {
  for await (const file of glob('dist/*/index.mjs')) await appendFile(file, '\n// the next release\n');
  return deployed(emulator, gateway, await synthesized(emulator, gateway, 'next'));
}

const environmentOf = ({ env }: Emulator, { region }: Deployment): Environment => ({
  ...env,
  AWS_REGION: region,
  AWS_DEFAULT_REGION: region,
});

const cdk = (env: Environment, ...args: string[]) => run('node_modules/.bin/cdk', [...args, '--no-notices'], { env });

/** Returns the options of a deployment. */
export const contextOf = (
  { endpoint }: Emulator,
  { name, context }: Deployment,
): Readonly<Record<string, unknown>> => ({
  name,
  stage: 'emulator',
  approvalTimeoutSeconds,
  endpoint,
  brokerRoles: brokerRole,
  brokerSecrets: `arn:aws:secretsmanager:us-east-1:000000000000:secret:${brokerSecret}-??????`,
  ...context,
});

async function synthesized(emulator: Emulator, which: Deployment, release: string): Promise<string> {
  const { name, region } = which;
  const app = join(emulator.scratch, `cdk.out.${region}.${name}.${release}`);
  const given = Object.entries(contextOf(emulator, which)).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  await cdk(environmentOf(emulator, which), 'synth', '--quiet', '--output', app, ...given);
  return app;
}

async function deployed(emulator: Emulator, which: Deployment, app: string): Promise<Outputs> {
  const { name, region } = which;
  const outputs = join(emulator.scratch, `outputs.${region}.${name}.json`);
  const quietly = ['--require-approval', 'never', '--outputs-file', outputs, '--progress', 'events'];
  if (which.adopts) quietly.push('--import-existing-resources');
  await cdk(environmentOf(emulator, which), 'deploy', '--all', '--app', app, ...quietly);
  const byStack = JSON.parse(await readFile(outputs, 'utf8')) as Record<string, never>;
  return { GatewayStores: byStack[`${name}-stores`]!, GatewayServices: byStack[`${name}-services`]! };
}

/** Removes the bootstrap bucket's policy, which rejects plain HTTP, the only protocol that the emulator supports. */
const withoutStagingPolicy = (template: string): string =>
  template.replace(/^ {2}StagingBucketPolicy:\n(?: {4}.*\n|\n)+/m, '');
