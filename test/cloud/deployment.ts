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

/** From the sources to the first deployment of an account. */
export async function deploy(emulator: Emulator): Promise<Outputs> {
  const { env, scratch } = emulator;
  await run('node_modules/.bin/node', ['bundle.mjs'], { env });
  const app = await synthesized(emulator, 'first');
  const template = join(scratch, 'bootstrap.yaml');
  await writeFile(template, withoutStagingPolicy(await cdk(env, 'bootstrap', '--show-template')));
  await cdk(env, 'bootstrap', 'aws://000000000000/us-east-1', '--app', app, '--template', template);
  return deployed(emulator, app);
}

/** The same stacks once more, with code of another digest in every function. */
export async function deployNextRelease(emulator: Emulator): Promise<Outputs> {
  for await (const file of glob('dist/*/index.mjs')) await appendFile(file, '\n// the next release\n');
  return deployed(emulator, await synthesized(emulator, 'next'));
}

const cdk = (env: Emulator['env'], ...args: string[]) =>
  run('node_modules/.bin/cdk', [...args, '--no-notices'], { env });

async function synthesized({ env, scratch, endpoint }: Emulator, release: string): Promise<string> {
  const app = join(scratch, `cdk.out.${release}`);
  const secret = `arn:aws:secretsmanager:us-east-1:000000000000:secret:${brokerSecret}-??????`;
  const context = {
    stage: 'emulator',
    approvalTimeoutSeconds,
    endpoint,
    brokerRoles: brokerRole,
    brokerSecrets: secret,
  };
  const given = Object.entries(context).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  await cdk(env, 'synth', '--quiet', '--output', app, ...given);
  return app;
}

async function deployed({ env, scratch }: Emulator, app: string): Promise<Outputs> {
  const outputs = join(scratch, 'outputs.json');
  const quietly = ['--require-approval', 'never', '--outputs-file', outputs, '--progress', 'events'];
  await cdk(env, 'deploy', '--all', '--app', app, ...quietly);
  const byStack = JSON.parse(await readFile(outputs, 'utf8')) as Record<string, never>;
  return { GatewayStores: byStack['agent-governance-stores']!, GatewayServices: byStack['agent-governance-services']! };
}

/** The bootstrap bucket refuses plain HTTP, which is all the emulator speaks. */
const withoutStagingPolicy = (template: string): string =>
  template.replace(/^ {2}StagingBucketPolicy:\n(?: {4}.*\n|\n)+/m, '');
