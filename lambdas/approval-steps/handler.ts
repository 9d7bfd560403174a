import { brokerClients } from '#adapters/aws/broker-clients.ts';
import { lazyKmsSigner } from '#adapters/aws/kms-signer.ts';
import { lazyStepFunctionsClock } from '#adapters/aws/step-functions-clock.ts';
import { eventHandler } from '../aws.ts';
import { awsExecutors } from '../aws-executors.ts';
import { createHandler } from './event.ts';

export const handler = await eventHandler(createHandler, {
  approvalClock: lazyStepFunctionsClock,
  votes: lazyKmsSigner,
  brokerClients,
  executors: awsExecutors,
});
