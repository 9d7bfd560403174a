import { brokerOutside } from '#adapters/aws/broker-outside.ts';
import { lazyStepFunctionsClock } from '#adapters/aws/step-functions-clock.ts';
import { streamInboxes } from '#adapters/aws/stream-inboxes.ts';
import { compose } from '../aws.ts';
import { withMcpServers } from '../aws-mcp.ts';
import { streamingHandler } from '../aws-stream.ts';
import { mcpGateway } from './compose.ts';
import { door } from './door.ts';

export const handler = streamingHandler(() => {
  const composed = compose(process.env, { approvalClock: lazyStepFunctionsClock, outside: brokerOutside });
  const { ports, gateway } = mcpGateway(withMcpServers(composed));
  const inboxes = streamInboxes({ ...composed, ...composed.store });
  return { telemetry: ports.telemetry, handler: door({ ...ports, inboxes }, gateway) };
});
