/** Who looks after the gateway: alarms, the dashboard. */
import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { Alarms, type Watched } from './alarms.ts';
import { Dashboard } from './dashboard.ts';
import type { GatewaySettings } from './settings.ts';

export interface GatewayWatchProps extends StackProps {
  readonly settings: GatewaySettings;
  readonly watched: Watched;
}

export class GatewayWatch extends Stack {
  constructor(scope: Construct, id: string, props: GatewayWatchProps) {
    super(scope, id, props);
    const { settings, watched } = props;
    const alarms = new Alarms(this, 'Alarms', { settings, watched });
    new Dashboard(this, 'Dashboard', { settings, watched });
    new CfnOutput(this, 'AlarmTopicArn', { value: alarms.topic.topicArn });
  }
}
