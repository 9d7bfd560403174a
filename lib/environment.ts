/** What the functions are told about their surroundings. `lambdas/aws.ts` reads these names. */
import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { FunctionSpec } from '#core/contracts/functions.ts';
import { type TableName, tableEnvironment } from '#core/contracts/tables.ts';
import { stateMachineArn } from './access.ts';
import { apiStageName } from './rest-surface.ts';
import { secretId } from './secrets.ts';
import type { GatewaySettings } from './settings.ts';
import type { GatewayStores } from './stores-stack.ts';

export function functionEnvironment(
  scope: Construct,
  settings: GatewaySettings,
  stores: GatewayStores,
  adminApiId: string,
): Record<string, string> {
  const { region, urlSuffix } = Stack.of(scope);
  return {
    STAGE: settings.stage,
    // Never `api.url`: it depends on the deployment, which depends on these functions.
    ADMIN_URL: `https://${adminApiId}.execute-api.${region}.${urlSuffix}/${apiStageName}`,
    ...Object.fromEntries(
      Object.entries(stores.tables).map(([name, table]) => [tableEnvironment(name as TableName), table.tableName]),
    ),
    OBJECT_BUCKET: stores.objects.bucketName,
    ARCHIVE_BUCKET: stores.archive.bucketName,
    SIGNING_KEY_ID: stores.signingKey.keyId,
    APPROVAL_STATE_MACHINE_ARN: stateMachineArn(scope, settings),
  };
}

/** Only what the function's role may read: it asks every bundle it is told of. */
export const secretEnvironment = (settings: GatewaySettings, { secrets = [] }: FunctionSpec): Record<string, string> =>
  Object.fromEntries(secrets.map((name) => [`SECRET_${name.toUpperCase()}`, secretId(settings, name)]));
