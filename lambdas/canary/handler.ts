import { secretsManager } from '#adapters/aws/secrets-manager.ts';
import { systemClock } from '#adapters/system/clock.ts';
import { systemIds } from '#adapters/system/ids.ts';
import { logTelemetry } from '#adapters/telemetry/telemetry.ts';
import { createHandler } from './event.ts';

let made: ReturnType<typeof canaryPorts> | undefined;

export const handler = async () => {
  made ??= canaryPorts(process.env);
  try {
    return await made.run();
  } finally {
    await made.telemetry.flush();
  }
};

/** Composes the ports without a store, because the canary uses the gateway like any other caller. */
function canaryPorts({ ADMIN_URL, SECRET_CANARY, GATEWAY_NAME }: NodeJS.ProcessEnv) {
  if (!ADMIN_URL || !SECRET_CANARY || !GATEWAY_NAME)
    throw new Error("the function's environment lacks ADMIN_URL, SECRET_CANARY or GATEWAY_NAME");
  const telemetry = logTelemetry({
    clock: systemClock,
    write: (line) => void process.stdout.write(`${line}\n`),
    service: 'agent-governance-gateway',
    deployment: GATEWAY_NAME,
  });
  const secrets = secretsManager({ secretIds: [SECRET_CANARY] });
  const run = createHandler({
    adminUrl: ADMIN_URL,
    clock: systemClock,
    secrets,
    telemetry,
    unique: () => systemIds.uuid(),
  });
  return { telemetry, run };
}
