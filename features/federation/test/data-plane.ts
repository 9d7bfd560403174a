/** A data plane with its control plane, for contract tests. */
import { Turns } from '#core/kernel/turns.ts';
import { ChainWatch } from '#core/operations/alerts/chain-watch.ts';
import { evaluateAlerts } from '#core/operations/alerts/evaluate.ts';
import { RefusalWatch } from '#core/operations/alerts/refusal-watch.ts';
import { TrafficWatch } from '#core/operations/alerts/traffic-watch.ts';
import { conditionsOf } from '#features/features.ts';
import { configuration } from '../../../test/support/ports.ts';
import { type Federation, federation } from './two-planes.ts';

export const hour = 3_600;
export let both: Federation;
const call = { protocol: 'git', tool: 'scm.get_issue', target: 'acme/web', capability: 'read' };
export const act = (tool = 'scm.get_issue', key = 'plane-agent') =>
  both.atPlane('POST', '/admin/v1/test-action', { key, body: { ...call, tool, actor: { session: 'work' } } });
export const alerts = async () => {
  await evaluateAlerts(
    { ...both.plane.ports, conditions: conditionsOf(both.plane.ports) },
    {
      traffic: new TrafficWatch(),
      chains: new ChainWatch(),
      refusals: new RefusalWatch(),
      turns: new Turns(),
    },
  );
  const { body } = await both.atPlane('GET', '/admin/v1/alerts', { key: 'admin-token-1' });
  return body.alerts
    .filter(({ state }: { state: string }) => state === 'active')
    .map(({ metric }: { metric: string }) => metric);
};
export const versionsAtPlane = async () => (await both.plane.ports.configStore.list()).map(({ source }) => source);

export function useDataPlane(): void {
  beforeEach(async () => {
    both = await federation((more) => configuration(more));
  });
  afterEach(() => both.stop());
}
