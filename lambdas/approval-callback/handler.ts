import { lazyKmsSigner } from '#adapters/aws/kms-signer.ts';
import { lazyStepFunctionsClock } from '#adapters/aws/step-functions-clock.ts';
import { notificationClients } from '#adapters/http/notification-clients.ts';
import { compose } from '../aws.ts';
import { streamingHandler } from '../aws-stream.ts';
import { createHandler } from './http.ts';

export const handler = await streamingHandler(() => {
  const ports = compose(process.env, {
    approvalClock: lazyStepFunctionsClock,
    votes: lazyKmsSigner,
    notificationClients,
  });
  return { ports, handler: createHandler(ports) };
});
