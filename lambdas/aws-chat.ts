/** The chat functions' ports on AWS, and their Lambda form. */
import { bedrockRuntime } from '#adapters/aws/bedrock.ts';
import { lazyKmsSigner } from '#adapters/aws/kms-signer.ts';
import { lazyStepFunctionsClock } from '#adapters/aws/step-functions-clock.ts';
import { httpCall } from '#adapters/http/provider-http.ts';
import { systemTimeouts } from '#adapters/system/timeouts.ts';
import { breakersTable } from '#adapters/tables/breakers-table.ts';
import { wasmRunner } from '#adapters/wasm/pool.ts';
import { configuredEmbedder } from '#core/chat/embedder.ts';
import type { HttpHandler } from '#core/contracts/http.ts';
import { responseCache } from '#core/models/cache/response-cache.ts';
import { wasmModules } from '#core/models/content-policy/wasm-modules.ts';
import { providersFrom } from '#core/models/providers/providers.ts';
import type { Breakers } from '#core/models/routing/breakers.ts';
import type { AnswerSamplers } from '#features/answer-samplers.ts';
import * as samplers from '#features/answer-samplers.ts';
import { compose, type HostCapabilities } from './aws.ts';
import { streamingHandler } from './aws-stream.ts';
import type { ChatEndpointPorts } from './middleware/chat-endpoint.ts';

/** Composes the ports. @param host additional clients, for a process that serves more than chat. */
export function composeChat(environment: NodeJS.ProcessEnv, host: HostCapabilities = {}) {
  const gateway = compose(environment, {
    approvalClock: lazyStepFunctionsClock,
    votes: lazyKmsSigner,
    breakers: breakersTable,
    ...host,
  });
  const { clock, secrets, objects, snapshots } = gateway;
  const timeouts = systemTimeouts;
  const providers = providersFrom({ http: httpCall, secrets, clock, timeouts, bedrock: bedrockRuntime });
  // Loaded concurrently, so that it does not delay the function's start.
  const breakers = import('#core/models/routing/shared-breakers.ts').then((shared) =>
    shared.sharedBreakers(gateway.breakerBoard!),
  );
  const providerBreakers: Breakers = {
    admit: async (entry, deps) => (await breakers).admit(entry, deps),
    states: () => gateway.breakers?.([]) ?? {},
  };
  return {
    ...gateway,
    telemetry: {
      ...gateway.telemetry,
      async flush() {
        await (await breakers).settled();
        await gateway.telemetry.flush();
      },
    },
    providers,
    providerBreakers,
    wasm: wasmRunner({ modules: wasmModules(objects) }),
    texts: undefined,
    sampler: (samplers as Partial<AnswerSamplers>).answerSampler,
    cache: responseCache({ clock, embedder: configuredEmbedder({ snapshots, providers }) }),
    timeouts,
    random: Math.random,
  };
}

/** Returns a chat endpoint as a Lambda handler. */
export const chatHandler = (createHandler: (ports: ChatEndpointPorts) => HttpHandler) =>
  streamingHandler(() => {
    const ports = composeChat(process.env);
    return { ports, handler: createHandler(ports) };
  });
