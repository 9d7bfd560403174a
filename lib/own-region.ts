/** Options that name, by ARN, resources that the deployment can reach only in its own region [cloud.name]. */
import type { Environment } from 'aws-cdk-lib';
import type { GatewaySettings } from './settings.ts';

/** ARNs by context key. */
export type Regional = Readonly<Record<string, readonly (string | undefined)[]>>;

/**
 * Returns the resources that functions use in their own region. Roles are not regional, and a secret is read in the
 * region that its ARN names.
 */
const regionalResources = (settings: GatewaySettings): Regional => ({
  certificate: [settings.edge.domain?.certificate],
  formerSigningKeys: settings.formerSigningKeys,
  formerVoteKeys: settings.formerVoteKeys,
  formerLogKeys: settings.formerLogKeys,
  sqlClusters: settings.sqlClusters,
});

/**
 * Checks the region. @throws if the deployment's region differs from that of its resources. Without a region in `env`,
 * this cannot be checked.
 */
export function requireOwnRegion(settings: GatewaySettings, added: Regional, { region }: Environment): void {
  if (region === undefined) return;
  for (const [key, arns] of Object.entries({ ...regionalResources(settings), ...added }))
    for (const arn of arns)
      if (arn !== undefined && arn.split(':')[3] !== region)
        throw new Error(
          `Context "${key}" must contain ARNs of ${region}, the region of this deployment, got ${JSON.stringify(arn)}.`,
        );
}
