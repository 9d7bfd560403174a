/** What answers behind the listener: the handlers of chat and MCP over the stores of a deployment, in one process for all callers. */
import { brokerClients } from '#adapters/aws/broker-clients.ts';
import { lazyEffects } from '#adapters/sql/lazy-effects.ts';
import { backgroundWork } from '#adapters/work/background.ts';
import { planeLimits } from '#core/contracts/host-limits.ts';
import { composeChat } from '#lambdas/aws-chat.ts';
import { chatHandlers } from '#lambdas/handlers.ts';
import { mcpOnAws } from '#lambdas/mcp/on-aws.ts';
import { inFlight } from '../local/in-flight.ts';
import { every } from '../local/schedule.ts';

/** Spans and metrics leave so often: a function sends them after each call. */
const flushEveryMs = 10_000;

/** @param openSockets counts the WebSockets, for the metric that the service scales by. */
export function startPlane(environment: NodeJS.ProcessEnv, openSockets: () => number) {
  const composed = composeChat(environment, { brokerClients });
  const { telemetry, snapshots } = composed;
  // One process serves many callers, so heavy work leaves its thread (decisions 0044, 0051).
  const background = backgroundWork({ telemetry, effects: lazyEffects, packs: 'policies' });
  const { texts, calls } = background;
  const ports = { ...composed, effects: background.effects, texts, calls, hostLimits: planeLimits };
  const mcp = mcpOnAws(ports);
  const running = inFlight();
  const flush = async () => {
    telemetry.gauge('svc_plane_active_calls', running.count() + openSockets());
    await telemetry.flush();
  };
  const flushing = every(flushEveryMs, flush, (fault) =>
    telemetry.log('error', 'telemetry was not sent', { error: (fault as Error).message }),
  );
  return {
    ports,
    handlers: running.watched({ ...chatHandlers(ports), mcp: mcp.handler }),
    maxBodyBytes: async () => (await snapshots.current({ evenStale: true })).configuration.server.max_body_bytes,
    /** Ends what would go on for as long as its clients like. */
    endStreams: () => mcp.gateway.endStreams(),
    /** Settles the calls whose callers are gone, and sends what waits. */
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
