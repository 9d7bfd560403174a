/** The functions' environment variables. `lambdas/aws.ts` reads these names. */
import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Rights } from '#core/contracts/function-spec.ts';
import type { FunctionName } from '#core/contracts/functions.ts';
import { type TableName, tableEnvironment } from '#core/contracts/tables.ts';
import { stateMachineArn } from './access.ts';
import { consoleUrl, ownUrl, type Surface } from './edge-settings.ts';
import { secretId } from './secrets.ts';
import { type GatewaySettings, liveFunctionName, rolloutMachineName, stateMachineName } from './settings.ts';
import type { Stores } from './stores.ts';
import { type ApiIds, apiUrl } from './surface-api.ts';
import { connectionsUrl } from './websocket-surface.ts';

/** Returns the variables that every function has: names and addresses, never a secret. */

export function functionEnvironment(
  scope: Construct,
  settings: GatewaySettings,
  stores: Stores,
  apis: ApiIds,
  /** Id of the private admin API's VPC endpoint. */
  adminEndpoint?: string,
): Record<string, string> {
  const { region, urlSuffix } = Stack.of(scope);
  const url = (surface: Surface & keyof ApiIds) =>
    ownUrl(settings.edge, surface) ??
    apiUrl(scope, [apis[surface], ...(surface === 'admin' && adminEndpoint ? [adminEndpoint] : [])].join('-'));
  const consoleAt = consoleUrl(settings.edge);
  return {
    STAGE: settings.stage,
    GATEWAY_NAME: settings.name,
    ADMIN_URL: url('admin'),
    GATEWAY_URL: url('gateway'),
    MCP_URL: url('mcp'),
    ...(consoleAt && { CONSOLE_URL: consoleAt }),
    ...Object.fromEntries(
      Object.entries(stores.tables).map(([name, table]) => [tableEnvironment(name as TableName), table.tableName]),
    ),
    OBJECT_BUCKET: stores.objects.bucketName,
    ARCHIVE_BUCKET: stores.archive.bucketName,
    SIGNING_KEY_ID: stores.signingKey.keyId,
    VOTE_KEY_ID: stores.voteKey.keyId,
    ...(stores.logKey && {
      LOG_KEY_ID: stores.logKey.keyId,
      ...logKeysBefore([...settings.formerLogKeys, ...stores.logKey.formerArns], settings),
    }),
    ...arnsVariable('SIGNING_KEY_FORMER_IDS', [...settings.formerSigningKeys, ...stores.signingKey.formerArns]),
    ...arnsVariable('VOTE_KEY_FORMER_IDS', [...settings.formerVoteKeys, ...stores.voteKey.formerArns]),
    APPROVAL_STATE_MACHINE_ARN: stateMachineArn(scope, stateMachineName(settings)),
    // CloudFront reports the caller in headers that only CloudFront can send.
    ...(settings.edge.cloudFront && { BEHIND_EDGE: 'on' }),
    // HTTP with SigV4, under the permission that X-Ray needs anyway; CloudWatch does not accept gRPC.
    ...(settings.otlpTraces && { OTLP_TRACES_URL: `https://xray.${region}.${urlSuffix}/v1/traces` }),
  };
}

const arnsVariable = (name: string, arns: readonly string[]): Record<string, string> =>
  arns.length > 0 ? { [name]: arns.join(',') } : {};

const logKeysBefore = (arns: readonly string[], { logKeyOverlap }: GatewaySettings): Record<string, string> => ({
  ...arnsVariable('LOG_KEY_FORMER_IDS', arns),
  ...(arns.length > 0 && logKeyOverlap && { LOG_KEY_OVERLAP: 'on' }),
});

/** Returns the additional variables for one function, based on its row. */
export const ownEnvironment = (
  scope: Construct,
  settings: GatewaySettings,
  stores: Stores,
  spec: Rights,
  apis: ApiIds,
): Record<string, string> => ({
  ...(spec.signs && arnsVariable('SIGNING_KEY_LINKED_IDS', stores.signingKey.formerArns)),
  ...secretEnvironment(settings, spec),
  ...(spec.postsToConnections && { CONNECTIONS_URL: connectionsUrl(scope, settings, apis.webSocket) }),
  ...(spec.startsRollouts && { ROLLOUT_STATE_MACHINE_ARN: stateMachineArn(scope, rolloutMachineName(settings)) }),
  ...(spec.tables.traces && { SHARED_TRACES: 'on' }),
  ...(spec.handsOverTo && { WS_WORKER_FUNCTION: liveFunctionName(settings, spec.handsOverTo as FunctionName) }),
  ...(spec.runsCommands && { SANDBOX_FUNCTION: liveFunctionName(settings, 'sandbox') }),
  ...(spec.streams && settings.streamPaddingBytes > 0 && { STREAM_PADDING_BYTES: `${settings.streamPaddingBytes}` }),
});

/**
 * Returns only the secrets that the function's role may read, because the function reads every bundle whose name it
 * receives.
 */
const secretEnvironment = (settings: GatewaySettings, { secrets = [] }: Rights): Record<string, string> =>
  Object.fromEntries(secrets.map((name) => [`SECRET_${name.toUpperCase()}`, secretId(settings, name)]));
