import { brokerClients } from '#adapters/aws/broker-clients.ts';
import { lazyKmsSigner } from '#adapters/aws/kms-signer.ts';
import { lazyStepFunctionsClock } from '#adapters/aws/step-functions-clock.ts';
import { compose } from '../aws.ts';
import { streamingHandler } from '../aws-stream.ts';
import { mcpOnAws } from './on-aws.ts';

export const handler = await streamingHandler(() =>
  mcpOnAws(compose(process.env, { approvalClock: lazyStepFunctionsClock, votes: lazyKmsSigner, brokerClients })),
);
