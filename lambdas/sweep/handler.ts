import { brokerClients } from '#adapters/aws/broker-clients.ts';
import { lazyStepFunctionsClock } from '#adapters/aws/step-functions-clock.ts';
import { eventHandler } from '../aws.ts';
import { createHandler } from './event.ts';

export const handler = await eventHandler(createHandler, {
  approvalClock: lazyStepFunctionsClock,
  brokerClients,
});
