/** Who looks after the gateway: alarms and two dashboards. */
import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Watched } from './alarms/alarm.ts';
import { Alarms } from './alarms.ts';
import { Dashboard } from './dashboard.ts';
import { Overview } from './overview.ts';
import type { GatewaySettings } from './settings.ts';

interface GatewayWatchProps extends StackProps {
  readonly settings: GatewaySettings;
  readonly watched: Watched;
}

export class GatewayWatch extends Stack {
  constructor(scope: Construct, id: string, props: GatewayWatchProps) {
    super(scope, id, props);
    const { settings, watched } = props;
    const alarms = new Alarms(this, 'Alarms', { settings, watched });
    new Overview(this, 'Overview', { settings, watched, alarms: alarms.all });
    new Dashboard(this, 'Dashboard', { settings, watched });
    new CfnOutput(this, 'PageTopicArn', { value: alarms.topics.page.topicArn });
    new CfnOutput(this, 'TicketTopicArn', { value: alarms.topics.ticket.topicArn });
  }
}
