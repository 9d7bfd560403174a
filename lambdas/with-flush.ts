/** Sends pending telemetry before Lambda freezes a function: the outermost middleware of every function. */
import middy from '@middy/core';

/** The context of a Lambda invocation. */
export interface LambdaContext {
  readonly awsRequestId: string;
  getRemainingTimeInMillis?(): number;
}

/** Telemetry that is buffered and sent later. */
interface Flushed {
  flush(): Promise<void>;
}

/**
 * Wraps a function's handler. Telemetry is flushed after each call, including failed ones.
 * @param telemetry called after the handler has composed its ports.
 */
export function withFlush<Event, Reply>(
  telemetry: () => Flushed,
  handler: (event: Event, context: LambdaContext) => Promise<Reply>,
): (event: Event, context: LambdaContext) => Promise<Reply> {
  const flush = () => telemetry().flush();
  // The gateway limits its own work to end before Lambda's deadline, so middy must not end it earlier.
  const chain = middy({ timeoutEarlyInMillis: 0 })
    .use({ after: flush, onError: flush })
    .handler(handler as never);
  return (event, context) => (chain as unknown as typeof handler)(event, context);
}
