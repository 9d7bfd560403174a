/** Contexts under which the streaming plane is synthesized. */
export const certificate = 'arn:aws:acm:eu-west-1:123456789012:certificate/0a1b2c3d';

export const namedVpc = {
  vpcId: 'vpc-0a1b2c3d',
  subnetIds: 'subnet-0000000a,subnet-0000000b',
  securityGroupIds: 'sg-0a1b2c3d',
  streamingSubnetIds: 'subnet-0000000c,subnet-0000000d',
} as const;
