import { lazyConnectionPosts } from '#adapters/aws/connection-post.ts';
import { systemTimeouts } from '#adapters/system/timeouts.ts';
import { connectionsTable } from '#adapters/tables/connections-table.ts';
import type { DispatchedCall } from '#core/chat/socket-ports.ts';
import { composedEarly } from '../aws.ts';
import { composeChat } from '../aws-chat.ts';
import { createHandler, type WorkerPorts } from './event.ts';

const ready = await composedEarly(() => ({ ports: workerPorts(process.env) }));

/** Time reserved for settling the call when the function is about to time out. */
const settlingMs = 10_000;

export async function handler(work: DispatchedCall, context: { getRemainingTimeInMillis(): number }): Promise<void> {
  const { ports } = ready();
  const time = new AbortController();
  const left = Math.max(0, context.getRemainingTimeInMillis() - settlingMs);
  const cancel = systemTimeouts.after(left, () => time.abort());
  try {
    await createHandler(ports)(work, { signal: time.signal });
  } finally {
    cancel();
    await ports.telemetry.flush();
  }
}

function workerPorts(environment: NodeJS.ProcessEnv): WorkerPorts {
  const { CONNECTIONS_URL } = environment;
  if (!CONNECTIONS_URL) throw new Error("the function's environment lacks CONNECTIONS_URL");
  const chat = composeChat(environment);
  return {
    ...chat,
    connections: connectionsTable({ ...chat.store, clock: chat.clock }),
    posts: lazyConnectionPosts(CONNECTIONS_URL),
  };
}
