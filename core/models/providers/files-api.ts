/** Requests for files and batches stored at a provider, in OpenAI's format. */
import type { JsonObject } from '#core/kernel/json.ts';
import { type HttpCall, HttpFault, type HttpReply } from './http.ts';
import type { Provider, ProviderFault, ResourceCall } from './ports.ts';
import { withoutKey } from './refusal.ts';
import { refuseError } from './reply.ts';
import { type Deadline, withDeadline } from './timeouts.ts';

/** Provider endpoint: how to send requests and read responses. */
interface FilesEndpoint {
  readonly timeoutMs: number;
  readonly http: HttpCall;
  /** @throws ProviderFault */
  readonly key: () => Promise<string | undefined>;
  readonly headersOf: (
    key: string | undefined,
    call: Pick<ResourceCall, 'headers' | 'signal'>,
  ) => Record<string, string>;
  readonly faultOf: (thrown: unknown, signal: AbortSignal) => ProviderFault;
  readonly urlOf: (path: string) => string;
  /** Returns an accepted reply. @throws ProviderFault for a refusal, BadReply if it is not an API response. */
  readonly accepted: (reply: HttpReply, key: string | undefined) => HttpReply | Promise<HttpReply>;
  readonly whole: (reply: HttpReply, key: string | undefined) => Promise<JsonObject>;
  readonly deadline: (reply: HttpReply) => Deadline;
}

export function filesApi(asked: FilesEndpoint): Required<Pick<Provider, 'resource' | 'download'>> {
  const { http, timeoutMs } = asked;

  const ask = async ({ method, path, body, form, once, ...call }: ResourceCall, key: string | undefined) => {
    const sent = form?.bytes ?? (body && JSON.stringify(body));
    const headers = {
      ...(sent !== undefined && { 'content-type': form?.type ?? 'application/json' }),
      ...asked.headersOf(key, call),
    };
    const silence = { firstByteTimeoutMs: timeoutMs, idleTimeoutMs: timeoutMs };
    const request = { method, url: asked.urlOf(path), headers, signal: call.signal, ...silence };
    const reply = await http({ ...request, ...(sent !== undefined && { body: sent }), ...(once && { once }) });
    return asked.accepted(reply, key);
  };

  return {
    async resource(call) {
      try {
        const key = await asked.key();
        const reply = await asked.whole(await ask(call, key), key);
        refuseError(reply);
        return reply;
      } catch (thrown) {
        throw asked.faultOf(thrown, call.signal);
      }
    },

    async download({ most, ...call }) {
      try {
        const key = await asked.key();
        const reply = await ask({ ...call, method: 'GET' }, key);
        return withoutKey(await withDeadline('whole file', reply.text(most), asked.deadline(reply)), key);
      } catch (thrown) {
        if (thrown instanceof HttpFault && thrown.kind === 'too-large') return undefined;
        throw asked.faultOf(thrown, call.signal);
      }
    },
  };
}
