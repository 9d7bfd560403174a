/** The approval state machine's steps: announce, hold, settle. Only this function sees the task token. */
import * as z from 'zod';
import { announce, type Host, hold, settle } from '#core/approvals/steps.ts';
import type { GatewayPorts } from '../ports.ts';
import { stepPorts } from '../step-ports.ts';

const stepSchema = z.discriminatedUnion('step', [
  z.strictObject({ step: z.literal('announce'), envelope_id: z.uuid() }),
  z.strictObject({ step: z.literal('hold'), envelope_id: z.uuid(), task_token: z.string().min(1).max(2048) }),
  z.strictObject({ step: z.literal('settle'), envelope_id: z.uuid() }),
]);

/** Error whose name makes the state machine keep waiting. */
class ApprovalPending extends Error {
  override readonly name = 'ApprovalPending';
}

/** @throws ApprovalPending if there is no decision yet and time remains */
function mustBeDecided<T extends { readonly status: string }>(settled: T): T {
  if (settled.status === 'pending') throw new ApprovalPending('No decision has been made, and time remains.');
  return settled;
}

export const createHandler = (ports: GatewayPorts) => {
  const steps = stepPorts(ports);
  return async (event: unknown, host?: Host): Promise<unknown> => {
    const input = stepSchema.parse(event);
    return ports.telemetry.span(`approval.${input.step}`, { approval_id: input.envelope_id }, () => {
      if (input.step === 'announce') return announce(steps, input.envelope_id);
      if (input.step === 'settle') return settle(steps, input.envelope_id, host).then(mustBeDecided);
      return hold(steps, input.envelope_id, input.task_token).then(() => ({}));
    });
  };
};
