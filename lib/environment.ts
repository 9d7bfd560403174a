/** The environment variables of the functions. `lambdas/aws.ts` reads these names. */
import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Rights } from '#core/contracts/function-spec.ts';
import type { FunctionName } from '#core/contracts/functions.ts';
import { type TableName, tableEnvironment } from '#core/contracts/tables.ts';
import { stateMachineArn } from './access.ts';
import { consoleUrl, ownUrl, type Surface } from './edge-settings.ts';
import { type ApiIds, apiStageName } from './rest-surface.ts';
import { secretId } from './secrets.ts';
import { type GatewaySettings, liveFunctionName, rolloutMachineName, stateMachineName } from './settings.ts';
import type { GatewayStores } from './stores-stack.ts';
import { connectionsUrl } from './websocket-surface.ts';

/** Returns the variables of every function: names and addresses, never a secret. */

export function functionEnvironment(
  scope: Construct,
  settings: GatewaySettings,
  stores: GatewayStores,
  apis: ApiIds,
  /** Id of the VPC endpoint of a private admin API. */
  adminEndpoint?: string,
): Record<string, string> {
  const { region, urlSuffix } = Stack.of(scope);
  // Never `api.url`: it depends on the deployment, which depends on these functions.
  const url = (surface: Surface & keyof ApiIds) =>
    ownUrl(settings.edge, surface) ??
    `https://${[apis[surface], ...(surface === 'admin' && adminEndpoint ? [adminEndpoint] : [])].join('-')}.execute-api.${region}.${urlSuffix}/${apiStageName}`;
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
    ...(stores.logKey && { LOG_KEY_ID: stores.logKey.keyId }),
    ...(stores.logKey && settings.formerLogKeys.length > 0 && formerLogKeys(settings)),
    ...(settings.formerSigningKeys.length > 0 && { SIGNING_KEY_FORMER_IDS: settings.formerSigningKeys.join(',') }),
    APPROVAL_STATE_MACHINE_ARN: stateMachineArn(scope, stateMachineName(settings)),
    // CloudFront reports the caller in headers that only it can send.
    ...(settings.edge.cloudFront && { BEHIND_EDGE: 'on' }),
    // HTTP with SigV4 under the permission X-Ray needs anyway; CloudWatch does not accept gRPC.
    ...(settings.otlpTraces && { OTLP_TRACES_URL: `https://xray.${region}.${urlSuffix}/v1/traces` }),
  };
}

const formerLogKeys = ({ formerLogKeys: arns, logKeyOverlap }: GatewaySettings): Record<string, string> => ({
  LOG_KEY_FORMER_IDS: arns.join(','),
  ...(logKeyOverlap && { LOG_KEY_OVERLAP: 'on' }),
});

/** Returns the further variables of one function, by its row. */
export const ownEnvironment = (
  scope: Construct,
  settings: GatewaySettings,
  spec: Rights,
  apis: ApiIds,
): Record<string, string> => ({
  ...secretEnvironment(settings, spec),
  ...(spec.postsToConnections && { CONNECTIONS_URL: connectionsUrl(scope, settings, apis.webSocket) }),
  ...(spec.startsRollouts && { ROLLOUT_STATE_MACHINE_ARN: stateMachineArn(scope, rolloutMachineName(settings)) }),
  ...(spec.tables.traces && { SHARED_TRACES: 'on' }),
  ...(spec.handsOverTo && { WS_WORKER_FUNCTION: liveFunctionName(settings, spec.handsOverTo as FunctionName) }),
  ...(spec.runsCommands && { SANDBOX_FUNCTION: liveFunctionName(settings, 'sandbox') }),
  ...(spec.streams && settings.streamPaddingBytes > 0 && { STREAM_PADDING_BYTES: `${settings.streamPaddingBytes}` }),
});

/** Returns only the secrets that the function's role may read, since it reads every bundle it knows. */
const secretEnvironment = (settings: GatewaySettings, { secrets = [] }: Rights): Record<string, string> =>
  Object.fromEntries(secrets.map((name) => [`SECRET_${name.toUpperCase()}`, secretId(settings, name)]));
