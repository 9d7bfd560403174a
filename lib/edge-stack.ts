/** The optional edge in front of the APIs: regional web ACLs, and CloudFront. */
import { join } from 'node:path';
import { ArnFormat, CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { RestApiBase } from 'aws-cdk-lib/aws-apigateway';
import type { Construct } from 'constructs';
import type { Route } from '#core/contracts/route.ts';
import { Distributions } from './distributions.ts';
import { consoleUrl } from './edge-settings.ts';
import { Firewall } from './firewall.ts';
import { OriginSecret } from './origin-secret.ts';
import type { GatewaySettings } from './settings.ts';
import { apiStageName } from './surface-api.ts';

interface GatewayEdgeProps extends StackProps {
  readonly settings: GatewaySettings;
  readonly apis: Readonly<Record<Route['surface'], RestApiBase>>;
  /** API that is called directly, because CloudFront would sign for another host. */
  readonly iam: RestApiBase | undefined;
  readonly webSocketId: string;
}

/** Checks whether the operator has enabled any part of this stack. */
export const wantsEdge = ({ edge }: GatewaySettings): boolean => edge.firewall !== undefined;

/**
 * The edge, in the deployment's region: CloudFront does not require a particular region, and a regional web ACL must be
 * in the same region as its APIs (0070).
 */
export class GatewayEdge extends Stack {
  constructor(scope: Construct, id: string, props: GatewayEdgeProps) {
    super(scope, id, props);
    const { settings, apis, iam, webSocketId } = props;
    const { cloudFront, domain, adminCidrs, privateAdmin } = settings.edge;
    const firewall = settings.edge.firewall!;
    const origin = cloudFront && new OriginSecret(this, 'Origin', { versions: cloudFront.secretVersions });

    const shared = { ...firewall, originValues: origin?.values };
    new Firewall(this, 'Callers', {
      ...shared,
      name: `${settings.name}-callers`,
      cidrs: [],
      stages: [apis.gateway, apis.mcp, apis.callbacks].map((api) => this.#stage(api)),
    });
    if (iam)
      new Firewall(this, 'IamCallers', {
        ...firewall,
        originValues: undefined,
        name: `${settings.name}-iam-callers`,
        cidrs: [],
        stages: [this.#stage(iam)],
      });
    // A private API is reachable only through its VPC endpoint, which has its own rules.
    if (!privateAdmin)
      new Firewall(this, 'Admin', {
        ...shared,
        name: `${settings.name}-admin`,
        cidrs: adminCidrs,
        stages: [this.#stage(apis.admin)],
      });

    if (!cloudFront || !domain || !origin) return;
    const { admin, ...others } = apis;
    const { gateway, mcp, callbacks } = others;
    const reached = privateAdmin ? others : { ...others, admin };
    new Distributions(this, 'Distributions', {
      name: settings.name,
      domain,
      cloudFront,
      originValue: origin.values[0],
      apis: {
        gateway: gateway.restApiId,
        mcp: mcp.restApiId,
        callbacks: callbacks.restApiId,
        ...(!privateAdmin && { admin: admin.restApiId }),
      },
      webSocketId,
      consoleFolder: join(settings.bundles, 'console'),
    });
    new CfnOutput(this, 'OriginSecretArn', { value: origin.arn });
    for (const [name, host] of Object.entries(domain.hosts))
      if (name in reached) new CfnOutput(this, `${name}Host`, { value: host });
    new CfnOutput(this, 'edgeHost', { value: domain.edgeHost });
    const consoleAt = consoleUrl(settings.edge);
    if (consoleAt) new CfnOutput(this, 'ConsoleUrl', { value: consoleAt });
  }

  /** Returns the ARN with the stage as a literal, which avoids an export. */
  #stage(api: RestApiBase): string {
    return this.formatArn({
      service: 'apigateway',
      account: '',
      resource: '/restapis',
      resourceName: `${api.restApiId}/stages/${apiStageName}`,
      arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
    });
  }
}
