/**
 * The VPC that a deployment specifies for functions that call upstream servers, read from CDK context [cloud.firewall].
 */
import type { Node } from 'constructs';
import { word, words } from './context.ts';

export interface NetworkSettings {
  readonly vpcId: string;
  readonly subnetIds: readonly string[];
  /** The functions' security groups, which determine the destinations they can reach. */
  readonly securityGroupIds: readonly string[];
  /** Endpoints that the deployment creates in the VPC. If absent, the VPC has its own endpoints or a NAT gateway. */
  readonly endpoints?: { readonly routeTableIds: readonly string[] };
}

/** Reads the settings. @throws if a value is missing, or if a VPC is configured on the emulator. */
export function networkSettings(node: Node, onEmulator: boolean): NetworkSettings | undefined {
  const [vpcId, ...further] = words(
    node,
    'vpcId',
    /^vpc-(?:[0-9a-f]{8}|[0-9a-f]{17})$/,
    'one VPC such as "vpc-0a1b2c3d"',
  );
  const subnetIds = words(
    node,
    'subnetIds',
    /^subnet-(?:[0-9a-f]{8}|[0-9a-f]{17})$/,
    'subnets such as "subnet-0a1b2c3d"',
  );
  const securityGroupIds = words(
    node,
    'securityGroupIds',
    /^sg-(?:[0-9a-f]{8}|[0-9a-f]{17})$/,
    'security groups such as "sg-0a1b2c3d"',
  );
  const routeTableIds = words(
    node,
    'routeTableIds',
    /^rtb-(?:[0-9a-f]{8}|[0-9a-f]{17})$/,
    'route tables such as "rtb-0a1b2c3d"',
  );
  const makesEndpoints = word(node, 'vpcEndpoints', ['off', 'on']) === 'on';
  const given = vpcId !== undefined || subnetIds.length + securityGroupIds.length > 0 || makesEndpoints;
  if (!given) return undefined;
  if (onEmulator) throw new Error('Context "vpcId" needs AWS: leave it out with stage=emulator.');
  if (vpcId === undefined || further.length > 0 || subnetIds.length === 0 || securityGroupIds.length === 0)
    throw new Error('Context "vpcId" (one), "subnetIds" and "securityGroupIds" belong together: name all three.');
  if (makesEndpoints && routeTableIds.length === 0)
    throw new Error(
      'Context "vpcEndpoints=on" needs "routeTableIds": the endpoints of DynamoDB and S3 are routes of the subnets.',
    );
  return { vpcId, subnetIds, securityGroupIds, ...(makesEndpoints && { endpoints: { routeTableIds } }) };
}
