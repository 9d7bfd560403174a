/** Ports for the tool guard's classifiers on AWS: modules in threads, and models from the configured providers. */
import { bedrockRuntime } from '#adapters/aws/bedrock.ts';
import { httpCall } from '#adapters/http/provider-http.ts';
import { systemTimeouts } from '#adapters/system/timeouts.ts';
import { wasmRunner } from '#adapters/wasm/pool.ts';
import type { ClassifierPorts } from '#core/guard/classifier/ports.ts';
import { wasmModules } from '#core/models/content-policy/wasm-modules.ts';
import { providersFrom } from '#core/models/providers/providers.ts';
import { createBreakers } from '#core/models/routing/breakers.ts';
import type { GatewayPorts } from './ports.ts';

export function awsClassifiers(ports: GatewayPorts): ClassifierPorts {
  const { clock, ids, secrets, telemetry, counters, objects } = ports;
  const timeouts = systemTimeouts;
  return {
    clock,
    ids,
    telemetry,
    counters,
    timeouts,
    wasm: wasmRunner({ modules: wasmModules(objects) }),
    providers: providersFrom({ http: httpCall, secrets, clock, timeouts, bedrock: bedrockRuntime }),
    providerBreakers: createBreakers(),
    random: Math.random,
  };
}
