/** The network of the tasks and the load balancer, in a VPC named by the deployment or in a new one. */
import { RemovalPolicy } from 'aws-cdk-lib';
import {
  FlowLogDestination,
  FlowLogTrafficType,
  GatewayVpcEndpointAwsService,
  type ISecurityGroup,
  type IVpc,
  SecurityGroup,
  Subnet,
  type SubnetSelection,
  SubnetType,
  Vpc,
} from 'aws-cdk-lib/aws-ec2';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { GatewaySettings } from '../../../lib/settings.ts';
import type { StreamingSettings } from './settings.ts';

interface StreamingNetworkProps {
  readonly settings: GatewaySettings;
  readonly streaming: StreamingSettings;
}

export class StreamingNetwork extends Construct {
  readonly vpc: IVpc;
  readonly taskSubnets: SubnetSelection;
  readonly balancerSubnets: SubnetSelection;
  /** Security groups that the deployment names for the tasks; upstreams admit these groups. */
  readonly taskGroups: readonly ISecurityGroup[];

  constructor(scope: Construct, id: string, { settings, streaming }: StreamingNetworkProps) {
    super(scope, id);
    const { network, stage } = settings;
    if (network === undefined) {
      this.vpc = this.#ownVpc(stage === 'prod' ? 2 : 1);
      this.taskSubnets = { subnetType: SubnetType.PRIVATE_WITH_EGRESS };
      this.balancerSubnets = {
        subnetType: streaming.access === 'public' ? SubnetType.PUBLIC : SubnetType.PRIVATE_WITH_EGRESS,
      };
      this.taskGroups = [];
      return;
    }
    const named = (kind: string, ids: readonly string[]): SubnetSelection => ({
      subnets: ids.map((subnetId, at) =>
        // A template that refers to a subnet by id contains neither its zone nor its route table.
        Subnet.fromSubnetAttributes(this, `${kind}${at}`, {
          subnetId,
          availabilityZone: `${at}`,
          routeTableId: 'unused',
        }),
      ),
    });
    this.vpc = Vpc.fromVpcAttributes(this, 'Vpc', { vpcId: network.vpcId, availabilityZones: ['unused'] });
    this.taskSubnets = named('Task', network.subnetIds);
    this.balancerSubnets = named('Balancer', streaming.balancerSubnetIds);
    this.taskGroups = network.securityGroupIds.map((group, at) =>
      SecurityGroup.fromSecurityGroupId(this, `Group${at}`, group, { mutable: false }),
    );
  }

  /**
   * Creates a VPC with two zones. Tasks reach providers through NAT gateways, and tables and objects through endpoints,
   * which are free.
   */
  #ownVpc(natGateways: number): IVpc {
    const logGroup = new LogGroup(this, 'Rejected', {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const vpc = new Vpc(this, 'Vpc', {
      maxAzs: 2,
      natGateways,
      restrictDefaultSecurityGroup: false,
      subnetConfiguration: [
        { name: 'public', subnetType: SubnetType.PUBLIC, mapPublicIpOnLaunch: false },
        { name: 'tasks', subnetType: SubnetType.PRIVATE_WITH_EGRESS },
      ],
      gatewayEndpoints: {
        tables: { service: GatewayVpcEndpointAwsService.DYNAMODB },
        objects: { service: GatewayVpcEndpointAwsService.S3 },
      },
      flowLogs: {
        rejected: {
          destination: FlowLogDestination.toCloudWatchLogs(logGroup),
          trafficType: FlowLogTrafficType.REJECT,
        },
      },
    });
    return vpc as IVpc;
  }
}
