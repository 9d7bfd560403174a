import { brokerClients } from '#adapters/aws/broker-clients.ts';
import { lazyKmsSigner } from '#adapters/aws/kms-signer.ts';
import { lazyStepFunctionsClock } from '#adapters/aws/step-functions-clock.ts';
import { compose } from '../aws.ts';
import { awsExecutors } from '../aws-executors.ts';
import { streamingHandler } from '../aws-stream.ts';
import { createHandler } from './http.ts';

export const handler = await streamingHandler(() => {
  const composed = compose(process.env, {
    approvalClock: lazyStepFunctionsClock,
    votes: lazyKmsSigner,
    brokerClients,
  });
  const ports = awsExecutors(composed, process.env);
  return { ports, handler: createHandler(ports) };
});
