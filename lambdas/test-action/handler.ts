import { brokerOutside } from '#adapters/aws/broker-outside.ts';
import { lazyStepFunctionsClock } from '#adapters/aws/step-functions-clock.ts';
import { httpHandler } from '../aws.ts';
import { awsExecutors } from '../aws-executors.ts';
import { door } from './door.ts';

export const handler = httpHandler(door, {
  approvalClock: lazyStepFunctionsClock,
  outside: brokerOutside,
  executors: awsExecutors,
});
