/**
 * Endpoints for AWS services in the deployment's VPC, in a separate stack that is deployed before the functions that
 * use them.
 */
import { Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { NetworkSettings } from './network-settings.ts';
import { VpcEndpoints } from './vpc-endpoints.ts';

interface GatewayEndpointsProps extends StackProps {
  readonly network: NetworkSettings;
  readonly routeTableIds: readonly string[];
}

export class GatewayEndpoints extends Stack {
  constructor(scope: Construct, id: string, { network, routeTableIds, ...props }: GatewayEndpointsProps) {
    super(scope, id, props);
    new VpcEndpoints(this, 'VpcEndpoints', { network, routeTableIds });
  }
}
