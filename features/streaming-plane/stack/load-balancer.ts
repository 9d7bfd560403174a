/** The streaming plane's load balancer: TLS, idle timeout for streams, access logs. */
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Peer, Port, SecurityGroup } from 'aws-cdk-lib/aws-ec2';
import {
  type ApplicationListener,
  ApplicationLoadBalancer,
  ApplicationProtocol,
  DesyncMitigationMode,
  SslPolicy,
} from 'aws-cdk-lib/aws-elasticloadbalancingv2';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { functionSeconds } from '#core/contracts/host-limits.ts';
import { accept } from '../../../lib/findings.ts';
import type { GatewaySettings } from '../../../lib/settings.ts';
import type { StreamingNetwork } from './network.ts';
import type { StreamingSettings } from './settings.ts';

/**
 * Idle time after which a connection is closed; longer than an action may execute. Streams send a comment every 15
 * seconds.
 */
export const idleSeconds = functionSeconds.action + 10;

const privateRanges = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'];

interface StreamingBalancerProps {
  readonly settings: GatewaySettings;
  readonly streaming: StreamingSettings;
  readonly network: StreamingNetwork;
}

export class StreamingBalancer extends Construct {
  readonly balancer: ApplicationLoadBalancer;
  readonly listener: ApplicationListener;

  constructor(scope: Construct, id: string, { settings, streaming, network }: StreamingBalancerProps) {
    super(scope, id);
    const { tls, access } = streaming;
    const port = tls ? 443 : 80;
    const callers = new SecurityGroup(this, 'Callers', {
      vpc: network.vpc,
      description: 'agent governance gateway: callers of the streaming plane',
      allowAllOutbound: false,
    });
    for (const range of access === 'public' ? ['0.0.0.0/0'] : privateRanges)
      callers.addIngressRule(Peer.ipv4(range), Port.tcp(port), 'callers');
    if (access === 'public')
      accept(callers, {
        'AwsSolutions-EC23': 'As with the APIs, callers are agents anywhere; each request carries a gateway key.',
      });
    this.balancer = new ApplicationLoadBalancer(this, 'Balancer', {
      vpc: network.vpc,
      vpcSubnets: network.balancerSubnets,
      internetFacing: access === 'public',
      securityGroup: callers,
      idleTimeout: Duration.seconds(idleSeconds),
      dropInvalidHeaderFields: true,
      desyncMitigationMode: DesyncMitigationMode.STRICTEST,
      deletionProtection: settings.protected,
    });
    this.#keepAccessLogs();
    this.listener = this.balancer.addListener('Listener', {
      port,
      protocol: tls ? ApplicationProtocol.HTTPS : ApplicationProtocol.HTTP,
      open: false, // the rule above restricts callers
      ...(tls && { certificates: [{ certificateArn: tls.certificate }], sslPolicy: SslPolicy.TLS13_12_RES_PQ }),
    });
  }

  /** Sets attributes on the load balancer instead of calling `logAccessLogs`, which requires a known region. */
  #keepAccessLogs(): void {
    const logs = new Bucket(this, 'AccessLogs', {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      lifecycleRules: [{ expiration: Duration.days(90) }],
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    accept(logs, {
      'AwsSolutions-S1': 'This bucket contains access logs; a log of who wrote them would only name the same service.',
    });
    logs.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('logdelivery.elasticloadbalancing.amazonaws.com')],
        actions: ['s3:PutObject'],
        resources: [logs.arnForObjects('*')],
      }),
    );
    this.balancer.setAttribute('access_logs.s3.enabled', 'true');
    this.balancer.setAttribute('access_logs.s3.bucket', logs.bucketName);
    this.balancer.node.addDependency(logs.policy!);
    accept(this.balancer, {
      'AwsSolutions-ELB2': 'Access logs are on, by the attributes access_logs.s3 of the load balancer.',
    });
  }
}
