/** Evaluates alerts once per minute [alert.lifecycle]. */
import { Turns } from '#core/kernel/turns.ts';
import { ChainWatch } from '#core/operations/alerts/chain-watch.ts';
import { evaluateAlerts } from '#core/operations/alerts/evaluate.ts';
import { RefusalWatch } from '#core/operations/alerts/refusal-watch.ts';
import { TrafficWatch } from '#core/operations/alerts/traffic-watch.ts';
import { conditionsOf } from '#features/features.ts';
import { completing } from '../middleware/schedule-completed.ts';
import type { GatewayPorts } from '../ports.ts';

export const createHandler = (ports: GatewayPorts) => {
  const watches = {
    traffic: new TrafficWatch(),
    chains: new ChainWatch(),
    refusals: new RefusalWatch(),
    turns: new Turns(),
  };
  const measuring = { ...ports, conditions: conditionsOf(ports) };
  return async (): Promise<{ changed: number }> => {
    const changed = await completing(ports, 'alerts', () => evaluateAlerts(measuring, watches));
    return { changed: changed ?? 0 };
  };
};
