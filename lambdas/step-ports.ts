/** Ports of the approval steps and the sweep. */
import { executeApproved } from '#core/actions/execute-approved.ts';
import type { StepPorts } from '#core/approvals/steps.ts';
import type { GatewayPorts } from './ports.ts';

export const stepPorts = (ports: GatewayPorts): StepPorts => ({
  ...ports,
  configuration: async () => (await ports.snapshots.current({ evenStale: true })).configuration,
  execute: (row, host) => executeApproved(ports, row, host?.endsAtMs),
});
