/** The features as a list, for the hosts. */
import type { PlatformConditions } from '#core/operations/alerts/evaluate.ts';
import type { GatewayPorts } from '#core/operations/ports.ts';
import type { Feature, LocalLog } from './feature.ts';
import * as list from './index.ts';

export const features: readonly Feature[] = Object.values(list);

/** Loads the log of chain points for a gateway on this machine, if a feature keeps one. */
export const localLog = async (): Promise<LocalLog | undefined> =>
  features.find((feature) => feature.localLog)?.localLog?.();

/** Returns the alert conditions that features add, by readable name. */
export const conditionsOf = (ports: GatewayPorts): Readonly<Record<string, PlatformConditions>> =>
  Object.fromEntries(
    features.flatMap(({ conditions = {} }) =>
      Object.entries(conditions).map(([name, load]): [string, PlatformConditions] => [
        name,
        async (...measured) => (await load()).conditions(ports, ...measured),
      ]),
    ),
  );

/** Starts the features' background work for a gateway on this machine. */
export const localWork = (ports: GatewayPorts) =>
  Promise.all(
    features.flatMap(({ localWork: load }) => (load ? [load().then(({ startWork }) => startWork(ports))] : [])),
  );
