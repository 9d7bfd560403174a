/** Tasks of the streaming plane: image, role, environment, scaling. */
import { CfnOutput, Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Port, SecurityGroup } from 'aws-cdk-lib/aws-ec2';
import { Platform } from 'aws-cdk-lib/aws-ecr-assets';
import {
  AvailabilityZoneRebalancing,
  Capability,
  Cluster,
  ContainerImage,
  ContainerInsights,
  CpuArchitecture,
  FargateService,
  FargateTaskDefinition,
  type ICluster,
  LinuxParameters,
  LogDrivers,
  OperatingSystemFamily,
} from 'aws-cdk-lib/aws-ecs';
import {
  ApplicationProtocol,
  type ApplicationTargetGroup,
  TargetGroupLoadBalancingAlgorithmType,
} from 'aws-cdk-lib/aws-elasticloadbalancingv2';
import { PolicyDocument, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { accessOf } from '../../../lib/access.ts';
import type { AddedStackProps } from '../../../lib/added-stack.ts';
import { ownEnvironment } from '../../../lib/environment.ts';
import { accept } from '../../../lib/findings.ts';
import { findings } from '../../../lib/gateway-function.ts';
import { gatewayMetrics } from '../../../lib/metrics.ts';
import type { Stores } from '../../../lib/stores.ts';
import { planeFunctions, unionOf } from '../functions.ts';
import { idleSeconds, type StreamingBalancer } from './load-balancer.ts';
import type { StreamingNetwork } from './network.ts';
import type { StreamingSettings } from './settings.ts';

const port = 8080;
/** Fargate's maximum time between SIGTERM and SIGKILL. */
const stopSeconds = 120;
/** Time for calls to end. The rest of the stop time is for settling calls that were cut off. */
const drainSeconds = 110;
/** Time for the streams of a stopping task to end; the load balancer sends the task no new requests. */
const deregistrationSeconds = 300;

interface StreamingServiceProps extends Pick<AddedStackProps, 'settings' | 'environment' | 'apis' | 'specs'> {
  readonly streaming: StreamingSettings;
  readonly stores: Stores;
  readonly network: StreamingNetwork;
  readonly balancer: StreamingBalancer;
}

export class StreamingService extends Construct {
  readonly service: FargateService;
  /** The service's tasks as targets of the load balancer. */
  readonly targets: ApplicationTargetGroup;

  constructor(scope: Construct, id: string, props: StreamingServiceProps) {
    super(scope, id);
    const { network, balancer } = props;
    const cluster = new Cluster(this, 'Cluster', {
      vpc: network.vpc,
      containerInsightsV2: ContainerInsights.ENABLED,
    });
    const tasks = new SecurityGroup(this, 'Tasks', {
      vpc: network.vpc,
      description: 'agent governance gateway: tasks of the streaming plane',
    });
    tasks.addIngressRule(balancer.balancer.connections.securityGroups[0]!, Port.tcp(port), 'load balancer');
    this.service = new FargateService(this, 'Service', {
      cluster: cluster as ICluster,
      taskDefinition: this.#task(props),
      vpcSubnets: network.taskSubnets,
      securityGroups: [tasks, ...network.taskGroups],
      assignPublicIp: false,
      // No desired count: each release would reset it, and scaling has its own minimum.
      minHealthyPercent: 100,
      maxHealthyPercent: 200,
      circuitBreaker: { rollback: true },
      availabilityZoneRebalancing: AvailabilityZoneRebalancing.ENABLED,
      healthCheckGracePeriod: Duration.seconds(60),
    });
    this.targets = balancer.listener.addTargets('Tasks', {
      targets: [this.service],
      port,
      protocol: ApplicationProtocol.HTTP,
      loadBalancingAlgorithmType: TargetGroupLoadBalancingAlgorithmType.LEAST_OUTSTANDING_REQUESTS,
      deregistrationDelay: Duration.seconds(deregistrationSeconds),
      healthCheck: { path: '/health', interval: Duration.seconds(10), healthyThresholdCount: 2 },
    });
    this.#scale(props);
  }

  #task({ settings, specs, streaming, stores, environment, apis, balancer }: StreamingServiceProps) {
    const spec = unionOf(planeFunctions, specs);
    const role = new Role(this, 'TaskRole', {
      assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com'),
      description: `streaming plane: ${spec.purpose}`,
      inlinePolicies: {
        access: new PolicyDocument({ statements: accessOf(this, spec, stores, settings, apis) }),
      },
    });
    new CfnOutput(this, 'RoleArn', { value: role.roleArn }).overrideLogicalId('StreamingTaskRoleArn');
    accept(role, findings(spec, settings));
    const task = new FargateTaskDefinition(this, 'Task', {
      cpu: 1_024,
      memoryLimitMiB: 2_048,
      runtimePlatform: {
        cpuArchitecture: CpuArchitecture.ARM64,
        operatingSystemFamily: OperatingSystemFamily.LINUX,
      },
      taskRole: role.withoutPolicyUpdates(),
    });
    const logGroup = new LogGroup(this, 'Logs', {
      retention: RetentionDays.THREE_MONTHS,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const linuxParameters = new LinuxParameters(this, 'Linux');
    linuxParameters.dropCapabilities(Capability.ALL);
    // Spans are signed with keys from the environment, which a task does not have. Here, a caller could forge
    // CloudFront's headers.
    const { OTLP_TRACES_URL: _traces, BEHIND_EDGE: _edge, ...shared } = environment;
    task.addContainer('plane', {
      image: ContainerImage.fromAsset(`${settings.bundles}/streaming-plane`, { platform: Platform.LINUX_ARM64 }),
      readonlyRootFilesystem: true,
      linuxParameters,
      portMappings: [{ containerPort: port }],
      stopTimeout: Duration.seconds(stopSeconds),
      logging: LogDrivers.awsLogs({ streamPrefix: 'plane', logGroup }),
      environment: {
        ...shared,
        ...ownEnvironment(this, settings, stores, spec, apis),
        PLANE_PORT: `${port}`,
        PLANE_HOSTS: streaming.tls?.host ?? balancer.balancer.loadBalancerDnsName,
        PLANE_TLS: streaming.tls ? 'on' : 'off',
        PLANE_IDLE_SECONDS: `${idleSeconds}`,
        PLANE_DRAIN_SECONDS: `${drainSeconds}`,
      },
    });
    accept(task, {
      'AwsSolutions-ECS2': 'The environment holds names and addresses, never a secret: the plane reads secrets itself.',
      'AwsSolutions-IAM5[Resource::*]': 'ECR issues login tokens for no narrower resource.',
    });
    return task;
  }

  /**
   * Scales by CPU and by the number of concurrent calls that each task reports, since streams that wait for a model use
   * no CPU.
   */
  #scale({ settings, streaming }: StreamingServiceProps): void {
    const tasks = this.service.autoScaleTaskCount({ minCapacity: streaming.minTasks, maxCapacity: streaming.maxTasks });
    const cooldowns = { scaleInCooldown: Duration.minutes(10), scaleOutCooldown: Duration.minutes(1) };
    tasks.scaleOnCpuUtilization('Cpu', { targetUtilizationPercent: 60, ...cooldowns });
    tasks.scaleToTrackCustomMetric('Calls', {
      metric: gatewayMetrics(settings.name).planeActiveCalls,
      targetValue: streaming.callsPerTask,
      ...cooldowns,
    });
  }
}
