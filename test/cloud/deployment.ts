/** From the sources to a running gateway: bundles, templates, `cdk bootstrap`, `cdk deploy` — the real ones. */
import { readFile, writeFile } from 'node:fs/promises';
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

export async function deploy({ env, scratch, endpoint }: Emulator): Promise<Outputs> {
  const cloud = join(scratch, 'cdk.out');
  const outputs = join(scratch, 'outputs.json');
  const cdk = (...args: string[]) => run('node_modules/.bin/cdk', [...args, '--no-notices'], { env });

  await run('node_modules/.bin/node', ['bundle.mjs'], { env });
  await cdk(
    'synth',
    '--quiet',
    '--output',
    cloud,
    '-c',
    'stage=emulator',
    '-c',
    `approvalTimeoutSeconds=${approvalTimeoutSeconds}`,
    '-c',
    `endpoint=${endpoint}`,
    '-c',
    `brokerRoles=${brokerRole}`,
    '-c',
    `brokerSecrets=arn:aws:secretsmanager:us-east-1:000000000000:secret:${brokerSecret}-??????`,
  );
  const template = join(scratch, 'bootstrap.yaml');
  await writeFile(template, withoutStagingPolicy(await cdk('bootstrap', '--show-template')));
  await cdk('bootstrap', 'aws://000000000000/us-east-1', '--app', cloud, '--template', template);
  await cdk(
    'deploy',
    '--all',
    '--app',
    cloud,
    '--require-approval',
    'never',
    '--outputs-file',
    outputs,
    '--progress',
    'events',
  );
  const byStack = JSON.parse(await readFile(outputs, 'utf8')) as Record<string, never>;
  return { GatewayStores: byStack['agent-governance-stores']!, GatewayServices: byStack['agent-governance-services']! };
}

/** The bootstrap bucket refuses plain HTTP, which is all the emulator speaks. */
const withoutStagingPolicy = (template: string): string =>
  template.replace(/^ {2}StagingBucketPolicy:\n(?: {4}.*\n|\n)+/m, '');
