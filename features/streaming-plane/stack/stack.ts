/** The stack of the streaming plane: chat and MCP in containers that notice when callers disconnect (0075). */
import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { AddedStack, AddedStackProps } from '../../../lib/added-stack.ts';
import type { AlarmRow } from '../../../lib/alarms/alarm.ts';
import { Stores } from '../../../lib/stores.ts';
import { streamingAlarms } from './alarms.ts';
import { StreamingBalancer } from './load-balancer.ts';
import { StreamingNetwork } from './network.ts';
import { StreamingService } from './service.ts';
import { contextKeys, type StreamingSettings, streamingSettings } from './settings.ts';

export const streamingPlane: AddedStack = {
  contextKeys,
  planned: (node, settings) => {
    const streaming = streamingSettings(node, settings);
    return (
      streaming && {
        part: 'streaming',
        regional: { streamingCertificate: [streaming.tls?.certificate] },
        build: (app, props) => new GatewayStreaming(app, 'GatewayStreaming', { ...props, streaming }),
      }
    );
  },
};

interface GatewayStreamingProps extends AddedStackProps {
  readonly streaming: StreamingSettings;
}

class GatewayStreaming extends Stack {
  readonly alarms: readonly AlarmRow[];

  constructor(scope: Construct, id: string, props: GatewayStreamingProps) {
    super(scope, id, props);
    const { settings, streaming } = props;
    const network = new StreamingNetwork(this, 'Network', { settings, streaming });
    const stores = new Stores(this, 'Stores', { settings });
    const balancer = new StreamingBalancer(this, 'Reached', { settings, streaming, network });
    const plane = new StreamingService(this, 'Plane', { ...props, stores, network, balancer });
    const { loadBalancerDnsName, loadBalancerArn } = balancer.balancer;
    const url = streaming.tls ? `https://${streaming.tls.host}` : `http://${loadBalancerDnsName}`;
    new CfnOutput(this, 'StreamingUrl', { value: url });
    new CfnOutput(this, 'LoadBalancerDnsName', { value: loadBalancerDnsName });
    new CfnOutput(this, 'LoadBalancerArn', { value: loadBalancerArn });
    this.alarms = streamingAlarms(plane, balancer);
  }
}
