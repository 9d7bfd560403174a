/**
 * AssumeRole through the AWS SDK, which is loaded at the first call. Makes a single attempt, because the broker
 * schedules retries.
 */
import type { STSClient, STSClientConfig } from '@aws-sdk/client-sts';
import { ServiceFault } from '#core/execution/credentials/fault.ts';
import type { StsClient } from '#core/execution/credentials/ports.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';
import { onceWithDeadline } from './client-bounds.ts';
import { sdkFault } from './sdk-fault.ts';

type Sdk = typeof import('./sdk/sts.ts');

/** Maximum number of cached clients: one per region. */
const maxClients = 16;

export function lazySts(config: STSClientConfig = {}, timeoutMs = 10_000): StsClient {
  const clients = new RecentMap<string, STSClient>({ max: maxClients });

  const clientOf = (sdk: Sdk, region: string | undefined): STSClient =>
    clients.getOrInsertComputed(
      region ?? '',
      () => new sdk.STSClient({ ...onceWithDeadline, ...config, ...(region !== undefined && { region }) }),
    );

  return {
    async assumeRole(request) {
      try {
        const sdk = await import('./sdk/sts.ts');
        const command = new sdk.AssumeRoleCommand({
          RoleArn: request.roleArn,
          RoleSessionName: request.sessionName,
          SourceIdentity: request.sourceIdentity,
          Policy: request.policy,
          DurationSeconds: request.durationSeconds,
          Tags: Object.entries(request.tags).map(([Key, Value]) => ({ Key, Value })),
          ...(request.externalId !== undefined && { ExternalId: request.externalId }),
        });
        const abortSignal = AbortSignal.timeout(timeoutMs);
        const { Credentials } = await clientOf(sdk, request.region).send(command, { abortSignal });
        const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = Credentials ?? {};
        if (!AccessKeyId || !SecretAccessKey || !SessionToken || !Expiration)
          throw new ServiceFault('malformed', 'a response without a set of keys');
        return {
          access_key_id: AccessKeyId,
          secret_access_key: SecretAccessKey,
          session_token: SessionToken,
          expires_at: Expiration.toISOString(),
        };
      } catch (thrown) {
        throw sdkFault(thrown);
      }
    },
  };
}
