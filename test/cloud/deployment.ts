/** From the sources to a running gateway: bundles, templates, `cdk bootstrap`, `cdk deploy` — the real ones. */
import { appendFile, glob, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Emulator } from './emulator.ts';
import { run } from './processes.ts';

/** Stack outputs the checks need. URLs of AWS are not reachable here: only ids are. */
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

export const approvalTimeoutSeconds = 6;

/** What brokers of these checks hand on; both are made by the checks, after the deployment. */
export const brokerRole = 'arn:aws:iam::000000000000:role/cloud-orders';
export const brokerSecret = 'cloud/partner-token';

/** One of the deployments of the account: its name, and the choices it makes beside those of all. */
export interface Deployment {
  readonly name: string;
  readonly context?: Readonly<Record<string, string>>;
}
export const gateway: Deployment = { name: 'agent-governance' };

/** From the sources to the first deployment of an account. */
export async function deploy(emulator: Emulator): Promise<Outputs> {
  const { env, scratch } = emulator;
  await run('node_modules/.bin/node', ['bundle.mjs'], { env });
  const app = await synthesized(emulator, gateway, 'first');
  const template = join(scratch, 'bootstrap.yaml');
  await writeFile(template, withoutStagingPolicy(await cdk(env, 'bootstrap', '--show-template')));
  await cdk(env, 'bootstrap', 'aws://000000000000/us-east-1', '--app', app, '--template', template);
  return deployed(emulator, gateway, app);
}

/** The same stacks once more, with code of another digest in every function. */
export async function deployNextRelease(emulator: Emulator): Promise<Outputs> {
  for await (const file of glob('dist/*/index.mjs')) await appendFile(file, '\n// the next release\n');
  return deployBeside(emulator, gateway, 'next');
}

/** Stacks from the bundles at hand, on an account that has a deployment already. */
export async function deployBeside(emulator: Emulator, which: Deployment, release = 'first'): Promise<Outputs> {
  return deployed(emulator, which, await synthesized(emulator, which, release));
}

const cdk = (env: Emulator['env'], ...args: string[]) =>
  run('node_modules/.bin/cdk', [...args, '--no-notices'], { env });

async function synthesized(emulator: Emulator, { name, context: own }: Deployment, release: string): Promise<string> {
  const { env, scratch, endpoint } = emulator;
  const app = join(scratch, `cdk.out.${name}.${release}`);
  const secret = `arn:aws:secretsmanager:us-east-1:000000000000:secret:${brokerSecret}-??????`;
  const context = {
    ...{ name, stage: 'emulator', approvalTimeoutSeconds, endpoint },
    ...{ brokerRoles: brokerRole, brokerSecrets: secret, ...own },
  };
  const given = Object.entries(context).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  await cdk(env, 'synth', '--quiet', '--output', app, ...given);
  return app;
}

async function deployed({ env, scratch }: Emulator, { name }: Deployment, app: string): Promise<Outputs> {
  const outputs = join(scratch, `outputs.${name}.json`);
  const quietly = ['--require-approval', 'never', '--outputs-file', outputs, '--progress', 'events'];
  await cdk(env, 'deploy', '--all', '--app', app, ...quietly);
  const byStack = JSON.parse(await readFile(outputs, 'utf8')) as Record<string, never>;
  return { GatewayStores: byStack[`${name}-stores`]!, GatewayServices: byStack[`${name}-services`]! };
}

/** The bootstrap bucket refuses plain HTTP, which is all the emulator speaks. */
const withoutStagingPolicy = (template: string): string =>
  template.replace(/^ {2}StagingBucketPolicy:\n(?: {4}.*\n|\n)+/m, '');
