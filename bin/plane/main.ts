/** The streaming plane: chat and MCP of a deployment behind a load balancer, where a caller that leaves is noticed. */
import type { HttpEvent } from '#core/contracts/http.ts';
import { planeRoutes } from '#core/contracts/streaming-plane.ts';
import { beforeBody } from '#lambdas/middleware/before-body.ts';
import { endingSignal } from '../local/ending-signal.ts';
import { type HttpServer, listen } from '../local/http-server.ts';
import { messagesError } from '../local/messages-error.ts';
import { webSockets } from '../local/web-socket.ts';
import { startPlane } from './compose.ts';
import { planeSettings } from './settings.ts';

/** After the last call was cut: recording what became of it, and sending spans. ECS kills the process after `stopTimeout`. */
const settlingMs = 4_500;

/** Serves until SIGTERM, then drains: takes no further connection, lets calls end in time, cuts and settles the rest [plane.drain]. */
export async function main(environment: NodeJS.ProcessEnv): Promise<void> {
  const { port, loadBalancer, drainMs } = planeSettings(environment);
  const signalled = endingSignal();
  const started = Promise.withResolvers<typeof plane.ports>();
  const sockets = webSockets(started.promise, { loadBalancer, drainMs });
  const plane = startPlane(environment, sockets.open);
  started.resolve(plane.ports);
  const { ids, telemetry, snapshots, version } = plane.ports;
  const server: HttpServer = await listen({
    host: '0.0.0.0',
    port,
    loadBalancer,
    routes: planeRoutes,
    handlers: Promise.resolve(plane.handlers),
    ids,
    telemetry,
    maxBodyBytes: plane.maxBodyBytes,
    beforeBody: (event: HttpEvent) => beforeBody(event, () => snapshots.current({ evenStale: true }), plane.ports),
    errorBody: messagesError,
    upgrade: sockets.upgrade,
  });
  telemetry.log('info', 'streaming plane ready', { port: server.port, version });
  await signalled;
  telemetry.log('info', 'streaming plane drains', { drain_ms: drainMs });
  setTimeout(() => process.exit(1), drainMs + settlingMs).unref();
  plane.endStreams();
  await Promise.all([sockets.close(), server.drain(drainMs)]);
  await plane.stop();
  process.exit(0); // whatever a library still holds open
}
