/** Sends what telemetry holds before Lambda freezes a function: the outermost middleware of every function. */
import middy from '@middy/core';

/** The context of a Lambda invocation. */
export interface LambdaContext {
  readonly awsRequestId: string;
  getRemainingTimeInMillis?(): number;
}

/** Telemetry that is sent later. */
interface Flushed {
  flush(): Promise<void>;
}

/**
 * Wraps the handler of a function. Telemetry is flushed after each call, failed ones included.
 * @param telemetry called after the handler has composed its ports.
 */
export function flushed<Event, Reply>(
  telemetry: () => Flushed,
  handler: (event: Event, context: LambdaContext) => Promise<Reply>,
): (event: Event, context: LambdaContext) => Promise<Reply> {
  const flush = () => telemetry().flush();
  // The gateway bounds its own work before Lambda's deadline, and middy must not end it earlier.
  const chain = middy({ timeoutEarlyInMillis: 0 })
    .use({ after: flush, onError: flush })
    .handler(handler as never);
  return (event, context) => (chain as unknown as typeof handler)(event, context);
}
