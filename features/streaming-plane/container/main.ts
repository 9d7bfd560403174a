/**
 * The streaming plane: chat, MCP and actions of a deployment behind a load balancer, where the gateway notices when a
 * caller disconnects.
 */
import { brokerClients } from '#adapters/aws/broker-clients.ts';
import { awsExecutorClients } from '#adapters/executors/clients.ts';
import { lazyEffects } from '#adapters/sql/lazy-effects.ts';
import { backgroundWork } from '#adapters/work/background.ts';
import type { HttpEvent } from '#core/contracts/http.ts';
import { routes } from '#features/routes.ts';
import { composeChat } from '#lambdas/aws-chat.ts';
import { withExecutors } from '#lambdas/executors.ts';
import { chatHandlers } from '#lambdas/handlers.ts';
import { mcpOnAws } from '#lambdas/mcp/on-aws.ts';
import { beforeBody } from '#lambdas/middleware/before-body.ts';
import { httpEndpoint } from '#lambdas/middleware/http-endpoint.ts';
import { endingSignal } from '../../../bin/local/ending-signal.ts';
import { type HttpServer, listen } from '../../../bin/local/http-server.ts';
import { inFlight } from '../../../bin/local/in-flight.ts';
import type { LoadBalancer } from '../../../bin/local/load-balancer.ts';
import { messagesError } from '../../../bin/local/messages-error.ts';
import { repeatEvery } from '../../../bin/local/schedule.ts';
import { webSockets } from '../../../bin/local/web-socket.ts';
import { isOfPlane } from '../functions.ts';
import { planeLimits } from '../limits.ts';

/**
 * Time for recording outcomes and sending spans after the last call was cut off. ECS kills the process after
 * `stopTimeout`.
 */
const settlingMs = 4_500;

/**
 * Serves until SIGTERM, then drains: stops accepting connections, gives running calls time to end, and cuts off and
 * settles the rest [local.drain].
 */
export async function main(environment: NodeJS.ProcessEnv): Promise<void> {
  const { port, loadBalancer, drainMs } = planeSettings(environment);
  const signalled = endingSignal();
  const started = Promise.withResolvers<typeof plane.ports>();
  const sockets = webSockets(started.promise, { loadBalancer, drainMs });
  const plane = startPlane(environment, sockets.open);
  started.resolve(plane.ports);
  const { ids, telemetry, version } = plane.ports;
  const server: HttpServer = await listen({
    host: '0.0.0.0',
    port,
    loadBalancer,
    routes: routes.filter(isOfPlane),
    handlers: Promise.resolve(plane.handlers),
    ids,
    telemetry,
    maxBodyBytes: plane.maxBodyBytes,
    beforeBody: (event: HttpEvent) => beforeBody(event, plane.ports),
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
  process.exit(0); // anything a library still keeps open
}

interface PlaneSettings {
  readonly port: number;
  readonly loadBalancer: LoadBalancer;
  /** Milliseconds that calls have to end after SIGTERM. Calls still running after that are cut off and settled. */
  readonly drainMs: number;
}

/** Added to the load balancer's idle timeout, so that the plane keeps connections open longer. */
const longerMs = 10_000;

/** @throws Error naming the variable that is missing or malformed. */
export function planeSettings(environment: NodeJS.ProcessEnv): PlaneSettings {
  const whole = (name: string, most: number): number => {
    const value = environment[name] ?? '';
    if (/^\d{1,6}$/.test(value) && Number(value) <= most) return Number(value);
    throw new Error(`${name} must be a whole number up to ${most}, got ${JSON.stringify(value)}.`);
  };
  const hosts = (environment.PLANE_HOSTS ?? '').split(',').filter((host) => host !== '');
  const tls = environment.PLANE_TLS;
  if (hosts.length === 0) throw new Error('PLANE_HOSTS must contain the names under which callers reach the plane.');
  if (tls !== 'on' && tls !== 'off') throw new Error(`PLANE_TLS must be on or off, got ${JSON.stringify(tls)}.`);
  return {
    port: whole('PLANE_PORT', 65_535),
    loadBalancer: {
      hosts: hosts.map((host) => host.toLowerCase()),
      tls: tls === 'on',
      keepAliveMs: whole('PLANE_IDLE_SECONDS', 4_000) * 1_000 + longerMs,
    },
    drainMs: whole('PLANE_DRAIN_SECONDS', 115) * 1_000,
  };
}

/** Interval for sending spans and metrics; a function sends them after each call. */
const flushEveryMs = 10_000;

/** @param openSockets returns the number of WebSockets, for the metric on which the service scales. */
function startPlane(environment: NodeJS.ProcessEnv, openSockets: () => number) {
  const composed = composeChat(environment, { brokerClients });
  const { telemetry, snapshots } = composed;
  // One process serves many callers, so heavy work runs outside its main thread (decision 0044).
  const background = backgroundWork({ telemetry, effects: lazyEffects, packs: 'policies' });
  const { texts, calls } = background;
  const ports = { ...composed, effects: background.effects, texts, calls, hostLimits: planeLimits };
  const mcp = mcpOnAws(ports);
  // Its ports execute MCP server calls in the sessions of its clients.
  const actions = httpEndpoint(
    'test-action',
    withExecutors(mcp.ports, awsExecutorClients(environment.SANDBOX_FUNCTION)),
  );
  const running = inFlight();
  const flush = async () => {
    telemetry.gauge('svc_plane_active_calls', running.count() + openSockets());
    await telemetry.flush();
  };
  const flushing = repeatEvery(flushEveryMs, flush, (fault) =>
    telemetry.log('error', 'telemetry was not sent', { error: (fault as Error).message }),
  );
  return {
    ports,
    handlers: running.watched({ ...chatHandlers(ports), mcp: mcp.handler, 'test-action': actions }),
    maxBodyBytes: async () => (await snapshots.current({ evenStale: true })).configuration.server.max_body_bytes,
    /** Ends streams that would otherwise stay open as long as their clients do. */
    endStreams: () => mcp.gateway.endStreams(),
    /** Settles the calls of disconnected callers, and sends pending telemetry. */
    async stop(): Promise<void> {
      await mcp.gateway.stop();
      await running.over();
      await flushing.stop();
      await background.stop();
      await composed.wasm.stop();
      await flush();
    },
  };
}
