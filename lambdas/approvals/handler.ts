import { lazyKmsSigner } from '#adapters/aws/kms-signer.ts';
import { lazyStepFunctionsClock } from '#adapters/aws/step-functions-clock.ts';
import { httpHandler } from '../aws.ts';
import { door } from './door.ts';

export const handler = await httpHandler(door, { approvalClock: lazyStepFunctionsClock, votes: lazyKmsSigner });
