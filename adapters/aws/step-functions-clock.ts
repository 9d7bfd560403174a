/**
 * The clock of approvals on AWS: one Standard execution per approval, named by its envelope_id. The table is
 * the truth, so every answer that means «already so» is success.
 */
import type { SFNClient, SFNClientConfig } from '@aws-sdk/client-sfn';
import type { ApprovalClock } from '#core/approvals/ports.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { clientBounds } from './client-bounds.ts';

type Sfn = typeof import('./sdk/step-functions.ts') & { readonly client: SFNClient };

/** An earlier attempt of the gateway or the sweep was first. */
const startedBefore = ['ExecutionAlreadyExists'];
/** The execution timed out, ended, or never knew this token: the row has decided. */
const settledBefore = ['TaskTimedOut', 'TaskDoesNotExist', 'InvalidToken'];

/** The client is loaded with the first review or vote: most calls of a handler need none. */
export function lazyStepFunctionsClock(stateMachineArn: string, config: SFNClientConfig = {}): ApprovalClock {
  let connected: Promise<Sfn> | undefined;
  const sfn = (): Promise<Sfn> => {
    connected ??= connect(config);
    return connected;
  };
  return {
    async start(envelopeId) {
      const { client, StartExecutionCommand } = await sfn();
      const input = JSON.stringify({ envelope_id: envelopeId });
      await client
        .send(new StartExecutionCommand({ stateMachineArn, name: envelopeId, input }))
        .catch(unless(startedBefore));
    },
    async settle(taskToken, output) {
      const { client, SendTaskSuccessCommand } = await sfn();
      await client
        .send(new SendTaskSuccessCommand({ taskToken, output: JSON.stringify(output) }))
        .catch(unless(settledBefore));
    },
  };
}

async function connect(config: SFNClientConfig): Promise<Sfn> {
  const sdk = await import('./sdk/step-functions.ts');
  return { ...sdk, client: new sdk.SFNClient({ ...clientBounds(), ...config }) };
}

const unless =
  (harmless: readonly string[]) =>
  (cause: unknown): void => {
    if (cause instanceof Error && harmless.includes(cause.name)) return;
    throw new GatewayError('service_unavailable', 'The approval clock did not answer. Try again shortly.', {
      cause,
      retryAfterSeconds: 1,
    });
  };
