/** The optional streaming plane: chat and MCP in containers that see their callers (0075). */
import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { ApplicationListener } from 'aws-cdk-lib/aws-elasticloadbalancingv2';
import type { Construct } from 'constructs';
import type { GatewaySettings } from './settings.ts';
import { Stores } from './stores.ts';
import { StreamingBalancer } from './streaming/load-balancer.ts';
import { StreamingNetwork } from './streaming/network.ts';
import { StreamingService } from './streaming/service.ts';
import type { StreamingSettings } from './streaming-settings.ts';
import type { ApiIds } from './surface-api.ts';

interface GatewayStreamingProps extends StackProps {
  readonly settings: GatewaySettings;
  readonly streaming: StreamingSettings;
  readonly environment: Readonly<Record<string, string>>;
  readonly apis: ApiIds;
}

export class GatewayStreaming extends Stack {
  readonly plane: StreamingService;
  readonly listener: ApplicationListener;

  constructor(scope: Construct, id: string, props: GatewayStreamingProps) {
    super(scope, id, props);
    const { settings, streaming } = props;
    const network = new StreamingNetwork(this, 'Network', { settings, streaming });
    const stores = new Stores(this, 'Stores', { settings });
    const balancer = new StreamingBalancer(this, 'Reached', { settings, streaming, network });
    this.listener = balancer.listener;
    this.plane = new StreamingService(this, 'Plane', { ...props, stores, network, balancer });
    const { loadBalancerDnsName, loadBalancerArn } = balancer.balancer;
    const url = streaming.tls ? `https://${streaming.tls.host}` : `http://${loadBalancerDnsName}`;
    new CfnOutput(this, 'StreamingUrl', { value: url });
    new CfnOutput(this, 'LoadBalancerDnsName', { value: loadBalancerDnsName });
    new CfnOutput(this, 'LoadBalancerArn', { value: loadBalancerArn });
  }
}
