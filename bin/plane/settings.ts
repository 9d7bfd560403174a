/** What the task definition sets for the streaming plane, besides what every function gets. */
import type { LoadBalancer } from '../local/load-balancer.ts';

interface PlaneSettings {
  readonly port: number;
  readonly loadBalancer: LoadBalancer;
  /** Milliseconds for calls to end after SIGTERM; what is left is cut, and settled. */
  readonly drainMs: number;
}

/** Longer than the load balancer keeps an idle connection. */
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
  if (hosts.length === 0) throw new Error('PLANE_HOSTS must hold the names under which callers reach the plane.');
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
