import { brokerOutside } from '#adapters/aws/broker-outside.ts';
import { lazyStepFunctionsClock } from '#adapters/aws/step-functions-clock.ts';
import { eventHandler } from '../aws.ts';
import { door } from './door.ts';

export const handler = await eventHandler(door, { approvalClock: lazyStepFunctionsClock, outside: brokerOutside });
