/** Executor `http`: calls only configured services and does not follow redirects. */
import type { HttpServiceEntry } from '#core/contracts/config.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import { harmless } from './fault.ts';
import { assertSuccess, httpResult } from './http/answer.ts';
import { destinationOf, serviceOf } from './http/destination.ts';
import { namedExecutor } from './named-executor.ts';
import type { Executor, HttpExchange } from './ports.ts';

/** Methods without side effects (RFC 9110), provided that the action's capability is also `read`. */
const safeMethods = ['GET', 'HEAD', 'OPTIONS'];
const requests = lazyImport(() => import('./http/request.ts'));

export function httpExecutor(services: readonly HttpServiceEntry[], exchange: HttpExchange): Executor {
  return namedExecutor({
    name: 'http',
    upstreamOf: (envelope) =>
      envelope.protocol.toLowerCase() === 'http' ? serviceOf(envelope, services)?.name : undefined,
    async run(envelope, credential, { signal }) {
      const service = serviceOf(envelope, services)!;
      const { url } = destinationOf(envelope, service);
      const { sendingOf } = await requests();
      const sending = sendingOf(envelope, service, credential);
      const changes = !safeMethods.includes(sending.method) || envelope.capability.toLowerCase() !== 'read';
      const request = {
        url,
        ...sending,
        allowPrivate: service.allow_private,
        timeoutMs: service.timeout_ms,
        maxResponseBytes: service.max_response_bytes,
      };
      const answer = await exchange(request, signal).catch((thrown: unknown) => {
        if (changes) throw thrown;
        return harmless(thrown);
      });
      assertSuccess(answer, changes);
      return httpResult(answer);
    },
  });
}
