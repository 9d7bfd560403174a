/** What an option names by ARN, and what the deployment reaches in its own region alone [cloud.regions]. */
import type { Environment } from 'aws-cdk-lib';
import type { GatewaySettings } from './settings.ts';

/** Functions ask the services of their own region for these. Roles have no region, and a secret is asked for where its ARN says. */
const regional = (settings: GatewaySettings): Readonly<Record<string, readonly (string | undefined)[]>> => ({
  certificate: [settings.edge.domain?.certificate],
  streamingCertificate: [settings.streaming?.tls?.certificate],
  formerSigningKeys: settings.formerSigningKeys,
  formerLogKeys: settings.formerLogKeys,
  sqlClusters: settings.sqlClusters,
});

/** @throws where the deployment would stand in another region than what it is to use. Without a region in `env`, nothing is known. */
export function requireOwnRegion(settings: GatewaySettings, { region }: Environment): void {
  if (region === undefined) return;
  for (const [key, arns] of Object.entries(regional(settings)))
    for (const arn of arns)
      if (arn !== undefined && arn.split(':')[3] !== region)
        throw new Error(
          `Context "${key}" must hold ARNs of ${region}, the region of this deployment, got ${JSON.stringify(arn)}.`,
        );
}
