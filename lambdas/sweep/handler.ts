import { brokerOutside } from '#adapters/aws/broker-outside.ts';
import { lazyStepFunctionsClock } from '#adapters/aws/step-functions-clock.ts';
import { eventHandler } from '../aws.ts';
import { createHandler } from './event.ts';

export const handler = await eventHandler(createHandler, {
  approvalClock: lazyStepFunctionsClock,
  outside: brokerOutside,
});
