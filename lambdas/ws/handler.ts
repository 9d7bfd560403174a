import { lazyConnectionPosts } from '#adapters/aws/connection-post.ts';
import { lazyFunctionInvoke } from '#adapters/aws/function-invoke.ts';
import { connectionsTable } from '#adapters/tables/connections-table.ts';
import { compose, composedEarly } from '../aws.ts';
import { createHandler, type SocketEvent } from './event.ts';

const ready = await composedEarly(() => {
  const made = ports(process.env);
  return { ports: made, answer: createHandler(made) };
});

export const handler = (event: SocketEvent) => ready().answer(event);

function ports(environment: NodeJS.ProcessEnv) {
  const { CONNECTIONS_URL, WS_WORKER_FUNCTION } = environment;
  if (!CONNECTIONS_URL || !WS_WORKER_FUNCTION)
    throw new Error("the function's environment lacks CONNECTIONS_URL or WS_WORKER_FUNCTION");
  const gateway = compose(environment);
  return {
    ...gateway,
    connections: connectionsTable({ ...gateway.store, clock: gateway.clock }),
    posts: lazyConnectionPosts(CONNECTIONS_URL),
    handOver: lazyFunctionInvoke(WS_WORKER_FUNCTION),
  };
}
