/**
 * Queue for events that could not be delivered by any retry. An alarm watches its depth; the runbook describes the
 * replay.
 */
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { accept } from './findings.ts';
import { deadLetterName, type GatewaySettings } from './settings.ts';

interface DeadLettersProps {
  readonly settings: GatewaySettings;
}

export class DeadLetters extends Construct {
  readonly queue: Queue;

  constructor(scope: Construct, id: string, { settings }: DeadLettersProps) {
    super(scope, id);
    this.queue = new Queue(this, 'Queue', {
      queueName: deadLetterName(settings),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: settings.httpsOnly,
      retentionPeriod: Duration.days(14),
      removalPolicy: RemovalPolicy.DESTROY,
    });
    accept(this, { 'AwsSolutions-SQS3': 'This is the dead letter queue.' });
  }
}
