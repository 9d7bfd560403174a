import { lazyKmsSigner } from '#adapters/aws/kms-signer.ts';
import { lazyStepFunctionsClock } from '#adapters/aws/step-functions-clock.ts';
import { httpHandler } from '../aws.ts';
import { createHandler } from './http.ts';

export const handler = await httpHandler(createHandler, {
  approvalClock: lazyStepFunctionsClock,
  votes: lazyKmsSigner,
});
