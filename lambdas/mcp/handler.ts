import { brokerOutside } from '#adapters/aws/broker-outside.ts';
import { lazyStepFunctionsClock } from '#adapters/aws/step-functions-clock.ts';
import { compose } from '../aws.ts';
import { awsMcp } from '../aws-mcp.ts';
import { streamingHandler } from '../aws-stream.ts';
import { door } from './door.ts';

export const handler = streamingHandler(() => {
  const { ports, gateway } = awsMcp(
    compose(process.env, { approvalClock: lazyStepFunctionsClock, outside: brokerOutside }),
  );
  return { telemetry: ports.telemetry, handler: door(ports, gateway) };
});
