/**
 * The sandbox's isolated network: it has no gateway, endpoint, peering or DNS, no route except the local one, and a
 * security group that allows no traffic in or out.
 */
import { Fn } from 'aws-cdk-lib';
import { CfnSecurityGroup, CfnSubnet, CfnVPC } from 'aws-cdk-lib/aws-ec2';
import { Construct } from 'constructs';
import { accept } from './findings.ts';

/** Network range. Any range works, because the network is never connected to another. */
const range = '10.255.0.0/24';
const zones = 2;

export class SandboxNetwork extends Construct {
  readonly subnetIds: readonly string[];
  readonly securityGroupIds: readonly string[];

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const vpc = new CfnVPC(this, 'Vpc', {
      cidrBlock: range,
      // The resolver responds in every subnet, regardless of its security group, so DNS would be a way out.
      enableDnsSupport: false,
      enableDnsHostnames: false,
    });
    const blocks = Fn.cidr(vpc.attrCidrBlock, zones, '6');
    const subnets = Array.from(
      { length: zones },
      (_, at) =>
        new CfnSubnet(this, `Subnet${at}`, {
          vpcId: vpc.attrVpcId,
          cidrBlock: Fn.select(at, blocks),
          availabilityZone: Fn.select(at, Fn.getAzs()),
          mapPublicIpOnLaunch: false,
        }),
    );
    const nothing = new CfnSecurityGroup(this, 'Nothing', {
      vpcId: vpc.attrVpcId,
      groupDescription: 'agent governance gateway: commands reach nothing',
      securityGroupIngress: [],
      securityGroupEgress: [toNobody],
    });
    this.subnetIds = subnets.map(({ attrSubnetId }) => attrSubnetId);
    this.securityGroupIds = [nothing.attrGroupId];
    accept(this, {
      'AwsSolutions-VPC7': 'There is no flow to log: no route leads out, no rule lets anything through.',
    });
  }
}

/** Rule that does not match any packet. Without an egress rule, the group would get one that allows everything. */
const toNobody = { ipProtocol: 'icmp', fromPort: 252, toPort: 86, cidrIp: '255.255.255.255/32' };
