/**
 * Endpoints in the deployment's VPC for the services that its functions call, for a VPC without endpoints of its own
 * [cloud.firewall].
 */
import { Stack } from 'aws-cdk-lib';
import { CfnSecurityGroup, CfnVPCEndpoint } from 'aws-cdk-lib/aws-ec2';
import { Construct } from 'constructs';
import type { NetworkSettings } from './network-settings.ts';

/** Gateway endpoints, which are routes in the subnets' route tables and free of charge. */
const gateways = ['dynamodb', 's3'];

/**
 * Interface endpoints, billed per hour and zone. `bedrock-runtime` is for models, `rds-data` for SQL, and `xray` for
 * spans.
 */
const interfaces = [
  ...['secretsmanager', 'states', 'kms', 'sts', 'lambda', 'logs', 'xray'],
  ...['bedrock-runtime', 'rds-data'],
];

interface VpcEndpointsProps {
  readonly network: NetworkSettings;
  readonly routeTableIds: readonly string[];
}

export class VpcEndpoints extends Construct {
  constructor(scope: Construct, id: string, { network, routeTableIds }: VpcEndpointsProps) {
    super(scope, id);
    const { vpcId, subnetIds, securityGroupIds } = network;
    const service = (name: string) => `com.amazonaws.${Stack.of(this).region}.${name}`;
    const callers = new CfnSecurityGroup(this, 'Callers', {
      vpcId,
      groupDescription: 'agent governance gateway: its functions reach services of AWS',
      securityGroupIngress: securityGroupIds.map((group) => ({
        ipProtocol: 'tcp',
        fromPort: 443,
        toPort: 443,
        sourceSecurityGroupId: group,
      })),
    });
    for (const name of gateways)
      new CfnVPCEndpoint(this, name, {
        vpcId,
        vpcEndpointType: 'Gateway',
        serviceName: service(name),
        routeTableIds: [...routeTableIds],
      });
    for (const name of interfaces)
      new CfnVPCEndpoint(this, name, {
        vpcId,
        vpcEndpointType: 'Interface',
        serviceName: service(name),
        subnetIds: [...subnetIds],
        securityGroupIds: [callers.attrGroupId],
        privateDnsEnabled: true,
      });
  }
}
